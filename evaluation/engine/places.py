"""Places: which pumps work on a run, and how the calls in flight are shared among them."""

from dataclasses import dataclass

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from evaluation.engine.bucket import Limits
from evaluation.engine.clock import from_now
from evaluation.models import Provider, PumpLease, Run


@dataclass(frozen=True)
class Place:
    """A place held by the pump with `token`."""

    row_id: int
    run_id: int
    token: str


def wanted(max_in_flight: int) -> int:
    """Return how many pumps a run needs to keep that many calls in flight."""
    return max(1, -(-max_in_flight // settings.ENGINE_SLOTS))


def take(run: Run, *, token: str, worker: str) -> Place | None:
    """Take a free place to work on `run`; None where all are held."""
    for place in range(wanted(run.contestant.provider.max_in_flight)):
        fields = {"token": token, "worker": worker[:120], "in_flight": 0}
        until = from_now(settings.ENGINE_LEASE_SECONDS)
        row = PumpLease.objects.filter(run=run, place=place, lease_until__lt=Now())
        if row.update(**fields, lease_until=until):
            return _held(run, token)
        try:
            with transaction.atomic():
                PumpLease.objects.create(run=run, place=place, **fields, lease_until=Now())
        except IntegrityError:
            continue
        PumpLease.objects.filter(run=run, place=place, token=token).update(lease_until=until)
        return _held(run, token)
    return None


def _held(run: Run, token: str) -> Place:
    return Place(PumpLease.objects.get(run=run, token=token).pk, run.pk, token)


def keep(place: Place, *, in_flight: int) -> bool:
    """Prolong the lease. False where it ran out and another pump has taken the place."""
    kept = PumpLease.objects.filter(pk=place.row_id, token=place.token).update(
        lease_until=from_now(settings.ENGINE_LEASE_SECONDS), in_flight=in_flight
    )
    return bool(kept)


def leave(place: Place) -> None:
    """Free the place at once."""
    PumpLease.objects.filter(pk=place.row_id, token=place.token).update(
        lease_until=Now(), token="", in_flight=0
    )


@dataclass(frozen=True)
class Share:
    """What one pump may do with a provider: calls at once, at least 1; `pumps` share `limits`."""

    calls: int
    pumps: int
    limits: Limits


def share(provider_id: int) -> Share:
    """Return the provider's limit of calls at once, divided by the pumps whose runs ask it now,
    and what all of them together may do in a minute."""
    limit, requests, tokens = Provider.objects.values_list(
        "max_in_flight", "requests_per_minute", "tokens_per_minute"
    ).get(pk=provider_id)
    pumps = PumpLease.objects.filter(
        run__contestant__provider=provider_id, lease_until__gt=Now()
    ).count()
    calls = max(1, min(limit // max(pumps, 1), settings.ENGINE_SLOTS))
    return Share(calls, max(pumps, 1), Limits(requests, tokens))


def live(run_id: int) -> int:
    """Return how many pumps hold a place of the run."""
    return PumpLease.objects.filter(run=run_id, lease_until__gt=Now()).count()
