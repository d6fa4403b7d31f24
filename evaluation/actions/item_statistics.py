"""Asks for statistics of a release's items, keeps what is found, sets the look-again rule."""

import math
from collections.abc import Iterable
from itertools import islice
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation.actions.round_items import choose_items
from annotation.actions.rounds import make_round
from annotation.actions.trail import record
from annotation.models import Benchmark, Release, Round, User
from annotation.permissions import Verb, require
from evaluation.models import ItemStatistic, LookAgainRule, StatisticsReport
from evaluation.models.item_statistic import StatisticsState
from evaluation.queries.look_again import REASONS, items_of

BATCH = 1000
RULE = {
    "blind_replies": (1, 1000),
    "blind_share": (0.0, 1.0),
    "fewest_models": (2, 1000),
    "rival_share": (0.0, 1.0),
}


class BadRule(ValueError):
    """A rule cannot be set; the message says why, in one sentence."""


@transaction.atomic
def request_statistics(*, release: Release, by: User | str) -> StatisticsReport:
    """Ask for the item statistics of `release`; a worker measures them.

    Raises PermissionDenied where an account `by` may not adjudicate.
    """
    if isinstance(by, User):
        require(by, Verb.ADJUDICATE)
    report, _ = StatisticsReport.objects.update_or_create(
        release=release,
        defaults={"state": StatisticsState.WAITING, "asked_at": timezone.now(), "error": ""},
    )
    _record(report, by, "request_statistics", {})
    return report


@transaction.atomic
def keep_statistics(
    *,
    report: StatisticsReport,
    rows: Iterable[ItemStatistic],
    seen: list[str],
    blind: list[str],
    by: User | str,
) -> None:
    """Put `rows` in the place of what was measured of the release before."""
    ItemStatistic.objects.filter(release_id=report.release_id).delete()
    rest = iter(rows)
    while batch := list(islice(rest, BATCH)):
        ItemStatistic.objects.bulk_create(batch)
    report.state, report.error = StatisticsState.DONE, ""
    report.seen, report.blind, report.measured_at = seen, blind, timezone.now()
    report.save(update_fields=["state", "error", "seen", "blind", "measured_at"])
    _record(report, by, "keep_statistics", {"seen": seen, "blind": blind})


@transaction.atomic
def fail_statistics(*, report: StatisticsReport, reason: str, by: User | str) -> None:
    """Keep why nothing could be measured; what was measured before stays."""
    report.state, report.error = StatisticsState.FAILED, reason[:300]
    report.save(update_fields=["state", "error"])
    _record(report, by, "fail_statistics", {}, reason=reason)


@transaction.atomic
def set_look_again_rule(
    *, benchmark: Benchmark, changes: dict[str, float], by: User
) -> LookAgainRule:
    """Set when items are proposed for another look. Nothing is dropped by it.

    Raises PermissionDenied, and BadRule for an unknown field or a value out of bounds.
    """
    require(by, Verb.IMPORT)
    for name, value in changes.items():
        low, high = RULE.get(name, (1, 0))
        if not (math.isfinite(value) and low <= value <= high):
            raise BadRule(f"“{name}” must be between {low} and {high}.")
    rule, _ = LookAgainRule.objects.select_for_update().get_or_create(benchmark=benchmark)
    before = {name: getattr(rule, name) for name in changes}
    for name, value in changes.items():
        setattr(rule, name, value)
    rule.save()
    record(
        by=by,
        verb="set_look_again_rule",
        target_kind="benchmark",
        target_id=benchmark.pk,
        benchmark_id=benchmark.pk,
        before=before,
        after=dict(changes),
    )
    return rule


@transaction.atomic
def make_look_again_round(*, release: Release, reason: str, by: User) -> Round:
    """Make a draft of a review round of the items that `reason` names: a proposal to readers.

    The readers of the round are not told why, so that they judge blind. Raises PermissionDenied,
    and BadRound where no item has this reason.
    """
    require(by, Verb.ADJUDICATE)
    day = timezone.now()
    name = f"Look again, {release.tag}: {REASONS[reason].lower()}, {day:%Y-%m-%d %H:%M:%S}"
    made = make_round(benchmark=release.benchmark, settings={"name": name}, by=by)
    return choose_items(round_id=made.pk, items=items_of(release, reason), by=by)


def _record(
    report: StatisticsReport, by: User | str, verb: str, after: dict[str, Any], reason: str = ""
) -> None:
    record(
        by=by,
        verb=verb,
        target_kind="release",
        target_id=report.release_id,
        benchmark_id=report.release.benchmark_id,
        after=after,
        reason=reason,
    )
