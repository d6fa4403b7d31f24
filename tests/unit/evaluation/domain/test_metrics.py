import pytest

from evaluation.domain.metrics import (
    AskedItem,
    build_frames,
    cluster_sums,
    collect_scores,
    kind_figures,
)


def mcq(source: int, question_type: str = "T1", seconds: float = 3.0) -> AskedItem:
    return AskedItem("mcq", question_type, seconds, "aorta", source)


def free(source: int) -> AskedItem:
    return AskedItem("free", "T2", 12.0, "liver", source)


ITEMS = [mcq(1), mcq(1, "T2"), mcq(2), mcq(2, seconds=20.0), free(1), free(2)]


def test_the_headline_divides_by_all_items_and_the_others_stand_beside_it() -> None:
    frames = build_frames(ITEMS)
    scores = collect_scores([0, 1, 2], [1, 0, 1], items=6, repeats=1)
    figures = kind_figures(frames["mcq"], scores)
    assert (figures["points"], figures["n"], figures["scored"]) == (2, 4, 3)
    assert figures["mean"] == 0.5
    assert figures["mean_scored"] == pytest.approx(2 / 3)
    assert figures["bound"] == 0.75
    assert figures["by_type"]["T1"]["n"] == 3
    assert figures["by_duration"]["20+"] == {
        "points": 0,
        "n": 1,
        "scored": 0,
        "mean": 0.0,
        "ci": None,
        "sources": 1,
    }


def test_free_points_run_to_two_while_means_stay_shares() -> None:
    frames = build_frames(ITEMS)
    figures = kind_figures(frames["free"], collect_scores([4, 5], [1, 0.5], items=6, repeats=1))
    assert (figures["points"], figures["mean"]) == (3, 0.75)


def test_repeats_are_averaged_within_an_item_first() -> None:
    frames = build_frames([mcq(1), mcq(2)])
    scores = collect_scores([0, 0, 1, 1], [1, 0, 1, 1], items=2, repeats=2)
    figures = kind_figures(frames["mcq"], scores)
    assert (figures["points"], figures["mean"]) == (1.5, 0.75)
    assert scores.spread == pytest.approx(0.5)


def test_a_repeat_that_is_missing_wins_nothing_in_the_headline() -> None:
    scores = collect_scores([0], [1.0], items=1, repeats=2)
    assert (scores.headline[0], scores.mean[0]) == (0.5, 1.0)


def test_no_score_at_all_gives_zero_and_no_mean() -> None:
    frames = build_frames(ITEMS)
    figures = kind_figures(frames["mcq"], collect_scores([], [], items=6, repeats=1))
    assert (figures["points"], figures["mean_scored"], figures["bound"]) == (0, None, 1.0)


def test_cluster_sums_follow_the_sources_in_order() -> None:
    frames = build_frames([mcq(9), mcq(3), mcq(9)])
    assert frames["mcq"].sources == (3, 9)
    scores = collect_scores([0, 2], [1, 1], items=3, repeats=1)
    assert cluster_sums(frames["mcq"].all, scores) == [0.0, 2.0]
