"""The items of a release that deserve another look, by reason, from stored statistics."""

from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.db.models import F, Q, QuerySet

from annotation.models import Benchmark, Item, Release, User
from annotation.queries.answering import sealed_among
from evaluation.domain.item_statistics import FEWEST_FOR_DISCRIMINATION, lowest_by_chance
from evaluation.models import ItemStatistic, LookAgainRule, StatisticsReport

A_PAGE = 25
SUSPECT_P = 0.05
REASONS = {
    "blind": "Solved without the video",
    "rival": "Models agree on another option",
    "none": "No model solves it",
    "all": "Every model solves it",
    "negative": "Better models do worse",
}


@dataclass(frozen=True)
class Reason:
    name: str
    title: str
    count: int


@dataclass(frozen=True)
class LookAgain:
    """What the page shows; `report` is None before the first measurement. `sealed` are the items of
    the page that its reader has to answer first: what models chose would sway them."""

    report: StatisticsReport | None
    rule: LookAgainRule
    reasons: list[Reason]
    shown: str
    page: Page
    sealed: set[int]


def rule_of(benchmark: Benchmark) -> LookAgainRule:
    """Return the benchmark's rule, or the default one, unsaved."""
    found = LookAgainRule.objects.filter(benchmark=benchmark).first()
    return found or LookAgainRule(benchmark=benchmark)


def look_again(release: Release, reader: User, *, shown: str, page: str) -> LookAgain:
    """Return the items of reason `shown` (of REASONS, else the first that has any), a page."""
    report = StatisticsReport.objects.filter(release=release).first()
    rule = rule_of(release.benchmark)
    reasons = [
        Reason(name, title, rows_of(release, rule, name).count()) for name, title in REASONS.items()
    ]
    if shown not in REASONS:
        shown = next((reason.name for reason in reasons if reason.count), "blind")
    rows = rows_of(release, rule, shown).select_related("item__video", "item_version")
    listed = Paginator(rows, A_PAGE).get_page(page)
    sealed = sealed_among(reader, Item.objects.filter(pk__in=[row.item_id for row in listed]))
    shut = set(sealed.values_list("pk", flat=True))
    return LookAgain(report, rule, reasons, shown, listed, shut)


def rows_of(release: Release, rule: LookAgainRule, reason: str) -> QuerySet[ItemStatistic]:
    """Return the statistics of the items that a reason names, the clearest case first."""
    rows = ItemStatistic.objects.filter(release=release)
    enough = Q(models_scored__gte=rule.fewest_models)
    if reason == "blind":
        found = rows.filter(
            blind_replies__gte=rule.blind_replies, blind_share__gte=rule.blind_share
        )
        return found.order_by("-blind_share", "-blind_replies", "item_id")
    if reason == "rival":
        found = rows.filter(enough, rival_share__gte=rule.rival_share, rival_p__lte=SUSPECT_P)
        return found.order_by("-rival_share", "-rival_models", "item_id")
    if reason == "none":
        return rows.filter(enough, difficulty=0).order_by("-models_scored", "item_id")
    if reason == "all":
        return rows.filter(enough, difficulty=1).order_by("-models_scored", "item_id")
    if reason == "negative":
        found = rows.filter(enough & _below_chance(rows))
        return found.order_by(F("discrimination").asc(), "item_id")
    raise ValueError(f"{reason!r} is no reason to look again")


def _below_chance(rows: QuerySet[ItemStatistic]) -> Q:
    """Return which items have a negative discrimination that chance hardly gives over as many
    models: over five models nearly half of all items are below 0 by chance. One query."""
    told = rows.filter(
        discrimination__isnull=False, models_scored__gte=FEWEST_FOR_DISCRIMINATION
    ).order_by()
    found = Q(pk__in=[])
    for models in told.values_list("models_scored", flat=True).distinct():
        found |= Q(models_scored=models, discrimination__lte=lowest_by_chance(models))
    return found


def items_of(release: Release, reason: str) -> QuerySet[Item]:
    """Return the items that a reason names: what a review round of them is made from."""
    rows = rows_of(release, rule_of(release.benchmark), reason)
    return Item.objects.filter(pk__in=rows.order_by().values("item_id"))
