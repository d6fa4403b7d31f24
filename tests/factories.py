"""Makes rows for tests: plain functions, sensible defaults, one row each."""

import itertools
from collections.abc import Iterable
from typing import Any

from django.utils.timezone import now

from annotation.actions.versions import Content, build_version, mirror
from annotation.models import (
    Benchmark,
    Event,
    Item,
    ItemVersion,
    Release,
    ReleaseItem,
    Round,
    RoundItem,
    RoundReader,
    Source,
    User,
    Video,
)

counter = itertools.count(1)
PASSWORD = "a long pass phrase"
OPTIONS = ("Slide cranially.", "Rotate to the long axis.", "Raise the gain.", "Freeze.")


def account(name: str = "", *, role: str = "reviewer", **fields: Any) -> User:
    name = name or f"account-{next(counter)}"
    return User.objects.create_user(name, password=PASSWORD, role=role, **fields)


def benchmark(**fields: Any) -> Benchmark:
    number = next(counter)
    return Benchmark.objects.create(
        **{"slug": f"bench-{number}", "name": f"Benchmark {number}"} | fields
    )


def source(bench: Benchmark, **fields: Any) -> Source:
    defaults = {"kind": "youtube", "key": f"src{next(counter):08d}"}
    return Source.objects.create(benchmark=bench, **defaults | fields)


def video(bench: Benchmark, *, of: Source | None = None, **fields: Any) -> Video:
    """A video of 60 s, from second 10 of its source."""
    number = next(counter)
    defaults = {
        "name": f"Video_{number}",
        "title": f"Video {number}",
        "position": number,
        "start": 10.0,
        "end": 70.0,
    }
    return Video.objects.create(benchmark=bench, source=of or source(bench), **defaults | fields)


def event(vid: Video, **fields: Any) -> Event:
    position = vid.events.count()
    defaults = {
        "position": position,
        "start": 5.0 * position,
        "end": 5.0 * position + 4,
        "action": "The probe slides cranially.",
        "interpretation": "The aorta comes into view.",
    }
    return Event.objects.create(video=vid, **defaults | fields)


def make_item(vid: Video, kind: str, content: Content, **fields: Any) -> Item:
    same_kind = Item.objects.filter(benchmark=vid.benchmark, kind=kind)
    index = same_kind.filter(video=vid).count()
    item = Item.objects.create(
        **{
            "benchmark": vid.benchmark,
            "video": vid,
            "kind": kind,
            "index": index,
            "key": f"{kind}/{vid.name}/{index}",
            "position": Item.objects.filter(benchmark=vid.benchmark).count(),
            "ordinal": same_kind.count(),
        }
        | fields
    )
    version = build_version(item, vid, content, number=1, by=None)
    version.save()
    mirror(item, version).save()
    return item


def mcq_item(
    vid: Video,
    *,
    stem: str = "What does the operator do next?",
    options: tuple[str, ...] = OPTIONS,
    key_index: int = 0,
    question_type: str = "Type1_ActionGoalReasoning",
    window: tuple[float, float] = (5.0, 15.0),
    ground_truth: str = "The probe slides cranially.",
    **fields: Any,
) -> Item:
    content = Content(stem, question_type, *window, options, key_index, ground_truth=ground_truth)
    return make_item(vid, "mcq", content, **fields)


def free_item(
    vid: Video,
    *,
    stem: str = "Why does the operator press harder here?",
    reference_answer: str = "To push the bowel gas aside.",
    question_type: str = "Type2_ArtifactResolution",
    window: tuple[float, float] = (20.0, 30.0),
    ground_truth: str = "Pressure moves the gas away.",
    **fields: Any,
) -> Item:
    content = Content(
        stem,
        question_type,
        *window,
        reference_answer=reference_answer,
        ground_truth=ground_truth,
    )
    return make_item(vid, "free", content, **fields)


def kept(item: Item, *, keep: bool = True) -> Item:
    """Settle the keep decision of `item` as an import does."""
    item.state, item.keep, item.keep_source = "kept" if keep else "dropped", keep, "import"
    item.save()
    return item


def reworded(item: Item, stem: str) -> None:
    """Give `item` a new version with another question, as an edit does, and keep it."""
    version = current(item)
    version.pk, version.number = None, version.number + 1
    version.stem, version.text_digest, version.digest = stem, "t" * 64, "d" * 64
    version.save()
    item.current = version
    item.save()


def release(bench: Benchmark, tag: str = "r1", **fields: Any) -> Release:
    """A release of the benchmark's settled items, as they are now."""
    made = Release.objects.create(benchmark=bench, tag=tag, hash="0" * 64, **fields)
    settled = bench.items.filter(keep__isnull=False)
    for position, item in enumerate(settled):
        ReleaseItem.objects.create(
            release=made,
            item_version=current(item),
            keep=bool(item.keep),
            held_out=item.held_out,
            position=position,
        )
    made.kept_mcq = bench.items.filter(keep=True, kind="mcq").count()
    made.kept_free = bench.items.filter(keep=True, kind="free").count()
    made.save()
    return made


def small_benchmark(*, videos: int = 2, **fields: Any) -> Benchmark:
    """A benchmark with one kept MCQ, one kept free-response item and two events a video."""
    bench = benchmark(**fields)
    for _ in range(videos):
        vid = video(bench)
        event(vid)
        event(vid)
        kept(mcq_item(vid))
        kept(free_item(vid))
    return bench


def current(item: Item) -> ItemVersion:
    """The current version of `item`, read fresh."""
    versions = ItemVersion.objects.select_related("item__video__source")
    return versions.get(item=item, pk__in=Item.objects.filter(pk=item.pk).values("current"))


def review_round(
    bench: Benchmark, items: Iterable[Item] = (), readers: Iterable[User] = (), **fields: Any
) -> Round:
    """An open round of `items` in their order for `readers`, unless `fields` say otherwise."""
    wanted = {"name": f"Round {next(counter)}", "state": "open", "opened_at": now(), "seed": 7}
    made = Round.objects.create(benchmark=bench, **wanted | fields)
    for position, item in enumerate(items):
        RoundItem.objects.create(round=made, item=item, position=position, room=made.votes_wanted)
        made.size += 1
    for ordinal, reader in enumerate(readers):
        RoundReader.objects.create(round=made, reader=reader, ordinal=ordinal)
    made.save()
    return made
