"""Makes, edits, opens and closes review rounds. They are led by whoever may adjudicate."""

import math
from typing import Any

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Greatest
from django.utils import timezone

from annotation.actions.round_locks import (
    BadRound,
    lock_round,
    require_draft,
    require_not_closed,
)
from annotation.actions.round_readers import begin
from annotation.actions.round_reopening import catch_up
from annotation.actions.trail import record
from annotation.domain.edits import is_clean
from annotation.domain.round_order import SEEDS
from annotation.models import Benchmark, Round, User
from annotation.models.round import (
    MOST_REPEATED,
    MOST_VOTES,
    RoundMode,
    RoundOrder,
    RoundState,
    new_seed,
)
from annotation.permissions import Verb, require

NAME_LIMIT = 120
INSTRUCTIONS_LIMIT = 4_000
DRAWN = ("mode", "order", "seed")  # what readers' orders follow from: fixed once it is open
SETTINGS = (*DRAWN, "name", "votes_wanted", "repeat_share", "instructions")


@transaction.atomic
def make_round(*, benchmark: Benchmark, settings: dict[str, Any], by: User) -> Round:
    """Make a draft of a round with `settings` (fields of SETTINGS; a name is needed).

    Raises PermissionDenied, BadRound.
    """
    require(by, Verb.ADJUDICATE)
    wanted = {"seed": new_seed()} | settings
    check(benchmark, wanted | {"name": settings.get("name", "")})
    made = Round.objects.create(benchmark=benchmark, created_by=by, **wanted)
    note(made, verb="make_round", after=wanted, by=by)
    return made


@transaction.atomic
def edit_round(*, round_id: int, changes: dict[str, Any], by: User) -> Round:
    """Change settings of a round that is not closed; mode, order and seed of a draft only.

    More votes wanted open items again that were full; with fewer, who is on an item stays.
    Raises PermissionDenied, Round.DoesNotExist, BadRound.
    """
    round_ = lock_round(round_id, by=by)
    require_not_closed(round_)
    before = {name: getattr(round_, name) for name in changes if name in SETTINGS}
    changes = {name: value for name, value in changes.items() if before.get(name, ...) != value}
    check(round_.benchmark, changes, own=round_)
    if not changes:
        return round_
    if set(changes) & set(DRAWN):
        require_draft(round_, "mode, order and seed change")
    if "votes_wanted" in changes:
        more = changes["votes_wanted"] - round_.votes_wanted
        items = round_.items.filter(is_training=False)
        items.update(room=F("room") + more if more > 0 else Greatest(F("room") + more, 0))
    for name, value in changes.items():
        setattr(round_, name, value)
    round_.save(update_fields=list(changes))
    before = {name: before[name] for name in changes}
    note(round_, verb="edit_round", before=before, after=changes, by=by)
    return round_


def check(benchmark: Benchmark, settings: dict[str, Any], *, own: Round | None = None) -> None:
    """Raise BadRound where a setting is unknown or out of bounds."""
    errors = dict.fromkeys(sorted(set(settings) - set(SETTINGS)), "is no setting of a round")
    bounds = {
        "mode": lambda value: value in RoundMode.values,
        "order": lambda value: value in RoundOrder.values,
        "seed": lambda value: 0 <= value < SEEDS,
        "votes_wanted": lambda value: 1 <= value <= MOST_VOTES,
        "repeat_share": lambda value: math.isfinite(value) and 0 <= value <= MOST_REPEATED,
        "instructions": lambda value: is_clean(value, INSTRUCTIONS_LIMIT),
        "name": lambda value: bool(value.strip()) and is_clean(value, NAME_LIMIT),
    }
    for name, holds in bounds.items():
        if name in settings and not holds(settings[name]):
            errors[name] = "is out of bounds"
    if "name" in settings and "name" not in errors:
        others = benchmark.rounds.filter(name=settings["name"])
        if (others.exclude(pk=own.pk) if own else others).exists():
            errors["name"] = "another round of this benchmark has this name"
    if errors:
        raise BadRound(errors)


@transaction.atomic
def open_round(*, round_id: int, by: User) -> Round:
    """Open a draft, or a closed round again; its readers are given items from now on.

    What a reader has judged already counts and is not shown to them as new. Opening an open
    round changes nothing. Raises PermissionDenied, Round.DoesNotExist, and BadRound for a round
    without items or readers.
    """
    round_ = lock_round(round_id, by=by)
    if round_.state == RoundState.OPEN:
        return round_
    readers = list(round_.readers.select_related("round"))
    if not round_.size + round_.training_size:
        raise BadRound({"items": "choose items first"})
    if not readers:
        raise BadRound({"readers": "name readers first"})
    before = round_.state
    round_.state, round_.closed_at = RoundState.OPEN, None
    round_.opened_at = round_.opened_at or timezone.now()
    round_.save(update_fields=["state", "opened_at", "closed_at"])
    for reader in readers:
        begin(reader) if before == RoundState.DRAFT else catch_up(reader)
    note(round_, verb="open_round", before={"state": before}, after={"state": "open"}, by=by)
    return round_


@transaction.atomic
def close_round(*, round_id: int, by: User) -> Round:
    """Close an open round: nobody is given items of it, votes on their way are stored.

    Raises PermissionDenied, Round.DoesNotExist, BadRound for a draft.
    """
    round_ = lock_round(round_id, by=by)
    if round_.state == RoundState.CLOSED:
        return round_
    if round_.state == RoundState.DRAFT:
        raise BadRound({"round": "a draft is not open"})
    round_.state, round_.closed_at = RoundState.CLOSED, timezone.now()
    round_.save(update_fields=["state", "closed_at"])
    note(round_, verb="close_round", before={"state": "open"}, after={"state": "closed"}, by=by)
    return round_


def note(
    round_: Round,
    *,
    verb: str,
    by: User,
    before: dict[str, Any] | None = None,
    after: dict[str, Any],
) -> None:
    """Write the revision of a change of a round."""
    record(
        by=by,
        verb=verb,
        target_kind="round",
        target_id=round_.pk,
        benchmark_id=round_.benchmark_id,
        before=before,
        after=after,
    )
