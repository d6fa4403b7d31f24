"""Writes the items that an import brings. `annotation.actions.imports` holds the locks."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.db import transaction
from django.db.models import Max, OuterRef, Subquery

from annotation.actions.round_votes import ask_again
from annotation.actions.versions import Content, build_version, content_of, mirror
from annotation.domain.benchmark_files import ItemRow
from annotation.domain.benchmark_folder import KINDS
from annotation.import_plan import ItemStep, VideoPlan
from annotation.models import Benchmark, Item, ItemVersion, User, Video
from annotation.models.item import ItemState, KeepSource
from annotation.published_rows import kept_of_item

BATCH = 500
REASON = "import"


@dataclass
class Places:
    """The next free places of a benchmark, counted on while an import runs."""

    video: int
    item: int
    ordinals: dict[str, int]

    @classmethod
    def of(cls, benchmark: Benchmark | None) -> "Places":
        """Return the places after those that are taken."""
        if benchmark is None or benchmark.pk is None:
            return cls(0, 0, dict.fromkeys(KINDS, 0))

        def after(rows: Any, field: str) -> int:
            last = rows.aggregate(last=Max(field))["last"]
            return 0 if last is None else last + 1

        ordinals = {kind: after(benchmark.items.filter(kind=kind), "ordinal") for kind in KINDS}
        return cls(
            after(benchmark.videos, "position"), after(benchmark.items, "position"), ordinals
        )


def content_from(row: ItemRow) -> Content:
    """Return the content of a row of a file."""
    return Content(
        stem=row.question.stem,
        question_type=row.question_type,
        start=row.start,
        end=row.end,
        options=row.question.options,
        key_index=row.key_index,
        reference_answer=row.reference_answer,
        ground_truth=row.ground_truth,
        roi_override=row.roi,
        accepted_variants=row.accepted_variants,
    )


def make_items(video: Video, rows: list[ItemRow], places: Places, by: User | str) -> None:
    """Make items and their first versions, in batches."""
    remaining = iter(rows)
    while batch := list(islice(remaining, BATCH)):
        items = [_new_item(video, row, places) for row in batch]
        author = by if isinstance(by, User) else None
        versions = [
            build_version(item, video, content_from(row), number=1, by=author, reason=REASON)
            for item, row in zip(items, batch, strict=True)
        ]
        for item, version in zip(items, versions, strict=True):
            mirror(item, version)
            item.current = None  # its version has no key yet
        Item.objects.bulk_create(items)
        ItemVersion.objects.bulk_create(versions)
    first = ItemVersion.objects.filter(item=OuterRef("pk"), number=1).values("pk")[:1]
    if rows:
        video.items.filter(current__isnull=True).update(current=Subquery(first))


def _new_item(video: Video, row: ItemRow, places: Places) -> Item:
    item = Item(
        benchmark=video.benchmark,
        video=video,
        kind=row.kind,
        index=row.index,
        key=f"{row.kind}/{video.name}/{row.index}",
        position=places.item,
        video_position=video.position,
        ordinal=places.ordinals[row.kind],
        extra=kept_of_item(row),
    )
    places.item += 1
    places.ordinals[row.kind] += 1
    _settle(item, row.keep)
    return item


def _settle(item: Item, keep: bool | None) -> None:
    """Take a file's keep flag as a decision by "import"; None leaves the item open."""
    item.keep = keep
    item.keep_source = KeepSource.NONE if keep is None else KeepSource.IMPORT
    decided = ItemState.KEPT if keep else ItemState.DROPPED
    item.state = ItemState.TODO if keep is None else decided


def update_items(
    video: Video, plan: VideoPlan, stored: dict[tuple[str, int], Item], by: User | str
) -> None:
    """Write what changed of items; a change of the video's segment or box reaches them all."""
    steps = {step.item.pk: step for step in plan.item_steps}
    items = list(stored.values()) if plan.takes_video else [s.item for s in plan.item_steps]
    author = by if isinstance(by, User) else None
    versions = list(_next_versions(video, items, steps, author))
    for item, version in zip(
        [version.item for version in versions],
        ItemVersion.objects.bulk_create(versions, batch_size=BATCH),
        strict=True,
    ):
        mirror(item, version)
    for step in plan.item_steps:
        step.item.extra = step.extra
        if step.settles:
            _settle(step.item, step.keep)
    ask_again(version.item_id for version in versions)
    fields = ["current", "votes_since", "question_type", "start", "end", "text"]
    fields += ["extra", "state", "keep", "keep_source"]
    Item.objects.bulk_update(items, fields, batch_size=100)


def _next_versions(
    video: Video, items: list[Item], steps: dict[int, ItemStep], author: User | None
) -> Iterator[ItemVersion]:
    for item in items:
        current, step = item.current, steps.get(item.pk)
        if current is None:
            continue
        new = step is not None and step.new_content
        content = content_from(step.row) if step and new else content_of(current)
        version = build_version(
            item, video, content, number=current.number + 1, by=author, reason=REASON
        )
        if version.digest != current.digest:
            yield version


@transaction.atomic
def renumber(benchmark: Benchmark) -> None:
    """Bring the items into the order of video, MCQ before free response, place in the file."""
    rows = Item.objects.filter(benchmark=benchmark).only("pk", "position")
    rows = rows.order_by("video_position", "-kind", "index")
    moved = []
    for place, item in enumerate(rows.iterator(chunk_size=2000)):
        if item.position != place:
            item.position = place
            moved.append(item)
    Item.objects.bulk_update(moved, ["position"], batch_size=BATCH)
