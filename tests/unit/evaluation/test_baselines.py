from typing import Any

import pytest

from annotation.actions.releases import make_release
from annotation.models import Item
from evaluation import rescoring
from evaluation.actions.entries import publish_entry
from evaluation.baselines import choose, settle_references
from evaluation.leaderboard import compute_entry
from evaluation.models import LeaderboardEntry, Prediction, Run
from tests import evaluation_factories as make
from tests import factories

pytestmark = pytest.mark.django_db
OPTIONS = ("Slide the probe.", "Press harder", "Raise the overall gain of the image.", "Freeze.")


@pytest.fixture
def bench() -> Any:
    found = factories.benchmark()
    for key in range(4):
        factories.kept(factories.mcq_item(factories.video(found), options=OPTIONS, key_index=key))
    factories.kept(factories.free_item(factories.video(found)))
    return found


def test_each_baseline_picks_by_the_published_order(bench: Any) -> None:
    version = factories.current(Item.objects.filter(kind="mcq").first())
    picks = [
        choose(n, version, 1) for n in ("always-a", "shortest", "longest", "punctuation-length")
    ]
    assert picks == [0, 3, 2, 1]


def test_chance_is_seeded_and_near_its_share(bench: Any) -> None:
    version = factories.current(Item.objects.filter(kind="mcq").first())
    assert choose("chance", version, 7) == choose("chance", version, 7)
    hits = sum(choose("chance", version, seed) == 2 for seed in range(2000))
    assert 420 < hits < 580


def test_a_free_response_and_an_unknown_name(bench: Any) -> None:
    free = factories.current(Item.objects.get(kind="free"))
    assert choose("always-a", free, 1) is None
    with pytest.raises(KeyError, match="no baseline"):
        choose("oracle", free, 1)


def test_references_are_settled_once(bench: Any) -> None:
    release = factories.release(bench)
    settle_references(release)
    entries = settle_references(release)
    assert (Run.objects.count(), LeaderboardEntry.objects.count()) == (5, 5)
    assert Prediction.objects.count() == 20
    points = {e.run.contestant.slug: e.figures["mcq"]["points"] for e in entries}
    assert (
        points.items()
        >= {
            "always-a": 1,
            "shortest": 1,
            "longest": 1,
            "punctuation-length": 1,
        }.items()
    )
    assert all(entry.published_at and not entry.provisional for entry in entries)


def test_a_release_without_mcqs_has_no_references() -> None:
    bench = factories.benchmark()
    factories.kept(factories.free_item(factories.video(bench)))
    assert settle_references(factories.release(bench)) == []


def test_making_a_release_settles_references_and_scores_stored_runs_again(
    bench: Any, adjudicator: Any, django_capture_on_commit_callbacks: Any
) -> None:
    first = factories.release(bench)
    run = make.scored_run(first, [1, 1, 0, 0, 2])
    publish_entry(entry=compute_entry(run), by="import")
    with django_capture_on_commit_callbacks(execute=True):
        release = make_release(benchmark=bench, tag="r2", by=adjudicator)
    assert release.entries.filter(run__contestant__is_reference=True).count() == 5
    again = release.entries.get(run=run)
    assert again.figures["mcq"]["points"] == 2
    assert again.published_at is None


def test_a_large_release_is_left_to_a_worker(bench: Any, monkeypatch: Any, broker: str) -> None:
    monkeypatch.setattr(rescoring, "AT_ONCE", 2)
    release = factories.release(bench)
    rescoring.on_release_made(release=release)
    assert not LeaderboardEntry.objects.exists()
    import redis

    assert redis.Redis.from_url(broker).llen("celery") == 1


def test_without_a_broker_a_large_release_is_scored_at_once(bench: Any, monkeypatch: Any) -> None:
    def no_broker(name: str, args: list[int]) -> None:
        raise rescoring.OperationalError("no broker")

    monkeypatch.setattr(rescoring, "AT_ONCE", 2)
    monkeypatch.setattr(rescoring.current_app, "send_task", no_broker)
    rescoring.on_release_made(release=factories.release(bench))
    assert LeaderboardEntry.objects.count() == 5


def test_the_task_scores_a_release(bench: Any) -> None:
    from evaluation.tasks import score_release_task

    score_release_task(factories.release(bench).pk)
    assert LeaderboardEntry.objects.count() == 5
