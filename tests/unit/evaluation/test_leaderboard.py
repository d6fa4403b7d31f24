"""Entries: what counts, what is stale, what is missing, and that nothing changes silently."""

from typing import Any

import pytest
from django.core.exceptions import PermissionDenied

from annotation.actions.versions import build_version, content_of, mirror
from annotation.models import Item, ItemVersion, Revision
from evaluation.actions.entries import EntryRefused, publish_entry, withdraw_entry
from evaluation.leaderboard import compute_entry
from evaluation.models import LeaderboardEntry
from tests import evaluation_factories as make
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def release() -> Any:
    """Three videos on three sources, each with one MCQ and one free-response item."""
    return factories.release(factories.small_benchmark(videos=3))


def new_version(item: Item, **changes: Any) -> ItemVersion:
    content = content_of(item.current)
    content = type(content)(**{**content.__dict__, **changes})
    version = build_version(item, item.video, content, number=2, by=None)
    version.save()
    mirror(item, version).save()
    return version


def test_figures_of_a_full_run(release: Any) -> None:
    entry = compute_entry(make.scored_run(release, [1, 2, 0, 1, 1, 0]))
    figures = entry.figures
    assert (figures["mcq"]["points"], figures["mcq"]["n"]) == (2, 3)
    assert (figures["free"]["points"], figures["free"]["n"]) == (3, 3)
    assert figures["free"]["mean"] == 0.5
    assert figures["free_outcomes"] == {
        "2": {"none": 1},
        "1": {"wrong_conclusion": 1},
        "0": {"both_fail": 1},
    }
    assert (figures["items"], figures["scored"], entry.provisional) == (6, 6, False)
    assert figures["chance"] == 0.25
    assert figures["judge"] == {"label": "judge", "rubric": "r1", "versions": []}
    assert entry.published_at is None


def test_failures_are_no_answers_and_win_nothing(release: Any) -> None:
    run = make.scored_run(release, [1, 2, None, None, None, None])
    kept = list(release.release_items.order_by("position"))
    make.prediction(run, kept[2].item_version, None, outcome="failed", error_class="timeout")
    judged = make.prediction(run, kept[3].item_version, None)
    make.judgement(judged, None, failed=True)
    make.prediction(run, kept[4].item_version, None, outcome="refused")
    run.work_items.create(
        item_version=kept[5].item_version, stage="clip", state="failed", error_class="removed"
    )
    figures = compute_entry(run).figures
    assert figures["failures"] == {"judge failed": 1, "removed": 1, "timeout": 1}
    assert figures["labels"] == {"refused": 1}
    assert (figures["mcq"]["points"], figures["mcq"]["scored"], figures["mcq"]["n"]) == (1, 2, 3)
    assert figures["mcq"]["mean"] == pytest.approx(1 / 3)
    assert figures["mcq"]["mean_scored"] == 0.5
    assert figures["mcq"]["bound"] == pytest.approx(2 / 3)
    assert compute_entry(run).provisional


def test_a_refused_free_response_scores_zero_without_a_judge(release: Any) -> None:
    run = make.run(release)
    free = release.release_items.order_by("position")[1].item_version
    make.prediction(run, free, None, outcome="refused")
    figures = compute_entry(run).figures
    assert (figures["free"]["points"], figures["free"]["scored"]) == (0, 1)
    assert figures["free_outcomes"] == {"0": {"refused": 1}}


def test_repeats_of_a_judge_and_of_a_run_are_averaged(release: Any) -> None:
    run = make.run(release, repeats=2)
    kept = [row.item_version for row in release.release_items.order_by("position")]
    make.prediction(run, kept[0], 1, repeat=0)
    make.prediction(run, kept[0], 0, repeat=1)
    twice = make.prediction(run, kept[1], 2)
    make.judgement(twice, 1, repeat=1)
    figures = compute_entry(run).figures
    assert figures["mcq"]["points"] == 0.5
    assert figures["free"]["points"] == 0.75  # 1.5 points, one of two repeats


def test_another_judge_does_not_mix_in(release: Any) -> None:
    run = make.scored_run(release, [1, 2, 1, 2, 1, 2], judge_label="judge", rubric_version="r1")
    for found in run.predictions.filter(item_version__key_index=None):
        make.judgement(found, 0, judge_label="another")
    assert compute_entry(run).figures["free"]["points"] == 6


