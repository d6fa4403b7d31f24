"""Finds items of a benchmark: by text, kind, type, category, video, length, and the own state."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, F, OuterRef, QuerySet

from annotation.models import Benchmark, Item, User
from annotation.queries.queue import BY_TIME, Entry, entries
from annotation.queries.standing import OwnVote, own_fresh, own_votes

A_PAGE = 50
MOST_PAGES = 200  # farther items are found by a narrower search


@dataclass(frozen=True)
class Found:
    """One item found, as its reader may see it; `length` of the window in seconds."""

    entry: Entry
    video: str
    category: str
    length: float


@dataclass(frozen=True)
class FoundPage:
    rows: list[Found]
    page: int
    more: bool


def find(user: User, benchmark: Benchmark, wanted: dict[str, Any]) -> FoundPage:
    """Return one page of what `wanted` (a checked FindForm) lets through; two queries."""
    own = own_votes(user, benchmark.pk)
    items = narrowed(Item.objects.filter(benchmark=benchmark, current__isnull=False), wanted)
    items = in_own_state(items, wanted["state"], user, own)
    page = wanted["page"] or 1
    first = (page - 1) * A_PAGE
    ordered = items.select_related("video").order_by("video__position", *BY_TIME)
    shown = list(ordered[first : first + A_PAGE + 1])
    rows = [
        Found(entry, item.video.title, item.video.category, item.end - item.start)
        for item, entry in zip(shown, entries(shown, own), strict=True)
    ]
    return FoundPage(rows[:A_PAGE], page, len(rows) > A_PAGE and page < MOST_PAGES)


def narrowed(items: QuerySet[Item], wanted: dict[str, Any]) -> QuerySet[Item]:
    fields = {
        "text__icontains": wanted["q"],
        "kind": wanted["kind"],
        "question_type__icontains": wanted["type"],
        "video__category": wanted["category"],
        "video__title__icontains": wanted["video"],
    }
    items = items.filter(**{name: value for name, value in fields.items() if value})
    if wanted["least"] is not None:
        items = items.filter(end__gte=F("start") + wanted["least"])
    if wanted["most"] is not None:
        items = items.filter(end__lte=F("start") + wanted["most"])
    return items


def in_own_state(
    items: QuerySet[Item], state: str, user: User, own: dict[int, OwnVote]
) -> QuerySet[Item]:
    """Keep the items in a state in the reader's own eyes: others' votes never show here."""
    if not state:
        return items
    if state == "todo":
        return items.exclude(Exists(own_fresh(user).filter(item=OuterRef("pk"))))
    return items.filter(pk__in=[vote.item_id for vote in own.values() if vote.state == state])


def categories(benchmark: Benchmark) -> list[str]:
    """Return the categories of a benchmark's videos, in order."""
    named = benchmark.videos.exclude(category="").order_by("category")
    return list(named.values_list("category", flat=True).distinct()[:200])
