"""The board: order, ranks, gains, what replaces what, and how many queries it takes."""

from typing import Any

import pytest

from evaluation.actions.entries import publish_entry, withdraw_entry
from evaluation.baselines import settle_references
from evaluation.board.columns import View, sorted_rows
from evaluation.board.files import board_csv, board_json, guarded
from evaluation.leaderboard import compute_entry
from evaluation.models import LeaderboardEntry
from evaluation.queries.board import board_of
from tests import evaluation_factories as make
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def release() -> Any:
    """Twelve videos on twelve sources, each with one MCQ and one free-response item."""
    return factories.release(factories.small_benchmark(videos=12))


def publish(release: Any, mcq: str, points: str, **fields: Any) -> LeaderboardEntry:
    """Publish a run with one digit for each MCQ and each free-response item; "-": unscored."""
    scores = [int(s) if s != "-" else None for pair in zip(mcq, points, strict=True) for s in pair]
    run = make.scored_run(release, scores, **fields)
    return publish_entry(entry=compute_entry(run), by="import")


STRONG, MIDDLE, WEAK = "1" * 11 + "0", "1" * 10 + "00", "0" * 12
TWOS = "2" * 12


def test_rows_stand_by_score_with_references_among_them(release: Any) -> None:
    settle_references(release)
    publish(release, STRONG, TWOS, name="Strong")
    publish(release, WEAK, TWOS, name="Weak")
    rows = board_of(release).of("video")
    names = [row.head.model for row in rows]
    assert names.index("Strong") < names.index("Chance") < names.index("Weak")
    assert {row.rank for row in rows if row.head.reference} == {None}


def test_ranks_are_intervals_of_what_the_tests_leave_open(release: Any) -> None:
    for name, mcq in (("Strong", STRONG), ("Middle", MIDDLE), ("Weak", WEAK)):
        publish(release, mcq, TWOS, name=name)
    board = board_of(release)
    assert {row.head.model: row.rank for row in board.rows} == {
        "Strong": (1, 2),
        "Middle": (1, 2),
        "Weak": (3, 3),
    }
    first = board.pairs["video"][0]
    assert (first.better, first.worse) == ("Strong", "Middle")
    assert first.difference == pytest.approx(1 / 12)


def test_gain_is_paired_and_needs_both_runs(release: Any) -> None:
    model = make.contestant("Two ways")
    publish(release, STRONG, TWOS, contestant=model)
    publish(release, "111100000000", "0" * 12, contestant=model, condition="blind")
    publish(release, MIDDLE, TWOS, name="Video alone")
    seen = [row for row in board_of(release).rows if row.head.condition == "video"]
    rows = {row.head.model: row for row in seen}
    gain = rows["Two ways"].gain
    assert gain and gain.kinds["mcq"].mean == pytest.approx(7 / 12)
    assert gain.kinds["free"].mean == 1.0
    assert rows["Video alone"].gain is None


def test_a_blind_run_stands_grey_among_those_that_saw_the_video(release: Any) -> None:
    publish(release, STRONG, TWOS, name="Blind", condition="blind")
    board = board_of(release)
    assert [row.head.model for row in board.of("video")] == ["Blind"]
    assert [row.rank for row in board.of("blind")] == [(1, 1)]


def test_a_later_run_of_a_model_takes_the_place_of_the_earlier(release: Any) -> None:
    model = make.contestant("Again")
    publish(release, WEAK, TWOS, contestant=model)
    publish(release, STRONG, TWOS, contestant=model)
    assert [row.figures["mcq"]["points"] for row in board_of(release).rows] == [11]


def test_what_is_private_or_withdrawn_is_not_on_the_board(release: Any, maintainer: Any) -> None:
    compute_entry(make.scored_run(release, [1] * 24))
    entry = publish(release, STRONG, TWOS)
    assert len(board_of(release).rows) == 1
    withdraw_entry(entry=entry, by=maintainer, note="Wrong prompt")
    assert board_of(release).rows == ()


def test_a_board_that_was_built_before_costs_one_query(
    release: Any, django_assert_num_queries: Any
) -> None:
    publish(release, STRONG, TWOS)
    with django_assert_num_queries(2):
        first = board_of(release)
    with django_assert_num_queries(1):
        assert board_of(release) is first


def test_a_new_name_of_a_model_makes_a_new_board(release: Any) -> None:
    entry = publish(release, STRONG, TWOS, name="Old name")
    board_of(release)
    contestant = entry.run.contestant
    contestant.name = "New name"
    contestant.save()
    assert board_of(release).rows[0].head.model == "New name"


def test_sorting_by_a_column_both_ways(release: Any) -> None:
    publish(release, STRONG, "0" * 12, name="Strong")
    publish(release, WEAK, TWOS, name="Weak")
    publish(release, MIDDLE, "-" * 12, name="Middle")
    rows = board_of(release).of("video")
    types = {"mcq": ["Type1_ActionGoalReasoning"], "free": ["Type2_ArtifactResolution"]}

    def names(sort: str) -> list[str]:
        return [row.head.model for row in sorted_rows(rows, sort, types)]

    assert names("free") == ["Weak", "Strong", "Middle"]
    assert names("-free") == ["Strong", "Weak", "Middle"]
    assert names("model") == ["Middle", "Strong", "Weak"]
    assert names("mcq-t1") == ["Strong", "Middle", "Weak"]
    assert names("no-such-key") == names("mcq") == ["Strong", "Middle", "Weak"]


def test_the_query_of_a_view_leaves_defaults_out() -> None:
    assert View().query() == "?"
    assert View("blind", "free").query(sort="mcq") == "?condition=blind"


def test_json_has_counts_and_shares(release: Any) -> None:
    publish(release, STRONG, "21" * 6, name="Strong")
    found = board_json(release.benchmark, release, board_of(release).rows)
    (entry,) = found["entries"]
    assert entry["mcq"]["correct"] == 11
    assert isinstance(entry["mcq"]["correct"], int)
    assert entry["free"]["points"] == 18
    assert entry["free"]["mean"] == 1.5
    assert entry["free"]["ci"][0] < entry["free"]["share"] == 0.75 < entry["free"]["ci"][1]
    assert entry["rank"] == [1, 1]
    assert found["release"] == {"tag": "r1", "hash": release.hash}


def test_csv_shows_no_formula(release: Any) -> None:
    publish(release, STRONG, TWOS, name="=HYPERLINK(1)")
    text = board_csv(board_of(release).rows)
    assert "'=HYPERLINK(1)" in text
    assert "\n=HYPERLINK" not in text


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\t", "\r"])
def test_each_sign_of_a_formula_is_guarded(sign: str) -> None:
    assert guarded(f"{sign}1") == f"'{sign}1"
    assert guarded(-1.5) == -1.5
    assert guarded("a\x00b") == "ab"


def test_an_empty_board_is_a_csv_with_a_header() -> None:
    assert board_csv([]) == "model\r\n"