def test_a_later_release_scores_stored_predictions_and_lists_the_stale(release: Any) -> None:
    video_run = make.scored_run(release, [1, 2, 1, 2, 1, 2])
    blind_run = make.scored_run(release, [1, 2, 1, 2, 1, 2], condition="blind")
    first, _, third, *_ = Item.objects.order_by("position")
    new_version(first, stem="Another wording?")
    new_version(third, start=6.0)
    later = factories.release(release.benchmark, "r2")

    seen = compute_entry(video_run, later)
    blind = compute_entry(blind_run, later)

    assert (seen.figures["scored"], seen.figures["stale"]) == (4, 2)
    assert seen.per_item["stale"] == [first.pk, third.pk]
    assert (blind.figures["scored"], blind.figures["stale"]) == (5, 1)
    assert seen.figures["failures"] == {"stale": 2}


def test_equal_figures_make_no_new_version(release: Any) -> None:
    run = make.scored_run(release, [1, 2, 0, 1, 1, 0])
    assert compute_entry(run).pk == compute_entry(run).pk
    assert LeaderboardEntry.objects.count() == 1


def test_nothing_published_changes_silently(release: Any, maintainer: Any) -> None:
    run = make.scored_run(release, [1, 2, 0, 1, 1, 0])
    shown = publish_entry(entry=compute_entry(run), by=maintainer)
    run.predictions.filter(item_version__key_index__isnull=False).update(score=1)
    again = compute_entry(run)
    assert (again.version, again.published_at) == (2, None)
    shown.refresh_from_db()
    assert shown.figures["mcq"]["points"] == 2
    again = publish_entry(entry=again, by=maintainer)
    assert again.note == "MCQ 2 → 3 of 3 items"
    with pytest.raises(EntryRefused, match="newer version"):
        LeaderboardEntry.objects.filter(pk=shown.pk).update(published_at=None)
        publish_entry(entry=shown, by=maintainer)


def test_publishing_needs_the_permission_a_settled_run_and_writes_a_revision(
    release: Any, maintainer: Any, reviewer: Any
) -> None:
    run = make.scored_run(release, [1, 2, 0, 1, 1, 0], state="running")
    entry = compute_entry(run)
    with pytest.raises(PermissionDenied):
        publish_entry(entry=entry, by=reviewer)
    with pytest.raises(EntryRefused, match="still working"):
        publish_entry(entry=entry, by=maintainer)
    run.state = "done"
    run.save()
    published = publish_entry(entry=entry, by=maintainer)
    assert published.published_by == maintainer
    assert publish_entry(entry=entry, by=maintainer).published_at == published.published_at
    assert Revision.objects.filter(verb="publish_entry").count() == 1


def test_withdrawing_takes_all_versions_off_and_says_why(release: Any, maintainer: Any) -> None:
    run = make.scored_run(release, [1, 2, 0, 1, 1, 0])
    entry = publish_entry(entry=compute_entry(run), by=maintainer)
    with pytest.raises(EntryRefused, match="why"):
        withdraw_entry(entry=entry, by=maintainer, note=" ")
    withdraw_entry(entry=entry, by=maintainer, note="Wrong model version")
    assert not LeaderboardEntry.objects.filter(published_at__isnull=False).exists()
    assert Revision.objects.get(verb="withdraw_entry").reason == "Wrong model version"
    with pytest.raises(EntryRefused, match="not published"):
        withdraw_entry(entry=entry, by=maintainer, note="Again")


def test_a_release_of_another_benchmark_is_refused(release: Any) -> None:
    other = factories.release(factories.small_benchmark())
    with pytest.raises(ValueError, match="own benchmark"):
        compute_entry(make.run(release), other)


def test_accepted_variants_make_the_judgement_stale_and_not_the_reply(release: Any) -> None:
    run = make.scored_run(release, [1, 2, 0, 1, 1, 0])
    free = release.benchmark.items.filter(kind="free").order_by("position").first()
    new_version(free, accepted_variants=("Gas is in the way.",))
    later = factories.release(release.benchmark, "r2")
    entry = compute_entry(run, later)
    assert entry.figures["failures"] == {"judgement stale": 1}
    assert (entry.figures["free"]["points"], entry.figures["free"]["scored"]) == (1, 2)
    assert entry.figures["stale"] == 0 and entry.provisional
    assert compute_entry(run, release).figures["failures"] == {}
