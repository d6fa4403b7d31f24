"""Windows, boxes and frames."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.clips import (
    SMALLEST_SIDE,
    Span,
    capped_size,
    frame_count,
    frame_indices,
    padded,
    pixel_box,
    source_span,
)

fractions = st.floats(0, 1, allow_nan=False)
sizes = st.integers(SMALLEST_SIDE, 4096)


@given(x=fractions, y=fractions, w=fractions, h=fractions, width=sizes, height=sizes)
def test_a_box_is_even_and_inside_whatever_the_roi(x, y, w, h, width, height):
    box = pixel_box((x, y, w, h), width=width, height=height)
    for number in (box.x, box.y, box.w, box.h):
        assert number % 2 == 0
    assert box.x >= 0 and box.x + box.w <= width
    assert box.y >= 0 and box.y + box.h <= height
    assert box.w >= SMALLEST_SIDE and box.h >= SMALLEST_SIDE


@given(x=fractions, w=fractions, width=st.integers(200, 4096))
def test_edges_lie_within_two_pixels_of_the_asked_ones(x, w, width):
    asked = (x * width, min(1.0, x + w) * width)
    box = pixel_box((x, 0.0, w, 1.0), width=width, height=100)
    if asked[1] - asked[0] >= SMALLEST_SIDE + 2:
        assert abs(box.x - asked[0]) <= 2
        assert abs(box.x + box.w - asked[1]) <= 2


def test_the_whole_of_an_odd_frame_is_its_even_part():
    box = pixel_box((0, 0, 1, 1), width=853, height=481)
    assert (box.x, box.y, box.w, box.h) == (0, 0, 852, 480)


@pytest.mark.parametrize(
    "roi", [(-0.1, 0, 1, 1), (0, 0, 1.1, 1), (math.nan, 0, 1, 1), (0, 0, math.inf, 1)]
)
def test_a_roi_outside_the_frame_is_refused(roi):
    with pytest.raises(ValueError, match="not within"):
        pixel_box(roi, width=640, height=360)


def test_a_tiny_frame_is_refused():
    with pytest.raises(ValueError, match="too small"):
        pixel_box((0, 0, 1, 1), width=8, height=360)


def test_a_window_is_moved_into_source_time():
    span = source_span(video_start=18.22, start=3.0, end=9.5, source_duration=200.0)
    assert span == Span(21.22, 27.72)
    assert span.duration == pytest.approx(6.5)


def test_a_window_past_its_segment_stands_and_one_past_the_source_is_cut_off():
    assert source_span(video_start=10, start=0, end=5.35, source_duration=None).end == 15.35
    assert source_span(video_start=10, start=0, end=5.35, source_duration=15.0).end == 15.0


def test_a_segment_that_starts_before_its_source_loses_what_is_not_there():
    assert source_span(video_start=-0.43, start=0.2, end=5, source_duration=60) == Span(0, 4.57)


@pytest.mark.parametrize(
    ("video_start", "start", "end", "duration"),
    [(0, 5, 5, None), (0, 6, 5, None), (0, 5, 6, 5.0), (0, math.nan, 6, None), (-9, 1, 2, 50)],
)
def test_a_window_with_nothing_in_it_is_refused(video_start, start, end, duration):
    with pytest.raises(ValueError, match=r"window|ends"):
        source_span(video_start=video_start, start=start, end=end, source_duration=duration)


@given(width=sizes, height=sizes)
def test_a_capped_picture_is_even_and_keeps_its_shape(width, height):
    w, h = capped_size(width, height, max_height=720)
    assert w % 2 == 0 and h % 2 == 0 and h <= 720
    if height > 720:
        assert abs(w - width * 720 / height) <= 1 + 1e-9 or w == SMALLEST_SIDE


def test_the_shortest_published_clip_has_frames():
    assert frame_count(0.42, 15) == 6
    assert frame_count(0.001, 15) == 1


@given(total=st.integers(1, 5000), count=st.integers(1, 300))
def test_frames_are_spread_evenly_and_taken_once(total, count):
    found = frame_indices(total, count)
    assert len(found) == min(total, count)
    assert found == sorted(set(found))
    assert min(found) >= 0
    assert max(found) < total
    gaps = [b - a for a, b in pairwise(found)]
    assert not gaps or max(gaps) - min(gaps) <= 1


@pytest.mark.parametrize(("total", "count"), [(0, 1), (5, 0), (-1, 3)])
def test_no_frames_out_of_nothing(total, count):
    with pytest.raises(ValueError, match="no"):
        frame_indices(total, count)


@pytest.mark.parametrize(
    ("span", "least", "wanted"),
    [
        ((10, 11), 2, (9.5, 11.5)),  # evenly
        ((10, 14), 2, (10, 14)),  # long enough
        ((0.2, 0.6), 2, (0, 2)),  # the beginning is near
        ((29.5, 30), 2, (28, 30)),  # the end is near
        ((3, 4), 40, (0, 30)),  # the segment is shorter than that
        ((31, 31.5), 2, (29.5, 31.5)),  # past the segment
    ],
)
def test_a_short_window_is_lengthened_within_its_segment(span, least, wanted):
    found = padded(Span(*span), least, first=0, last=30)
    assert (found.start, found.end) == pytest.approx(wanted)


@given(st.floats(0, 99), st.floats(0.05, 20), st.floats(0, 10))
def test_a_lengthened_window_holds_the_window_and_lies_in_the_segment(start, length, least):
    span = Span(start, min(100.0, start + length))
    found = padded(span, least, first=0, last=100)
    assert found.start <= span.start + 1e-9 and found.end >= span.end - 1e-9
    assert found.start >= 0 and found.end <= 100
    assert found.duration >= min(least, 100) - 1e-9 or found == span
