"""The circuit breaker of a provider: a row that all workers share, with one probe at a time.

Times are the database's. While a provider answers, looking costs one read a second.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models.functions import Now

from evaluation.models import Provider

FIRST_REST, LONGEST_REST = 5.0, 120.0  # seconds
PROBE_GRACE = 10.0  # seconds beyond a call's deadline, after which a probe counts as lost


@dataclass(frozen=True)
class Breaker:
    """`is_open`: no call but the probe may be made; `may_probe`: the asking pump has it."""

    is_open: bool = False
    may_probe: bool = False


def look(provider_id: int, token: str) -> Breaker:
    """Return how the breaker stands for the pump with `token`, and give it the probe where it
    is due and nobody has it."""
    state = Provider.objects.values_list("breaker", flat=True).get(pk=provider_id)
    return _probe(provider_id, token) if state else Breaker()


@transaction.atomic
def _probe(provider_id: int, token: str) -> Breaker:
    provider, now = _locked(provider_id)
    state = provider.breaker
    if not state:
        return Breaker()
    if now < _moment(state, "until"):
        return Breaker(is_open=True)
    if state.get("probe") != token and now < _moment(state, "probe_until"):
        return Breaker(is_open=True)
    until = now + timedelta(seconds=provider.timeout_seconds + PROBE_GRACE)
    _keep(provider, state | {"probe": token, "probe_until": until.isoformat()})
    return Breaker(is_open=True, may_probe=True)


@transaction.atomic
def trip(provider_id: int, token: str, why: str) -> None:
    """Let the provider rest; twice as long as the last time where its probe failed.

    A pump that notices late, while another has tripped it already, changes nothing.
    """
    provider, now = _locked(provider_id)
    state = provider.breaker
    if state and state.get("probe") != token:
        return
    rest = min(LONGEST_REST, 2 * float(state["rest"])) if state.get("rest") else FIRST_REST
    until = (now + timedelta(seconds=rest)).isoformat()
    _keep(provider, {"resting": why[:300] or "no reason given", "rest": rest, "until": until})


def close(provider_id: int) -> None:
    """Let all workers ask the provider again: it has answered."""
    Provider.objects.filter(pk=provider_id).exclude(breaker={}).update(breaker={})


def _locked(provider_id: int) -> tuple[Provider, datetime]:
    provider = Provider.objects.select_for_update().get(pk=provider_id)
    now = Provider.objects.annotate(now=Now()).values_list("now", flat=True).get(pk=provider_id)
    return provider, now


def _moment(state: dict[str, Any], name: str) -> datetime:
    """Return a moment that the row keeps; long ago where it keeps none."""
    return datetime.fromisoformat(state.get(name) or "2000-01-01T00:00:00+00:00")


def _keep(provider: Provider, state: dict[str, Any]) -> None:
    Provider.objects.filter(pk=provider.pk).update(breaker=state)
