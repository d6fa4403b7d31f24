"""What a benchmark is made of, counted by one grouped query."""

import pytest
from django.utils import timezone

from annotation.actions.decisions import adjudicate
from annotation.models import Source, Video
from annotation.queries.composition import composition, problems
from tests import factories
from tests.unit.annotation.queries.voting import vote

pytestmark = pytest.mark.django_db


@pytest.fixture
def bench():
    return factories.benchmark()


@pytest.fixture
def video(bench):
    return factories.video(bench, category="Vessels")


def made_of(bench):
    return composition(bench)


def test_counts_by_kind_type_category_and_length(bench, video):
    factories.kept(factories.mcq_item(video, window=(0, 5)))
    factories.kept(factories.mcq_item(video, window=(0, 5.01)), keep=False)
    factories.kept(factories.free_item(video, window=(0, 20)))
    other = factories.video(bench)
    factories.kept(factories.free_item(other, window=(0, 21), question_type="Odd <type>"))
    factories.mcq_item(other, window=(0, 4))
    found = made_of(bench)

    assert (found.all.total, found.all.kept, found.all.dropped) == (5, 3, 1)
    assert (found.mcq.kept, found.mcq.total) == (1, 3)
    assert (found.free.kept, found.free.total) == (2, 2)
    assert [(row.type.code, row.mcq.total, row.free.total) for row in found.types] == [
        ("Odd <type>", 0, 1),
        ("T1", 3, 0),
        ("T2", 0, 1),
    ]
    assert [(name, tally.total) for name, tally in found.categories] == [
        ("Vessels", 3),
        ("No category", 2),
    ]
    assert [(label, tally.kept, tally.total) for label, tally in found.durations] == [
        ("0 to 5 s", 1, 2),
        ("5 to 10 s", 0, 1),
        ("10 to 20 s", 1, 1),
        ("over 20 s", 1, 1),
    ]
    assert (found.videos, found.sources) == (2, 2)


def test_reviews_are_counted_by_reader(bench, video, reviewer, reviewer_2, adjudicator):
    items = [factories.kept(factories.mcq_item(video)) for _ in range(4)]
    vote(items[0], reviewer, "keep")
    vote(items[0], reviewer, "keep")
    vote(items[1], reviewer, "drop", reasons=[1, 3])
    vote(items[1], reviewer_2, "drop", reasons=[3])
    vote(items[2], reviewer, "keep")
    vote(items[2], reviewer_2, "drop", reasons=[9])
    vote(items[2], reviewer_2, "keep")  # the drop no longer stands
    vote(items[3], reviewer, "skip")
    adjudicate(item_id=items[3].pk, version_number=1, keep=True, by=adjudicator)
    found = made_of(bench)

    assert (found.all.once, found.all.twice) == (1, 2)
    assert (found.all.kept_by_people, found.all.dropped_by_people) == (3, 1)
    assert found.all.kept_unseen == 1
    assert found.reasons == [("Ambiguous", 2), ("Answerable without video", 1)]


def test_open_disagreements(bench, video, reviewer, reviewer_2):
    item = factories.mcq_item(video)
    vote(item, reviewer, "keep")
    vote(item, reviewer_2, "drop")
    assert made_of(bench).all.disputed == 1


def test_an_empty_benchmark(bench):
    found = made_of(bench)
    assert (found.all.total, found.types, found.reasons) == (0, [], [])
    assert problems(bench).dead == []


def test_dead_sources_and_late_windows(bench, video):
    factories.mcq_item(video, window=(50, 60.35))
    factories.mcq_item(video, window=(50, 60))
    Source.objects.filter(pk=video.source_id).update(state="embedding_off")
    factories.source(bench, state="removed")
    factories.source(bench, state="ok")
    found = problems(bench)

    assert [(one.source.get_state_display(), one.items) for one in found.dead] == [
        ("Embedding turned off", 2),
        ("Removed or private", 0),
    ]
    assert (found.dead_in_all, found.sources, found.late_in_all) == (2, 3, 1)
    assert found.late[0].end == 60.35


def test_videos_in_quarantine(bench, video):
    item = factories.mcq_item(video)
    Video.objects.filter(pk=video.pk).update(quarantined_at=timezone.now())
    found = problems(bench)

    assert [(one.video.pk, one.item_id) for one in found.withheld] == [(video.pk, item.pk)]
    assert found.withheld_in_all == 1


def test_the_number_of_queries_does_not_grow(bench, video, django_assert_num_queries):
    for count in (1, 6):
        for _ in range(count):
            factories.kept(factories.mcq_item(factories.video(bench, category=f"C{count}")))
        with django_assert_num_queries(5):
            composition(bench)
        with django_assert_num_queries(7):
            problems(bench)


def test_the_published_benchmark(rex):
    from annotation.importer import import_benchmark
    from annotation.models import Benchmark

    import_benchmark(rex, slug="rex", by="import")
    found = made_of(Benchmark.objects.get(slug="rex"))

    assert (found.all.kept, found.all.total, found.videos, found.sources) == (514, 657, 47, 35)
    assert [(row.mcq.kept, row.free.kept) for row in found.types] == [
        (103, 129),
        (79, 57),
        (67, 79),
    ]
