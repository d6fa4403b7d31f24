"""What changed between two releases, or between a release and the benchmark as it stands.

An item is *in* where it is kept now and was not, *out* the other way round, *changed* where it
is kept in both and a model is asked something else. People are named by their pseudonyms.
"""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Exists, OuterRef, QuerySet, Subquery

from annotation.domain.question_texts import without_opening
from annotation.models import Benchmark, Item, ItemVersion, Release, ReleaseItem, Revision
from annotation.models.review import DropReason
from annotation.queries.history import Change, changes

A_PAGE = 25
MOST_STEPS = 6
SHOWS = ("in", "out", "changed")
ACTORS = {"import": "import", "system": "system"}
DID = {
    "cast_vote": "vote",
    "undo_vote": "vote taken back",
    "adjudicate": "adjudicated",
    "undo_decision": "decision taken back",
    "return_item": "returned to its readers",
    "edit_item": "edited",
    "edit_roi": "box moved",
    "undo_roi": "move of the box taken back",
    "edit_cosmetic": "edited, same meaning",
    "import_item": "imported",
}


@dataclass(frozen=True)
class Side:
    """A release, or with None the benchmark as it stands."""

    benchmark: Benchmark
    release: Release | None

    @property
    def name(self) -> str:
        return self.release.tag if self.release else "as it stands"

    @property
    def until(self) -> datetime | None:
        return self.release.created_at if self.release else None

    def kept(self) -> QuerySet[ItemVersion]:
        """The versions of its kept items."""
        if self.release:
            frozen = ReleaseItem.objects.filter(release=self.release, keep=True)
            return ItemVersion.objects.filter(pk__in=frozen.order_by().values("item_version"))
        items = Item.objects.filter(benchmark=self.benchmark, keep=True).order_by()
        return ItemVersion.objects.filter(pk__in=items.values("current"))

    def of_item(self, name: str) -> Subquery:
        """`name` of the kept version of the outer version's item; NULL where there is none."""
        if self.release:
            # Through the item's few versions: a join would be read from the whole release.
            versions = ItemVersion.objects.filter(item=OuterRef(OuterRef("item"))).order_by()
            frozen = ReleaseItem.objects.filter(
                release=self.release, keep=True, item_version__in=versions.values("pk")
            )
            return Subquery(frozen.order_by().values(f"item_version__{name}")[:1])
        item = Item.objects.filter(pk=OuterRef("item"), keep=True)
        return Subquery(item.order_by().values(f"current__{name}")[:1])


@dataclass(frozen=True)
class Step:
    """One change on the way: who (a pseudonym), what, why, when."""

    who: str
    did: str
    why: str
    at: datetime


@dataclass(frozen=True)
class DiffRow:
    item: Item
    question: str
    changes: tuple[Change, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Diff:
    """`rows` is one page of what `show` names; `counts` by SHOWS."""

    old: Side
    new: Side
    show: str
    counts: dict[str, int]
    page: Page[ItemVersion]
    rows: list[DiffRow]

    @property
    def total(self) -> int:
        return sum(self.counts.values())


def found(old: Side, new: Side, show: str) -> QuerySet[ItemVersion]:
    """Return the versions that `show` names: new ones, for what is out the old ones."""
    one, other = (old, new) if show == "out" else (new, old)
    same_item = other.kept().filter(item=OuterRef("item"))  # joined at once, not row by row
    if show == "changed":
        return one.kept().filter(Exists(same_item.exclude(digest=OuterRef("digest"))))
    return one.kept().filter(~Exists(same_item))


def counts(old: Side, new: Side) -> dict[str, int]:
    """Return how many items are in, out and changed; three queries."""
    return {show: found(old, new, show).count() for show in SHOWS}


def diff(old: Side, new: Side, *, show: str = "", page: str = "") -> Diff:
    """Return a page of what changed from `old` to `new`; a fixed number of queries."""
    counted = counts(old, new)
    chosen = show if show in SHOWS else next((one for one in SHOWS if counted[one]), SHOWS[0])
    listed = found(old, new, chosen).select_related("item__video").order_by("item__position")
    if chosen == "changed":
        listed = listed.annotate(old_version=old.of_item("pk"))
    paged = Paginator(listed, A_PAGE).get_page(page or 1)
    return Diff(old, new, chosen, counted, paged, rows(list(paged.object_list), old, new))


def rows(versions: list[ItemVersion], old: Side, new: Side) -> list[DiffRow]:
    was_ids = [getattr(version, "old_version", None) for version in versions]
    before = ItemVersion.objects.in_bulk([pk for pk in was_ids if pk])
    steps = steps_between([version.item_id for version in versions], old.until, new.until)
    return [
        DiffRow(
            version.item,
            without_opening(version.stem),
            tuple(changes(before[was], version)) if was in before else (),
            tuple(steps[version.item_id][-MOST_STEPS:]),
        )
        for version, was in zip(versions, was_ids, strict=True)
    ]


def steps_between(
    item_ids: list[int], since: datetime | None, until: datetime | None
) -> dict[int, list[Step]]:
    """Return what was done to each item after `since` and up to `until`, in order."""
    trail = Revision.objects.filter(target_kind="item", target_id__in=item_ids, verb__in=DID)
    if since:
        trail = trail.filter(at__gt=since)
    if until:
        trail = trail.filter(at__lte=until)
    done: dict[int, list[Step]] = defaultdict(list)
    for row in trail.order_by("pk"):
        done[row.target_id].append(Step(shown_actor(row.actor), did(row), why(row), row.at))
    return done


def shown_actor(actor: str) -> str:
    """Return a pseudonym short enough to read; what no person did keeps its word."""
    return ACTORS.get(actor, f"account {actor[:8]}")


def did(row: Revision) -> str:
    if row.verb == "cast_vote":
        return f"vote: {row.after.get('verdict', '?')}"
    if row.verb == "adjudicate":
        return f"adjudicated: {'keep' if row.after.get('keep') else 'drop'}"
    return DID[row.verb]


def why(row: Revision) -> str:
    given: list[Any] = row.after.get("reasons", []) if row.verb == "cast_vote" else []
    labels = [str(DropReason(one).label) for one in given if one in DropReason.values]
    return ", ".join(labels) or row.reason
