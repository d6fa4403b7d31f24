"""Which windows are cut together."""

from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.clips import Box, Span
from annotation.domain.cut_plan import Piece, plan_jobs, union

BOX = Box(0, 0, 16, 16)


def pieces(*spans: tuple[float, float]) -> list[Piece]:
    return [Piece(f"{start}-{end}", Span(start, end), BOX) for start, end in spans]


def spans_of(jobs) -> list[list[tuple[float, float]]]:
    return [[(piece.span.start, piece.span.end) for piece in job.pieces] for job in jobs]


def test_overlapping_and_near_windows_are_one_job_and_far_ones_are_not():
    jobs = plan_jobs(pieces((20, 25), (0, 10), (10.5, 12), (5, 8), (26.5, 30)))
    assert spans_of(jobs) == [[(0, 10), (5, 8), (10.5, 12)], [(20, 25)], [(26.5, 30)]]
    assert jobs[0].span == Span(0, 12)


def test_a_short_window_within_a_long_one_does_not_end_its_job():
    assert len(plan_jobs(pieces((0, 60), (1, 2), (50, 70)))) == 1


def test_the_same_clip_is_cut_once():
    assert spans_of(plan_jobs([*pieces((1, 2)), *pieces((1, 2))])) == [[(1, 2)]]


def test_a_job_has_at_most_so_many_clips():
    jobs = plan_jobs(pieces(*[(n, n + 1.0) for n in range(30)]), most=12)
    assert [len(job.pieces) for job in jobs] == [12, 12, 6]


def test_nothing_makes_no_job():
    assert plan_jobs([]) == []


@given(
    st.lists(st.tuples(st.integers(0, 300), st.integers(1, 40)), max_size=40),
    st.floats(0, 5),
)
def test_every_window_is_in_one_job_that_decodes_no_long_gap(drawn, near):
    wanted = pieces(*[(start, start + length) for start, length in drawn])
    jobs = plan_jobs(wanted, near=near)
    placed = [piece for job in jobs for piece in job.pieces]
    assert sorted(piece.name for piece in placed) == sorted({piece.name for piece in wanted})
    for job in jobs:
        assert all(job.span.start <= one.span.start for one in job.pieces)
        assert all(one.span.end <= job.span.end for one in job.pieces)
        gaps = job.span.duration - union(one.span for one in job.pieces)
        assert gaps <= near * (len(job.pieces) - 1) + 1e-6


def test_the_union_counts_every_second_once():
    assert union([Span(0, 10), Span(5, 12), Span(20, 21), Span(6, 7)]) == 13
    assert union([]) == 0
