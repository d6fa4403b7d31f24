"""Where the scan stands: on screens drawn here, of which the truth is known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.domain.roi import Roi
from annotation.domain.roi_suggestion import (
    BURSTS as LOOKS,
)
from annotation.domain.roi_suggestion import (
    FRAMES,
    RATE,
    SURE,
    burst_times,
    looked_at,
    suggest,
)

HEIGHT, WIDTH, BURSTS, LONG = 180, 320, 6, 3
RNG = np.random.default_rng(5)


def screen(ground: int = 20) -> np.ndarray:
    return np.full((BURSTS, LONG, HEIGHT, WIDTH, 3), ground, np.uint8)


def sector(frames: np.ndarray, top: int, left: int, height: int, width: int) -> None:
    """Draw speckle that is new in every frame, without colour, in a sector."""
    y, x = np.mgrid[0:height, 0:width]
    inside = np.abs(x - width / 2) <= (0.25 + 0.75 * y / height) * width / 2
    for burst in frames:
        for frame in burst:
            speckle = RNG.integers(20, 230, (height, width)).astype(np.uint8)
            patch = frame[top : top + height, left : left + width]
            patch[inside] = speckle[inside][:, None]


def hand(frames: np.ndarray, top: int, left: int, height: int, width: int) -> None:
    """Draw a smooth, coloured shape that moves from frame to frame."""
    y, x = np.mgrid[0:height, 0:width]
    for number, burst in enumerate(frames):
        for step, frame in enumerate(burst):
            centre = width * (0.3 + 0.1 * np.sin(number * 3 + step))
            near = np.hypot(x - centre, y - height / 2) < height / 3
            patch = frame[top : top + height, left : left + width]
            patch[:] = (70, 60, 60)
            patch[near] = (190, 120, 100)


def captions(frames: np.ndarray, *, every: int = 2) -> None:
    """Letters that change with every so many bursts, and menus that never do."""
    menu = RNG.integers(0, 255, (12, 60)).astype(np.uint8)
    for number, burst in enumerate(frames):
        if number % every == 0:
            letters = RNG.integers(0, 255, (6, 100)).astype(np.uint8)
        burst[:, 4:16, 8:68] = menu[..., None]
        burst[:, 168:174, 20:120] = letters[..., None]


def box(top: int, left: int, height: int, width: int) -> Roi:
    return Roi.from_pixels(left, top, width, height, width=WIDTH, height=HEIGHT)


PLACE = (40, 150, 110, 130)


def test_a_sector_on_black_is_found_with_its_margins_cut_away():
    frames = screen(0)
    sector(frames, *PLACE)
    captions(frames)

    found = suggest(frames)

    assert found.roi is not None
    assert found.confidence >= SURE
    assert found.roi.iou(box(*PLACE)) > 0.8


@pytest.mark.parametrize("pane_left", [130, 10])
def test_of_a_split_screen_the_ultrasound_pane_is_chosen(pane_left):
    frames = screen(40)
    pane = (24, pane_left, 140, 180)
    frames[:, :, 24:164, pane_left : pane_left + 180] = 4
    sector(frames, 40, pane_left + 30, 110, 120)
    hand(frames, 24, 10 if pane_left == 130 else 200, 140, 110)
    captions(frames)

    found = suggest(frames)

    assert found.roi is not None
    assert found.roi.iou(box(*pane)) > 0.9
    assert found.scan is not None
    assert found.scan.iou(box(40, pane_left + 30, 110, 120)) > 0.7


def test_a_light_slide_around_the_scan_is_left_out():
    frames = screen(235)
    sector(frames, *PLACE)
    captions(frames)

    found = suggest(frames)

    assert found.roi is not None
    assert found.roi.iou(box(*PLACE)) > 0.7


def test_title_cards_in_between_do_not_hide_the_scan():
    frames = screen(0)
    sector(frames, *PLACE)
    frames[1] = frames[4] = 12

    found = suggest(frames)

    assert found.roi is not None
    assert found.roi.iou(box(*PLACE)) > 0.7


def test_two_scans_side_by_side_are_not_chosen_between():
    frames = screen(0)
    sector(frames, 40, 10, 110, 120)
    sector(frames, 40, 190, 110, 120)

    found = suggest(frames)

    assert found.roi is None
    assert "More than one part" in found.reason


NOTHING = {
    "black": (lambda: screen(0), "Nothing moves"),
    "white": (lambda: screen(255), "Nothing moves"),
    "static": (
        lambda: np.broadcast_to(
            RNG.integers(0, 255, (HEIGHT, WIDTH, 3), np.uint8), screen().shape
        ).copy(),
        "Nothing moves",
    ),
    "noise": (
        lambda: np.repeat(RNG.integers(0, 255, (*screen().shape[:4], 1), np.uint8), 3, axis=4),
        "all over the frame",
    ),
    "one frame": (lambda: screen()[:1, :1], "too few frames"),
    "no frame": (lambda: screen()[:0], "too few frames"),
    "tiny": (lambda: screen()[:, :, :6, :6], "too few frames"),
}


@pytest.mark.parametrize("name", NOTHING)
def test_hostile_frames_give_a_reason_and_no_box(name):
    make, reason = NOTHING[name]

    found = suggest(make())

    assert found.roi is None
    assert found.scan is None
    assert reason in found.reason


def test_moving_captions_alone_are_no_scan():
    frames = screen(0)
    captions(frames, every=1)

    assert suggest(frames).roi is None


def test_a_filmed_hand_alone_is_no_scan():
    frames = screen(40)
    hand(frames, 0, 0, HEIGHT, WIDTH)

    assert suggest(frames).roi is None


@pytest.mark.parametrize("shape", [(2, 2, 40, 40), (2, 2, 40, 40, 4)])
def test_other_shapes_are_refused(shape):
    with pytest.raises(ValueError, match="bursts"):
        suggest(np.zeros(shape, np.uint8))


@settings(max_examples=12, deadline=None)
@given(st.integers(4, 60), st.integers(4, 150), st.integers(60, 110), st.integers(70, 160))
def test_wherever_the_sector_stands_it_is_found(top, left, height, width):
    frames = screen(0)[:3]
    sector(frames, top, left, height, width)

    found = suggest(frames)

    assert found.roi is not None
    assert found.roi.iou(box(top, left, height, width)) > 0.6


@given(st.floats(-10, 5000), st.floats(0.1, 4000))
def test_bursts_lie_within_the_video_in_order(start, length):
    end = start + length

    times = burst_times(start, end)

    assert len(times) == LOOKS
    assert times == sorted(times)
    assert times[0] >= 0
    if length > FRAMES / RATE and start >= 0:
        assert times[0] >= start
        assert times[-1] + FRAMES / RATE <= end + 1e-6


@pytest.mark.parametrize(
    ("size", "small"),
    [((1280, 720), (480, 270)), ((720, 1280), (270, 480)), ((320, 240), (320, 240))],
)
def test_a_frame_is_looked_at_small_in_its_shape(size, small):
    assert looked_at(*size) == small
