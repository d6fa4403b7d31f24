from evaluation.board.charts import Mark, Part, axis, points_over_bins, stacked_bar, whisker
from evaluation.board.figure_text import (
    p_text,
    points_text,
    rank_text,
    share_text,
    signed,
    signed_ends,
)


def test_a_whisker_carries_its_numbers_and_escapes_its_label() -> None:
    svg = whisker(Mark(0.663, 0.6, 0.72), '66.3 % "<b>"', chance=0.25)
    assert 'cx="66.30%"' in svg
    assert 'x1="60.00%" x2="72.00%"' in svg
    assert 'class="chance" x1="25.00%"' in svg
    assert "<b>" not in svg
    assert "style=" not in svg


def test_without_an_interval_there_are_no_calipers() -> None:
    assert 'class="cal"' not in whisker(Mark(0.5), "50 %")


def test_bins_without_items_stay_empty() -> None:
    svg = points_over_bins([("<5 s", Mark(0.5, 0.4, 0.6)), (">20 s", None)], "x", chance=0.25)
    assert svg.count("<circle") == 1
    assert "&lt;5 s" in svg


def test_a_stacked_bar_prints_counts_where_there_is_room() -> None:
    svg = stacked_bar(
        [Part(99, "f-1", "2, right"), Part(1, "p-dot", "1"), Part(0, "f-0", "0")], 100
    )
    assert ">99<" in svg
    assert ">1<" not in svg
    assert 'aria-label="2, right: 99; 1: 1; 0: 0"' in svg
    assert 'fill="url(#p-dot)"' in svg


def test_an_axis_spreads_its_numbers() -> None:
    assert 'x="50.00%"' in axis(["0", "1", "2"])


def test_figures_as_people_read_them() -> None:
    assert (share_text(0.6627), points_text(0.4528), share_text(None)) == ("66.3", "0.91", "")
    assert (signed(8.06, 1), signed(-0.3, 1), signed(0.001, 1)) == ("+8.1", "−0.3", "0.0")
    assert (p_text(0.0651), p_text(0.32), p_text(1e-9)) == ("p 0.065", "p 0.32", "p < 0.001")
    assert (rank_text((1, 2)), rank_text((4, 4)), rank_text(None)) == ("1–2", "4", "–")


def test_no_difference_is_told_beyond_100_points() -> None:
    assert signed_ends(-0.28, 1.08, scale=100, digits=1) == ("−28.0", "+100.0")
    assert signed_ends(-1.2, 0.0, scale=2, digits=2) == ("−2.00", "0.00")
