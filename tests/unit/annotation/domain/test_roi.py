import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.roi import PROPS, SMALLEST_SHARE, Roi

SIZES = [(1280, 720), (640, 480), (1920, 1080), (854, 480), (720, 1280), (1918, 1079)]


@st.composite
def drawn(draw: st.DrawFn) -> tuple[tuple[int, int, int, int], tuple[int, int]]:
    """A box of whole pixels as an editor draws it, and its frame."""
    width, height = draw(st.sampled_from(SIZES))
    w, h = draw(st.integers(24, width)), draw(st.integers(24, height))
    x, y = draw(st.integers(0, width - w)), draw(st.integers(0, height - h))
    return (x, y, w, h), (width, height)


rois = drawn().map(lambda it: Roi.from_pixels(*it[0], width=it[1][0], height=it[1][1]))


@given(drawn())
def test_a_drawn_box_survives_the_file_and_is_drawn_equal(case):
    pixels, (width, height) = case
    roi = Roi.from_pixels(*pixels, width=width, height=height)

    read = Roi.from_props(json.loads(json.dumps(roi.props())))

    assert read == roi
    assert read.to_pixels(width=width, height=height) == pixels


@given(drawn())
def test_six_decimals_of_a_file_are_drawn_in_the_same_pixels(case):
    pixels, (width, height) = case
    roi = Roi.from_pixels(*pixels, width=width, height=height)

    rounded = Roi.from_props({name: round(value, 6) for name, value in roi.props().items()})

    assert rounded.to_pixels(width=width, height=height) == pixels


@given(drawn())
def test_the_cut_is_even_inside_the_frame_and_near_the_box(case):
    (x, y, w, h), (width, height) = case
    roi = Roi.from_pixels(x, y, w, h, width=width, height=height)

    box = roi.cut(width=width, height=height)

    assert not any(number % 2 for number in (box.x, box.y, box.w, box.h))
    assert box.x + box.w <= width
    assert box.y + box.h <= height
    assert max(abs(box.x - x), abs(box.y - y)) <= 2
    assert max(abs(box.w - w), abs(box.h - h)) <= 3


@given(rois, rois)
def test_iou_is_symmetric_and_between_0_and_1(one, other):
    assert one.iou(other) == pytest.approx(other.iou(one))
    assert 0 <= one.iou(other) <= 1


@given(rois)
def test_iou_with_itself_is_1(roi):
    assert roi.iou(roi) == pytest.approx(1)


def test_iou_of_known_boxes():
    left, right = Roi(0, 0, 0.5, 1), Roi(0.25, 0, 0.5, 1)

    assert left.iou(right) == pytest.approx(1 / 3)
    assert Roi(0, 0, 0.25, 1).iou(Roi(0.5, 0, 0.25, 1)) == 0


@pytest.mark.parametrize(
    ("box", "field"),
    [
        ((-0.01, 0, 0.5, 0.5), "x must be from 0 to 1"),
        ((0, 1.2, 0.5, 0.5), "y must be from 0 to 1"),
        ((0, 0, 0, 0.5), "w must be at least"),
        ((0, 0, 0.5, SMALLEST_SHARE / 2), "h must be at least"),
        ((0.6, 0, 0.5, 0.5), r"x \+ w must not pass 1"),
        ((0, 0.51, 0.5, 0.5), r"y \+ h must not pass 1"),
        ((math.nan, 0, 0.5, 0.5), "x must be from 0 to 1"),
        ((0, math.inf, 0.5, 0.5), "y must be from 0 to 1"),
        (("0.1", 0, 0.5, 0.5), "x must be a number"),
        ((True, 0, 0.5, 0.5), "x must be a number"),
        ((None, 0, 0.5, 0.5), "x must be a number"),
    ],
)
def test_a_box_that_is_none_is_refused_by_name(box, field):
    with pytest.raises(ValueError, match=field):
        Roi(*box)


def test_a_rounding_beyond_the_frame_is_forgiven():
    assert Roi(0.333334, 0, 0.666667, 1).w == 0.666667


def test_a_file_without_a_side_is_refused_by_name():
    with pytest.raises(ValueError, match="w_prop, h_prop missing"):
        Roi.from_props({"x_prop": 0, "y_prop": 0})


def test_the_published_boxes_are_boxes(rex):
    metadata = json.loads((rex / "video_metadata_new.json").read_text())

    for video in metadata.values():
        assert Roi.from_props(video["roi"]).props() == {p: video["roi"][p] for p in PROPS}
