"""What is said of a box before it is saved."""

import pytest
from hypothesis import given

from annotation.domain.roi import Roi
from annotation.domain.roi_checks import checks, warnings
from tests.unit.annotation.domain.test_roi import rois

FRAME = {"width": 1280, "height": 720}
SCAN = Roi(0.4, 0.2, 0.4, 0.6)


def codes(roi: Roi, **more: Roi) -> set[str]:
    return {one["code"] for one in warnings(checks(roi, **FRAME, **more))}


@pytest.mark.parametrize(
    ("roi", "code"),
    [
        (Roi(0, 0, 1, 1), "whole"),
        (Roi(0, 0.1, 0.5, 0.5), "edge"),
        (Roi.from_pixels(100, 100, 301, 300, **FRAME), "odd"),
        (Roi.from_pixels(100, 100, 100, 300, **FRAME), "small"),
        (Roi.from_pixels(100, 100, 1100, 250, **FRAME), "slim"),
    ],
)
def test_each_fault_has_its_warning(roi, code):
    assert code in codes(roi)
    assert not codes(Roi.from_pixels(100, 100, 400, 300, **FRAME))


def test_a_frame_of_more_lines_is_scaled_down():
    found = checks(Roi(0.1, 0.1, 0.8, 0.8), width=1920, height=1080)

    assert "high" in {one.code for one in found}


def test_an_edge_through_the_scan_is_named_with_the_way_out():
    found = {one.code: one.text for one in checks(Roi(0.5, 0.1, 0.4, 0.8), **FRAME, scan=SCAN)}

    assert found["cuts"] == "Cuts the moving picture: move the left edge out by 128 px"
    assert "cuts" not in codes(Roi(0.4, 0.2, 0.4, 0.6), scan=SCAN)
    assert "cuts" not in codes(Roi(0.405, 0.2, 0.4, 0.6), scan=SCAN)  # as well as it can be seen


def test_a_box_beside_the_scan_or_far_larger_is_told():
    assert "misses" in codes(Roi(0, 0.1, 0.3, 0.5), scan=SCAN)
    assert "bigger" in codes(Roi(0.1, 0.1, 0.8, 0.8), suggested=SCAN)
    assert "bigger" not in codes(SCAN, suggested=SCAN)


@given(rois)
def test_whatever_the_box_every_warning_is_a_sentence_for_people(roi):
    found = checks(roi, **FRAME, suggested=SCAN, scan=SCAN)

    assert found[0].code == "inside"
    assert len({one.code for one in found}) == len(found)
    assert all(len(one.text) > 20 and "nan" not in one.text for one in found)
