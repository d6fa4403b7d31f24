"""Reading a page asks as many queries of a benchmark of 600 items as of one of 60.

Every route that is read is asked, as an admin who may all of them: a new one with its row in
the table of permissions. What grows: videos, items, versions, events, votes, revisions, releases,
predictions of the run, and readers.
"""

import uuid

import pytest
from django.db import connection
from django.db.models import Max
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import (
    Benchmark,
    Item,
    ItemVersion,
    Release,
    ReleaseItem,
    Review,
    Revision,
    Video,
)
from annotation.planner import refresh_statistics
from benchmarks.many_items import move_sequences, multiply
from evaluation.models import Prediction, Run
from tests import factories
from tests.integration.test_permissions import TABLE, world  # noqa: F401 a fixture

pytestmark = pytest.mark.django_db
FEW, MANY = 60, 600
A_VIDEO = 10  # items
# Files of a whole release, read video by video while they are sent; no page.
SENT_IN_PARTS = {"annotation:release_zip", "annotation:release_lines"}
GETS = sorted({name for name, row in TABLE.items() if row.method == "get"} - SENT_IN_PARTS)
MOST = 60  # queries of any page


def grow(bench: Benchmark, items: int) -> None:
    """Give `bench` so many items, all kept, in its release, voted on and predicted."""
    more = items - bench.items.count()
    item = bench.items.get(pk=bench.items.filter(kind="mcq").earliest("pk").pk)
    first = {model: top(model) for model in (Video, Item, ItemVersion)}
    grow_items(bench, item, more, first)
    added = ItemVersion.objects.filter(pk__gt=first[ItemVersion]).order_by("pk")
    grow_votes(bench, list(added))
    grow_release(bench.releases.earliest("pk"), list(added))
    refresh_statistics(Video, Item, ItemVersion, Review, Revision, ReleaseItem, Prediction)


def top(model) -> int:
    return model.objects.aggregate(top=Max("pk"))["top"]


def grow_items(bench: Benchmark, item: Item, more: int, first: dict) -> None:
    video, items, versions = first[Video], first[Item], first[ItemVersion]
    place = bench.items.count()
    names = {"id": f"{video} + n", "name": f"'v{video}-' || n", "position": f"{video + 1000} + n"}
    multiply("annotation_video", item.video_id, -(-more // A_VIDEO), names)
    changes = {
        "id": f"{items} + n",
        "video_id": f"{video} + 1 + (n - 1) / {A_VIDEO}",
        "index": "n",
        "key": f"'k{items}-' || n",
        "position": f"{place} + n",
        "ordinal": f"{place} + n",
        "video_position": f"{video + 1000} + 1 + (n - 1) / {A_VIDEO}",
        "current_id": f"{versions} + n",
        "text": "'What is shown in item ' || n || '?'",
    }
    multiply("annotation_item", item.pk, more, changes)
    places = {"id": f"{versions} + n", "item_id": f"{items} + n"}
    multiply("annotation_itemversion", item.current_id, more, places)
    move_sequences("annotation_video", "annotation_item", "annotation_itemversion")
    for one in bench.videos.all():
        factories.event(one)


def grow_votes(bench: Benchmark, versions: list[ItemVersion]) -> None:
    """Two votes on each, of new readers; every third item is in dispute."""
    readers = [factories.account(), factories.account()]
    Review.objects.bulk_create(
        Review(
            item_id=version.item_id,
            item_version=version,
            benchmark=bench,
            version_number=version.number,
            reviewer=reader,
            verdict="drop" if place and number % 3 == 0 else "keep",
            reasons=[4] if place and number % 3 == 0 else [],
            active_seconds=9,
        )
        for number, version in enumerate(versions)
        for place, reader in enumerate(readers)
    )
    Item.objects.filter(pk__in=[version.item_id for version in versions[::3]]).update(
        state="disagreement", keep=None, keep_source=""
    )
    Revision.objects.bulk_create(
        Revision(
            actor=readers[0].pseudonym, verb="cast_vote", target_kind="item",
            target_id=version.item_id, benchmark_id=bench.pk,
            before={"state": "todo"}, after={"state": "kept", "verdict": "keep", "reasons": []},
        )
        for version in versions
    )  # fmt: skip


def grow_release(release: Release, versions: list[ItemVersion]) -> None:
    start = release.release_items.count()
    release.release_items.bulk_create(
        release.release_items.model(
            release=release, item_version=version, keep=True, position=start + number
        )
        for number, version in enumerate(versions)
    )
    release.kept_mcq += len(versions)
    release.save()
    for run in Run.objects.filter(release=release):
        Prediction.objects.bulk_create(
            Prediction(run=run, item_version=version, outcome="answered", score=1, chosen=0)
            for version in versions
        )


def grow_history(item: Item, versions: int) -> None:
    """Give the item that the pages are about a history and many votes of others."""
    number = item.versions.count()
    own = factories.current(item)
    for place in range(versions):
        own.pk, own.number, own.stem = None, number + 1 + place, f"Version {place}?"
        own.save()
        Review.objects.create(
            item=item, item_version=own, reviewer=factories.account(), verdict="keep"
        )
    Item.objects.filter(pk=item.pk).update(current=own)


def queries_by_route(client, world) -> dict[str, int]:  # noqa: F811
    found = {}
    for name in GETS:
        row = TABLE[name]
        url = reverse(name, kwargs={key: world[place] for key, place in row.places.items()})
        with CaptureQueriesContext(connection) as asked:
            answer = client.get(url)
            if answer.streaming:
                list(answer.streaming_content)
        assert answer.status_code < 500, name
        found[name] = len(asked)
    return found


def test_as_many_queries_for_600_items_as_for_60(client_for, world):  # noqa: F811
    bench = Benchmark.objects.get(slug=world["bench"])
    item = Item.objects.get(pk=world["item"])
    user = factories.account(role="admin", is_staff=True, is_superuser=True)
    client = client_for(user)
    counted = []
    for size in (FEW, MANY):
        grow(bench, size)
        grow_history(item, size // 20)
        Review.objects.create(
            id=uuid.uuid4(), item=item, item_version=factories.current(item), reviewer=user,
            verdict="keep",
        )  # fmt: skip
        queries_by_route(client, world)  # what a process reads once
        counted.append(queries_by_route(client, world))
    few, many = counted
    assert not {name: (few[name], many[name]) for name in GETS if many[name] != few[name]}
    assert max(many.values()) <= MOST, max(many.items(), key=lambda pair: pair[1])
