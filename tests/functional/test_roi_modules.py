"""The pure modules of the ROI editor, imported into real Chromium."""

import random
from typing import Any

import pytest

from annotation.domain import roi_checks
from annotation.domain.roi import Roi

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]
SIZES = [(1280, 720), (640, 480), (1918, 1079), (720, 1280)]


def boxes(count: int) -> list[dict[str, Any]]:
    rng = random.Random(7)
    cases = []
    for _ in range(count):
        width, height = rng.choice(SIZES)
        w, h = rng.randint(24, width), rng.randint(24, height)
        x, y = rng.randint(0, width - w), rng.randint(0, height - h)
        box = {"x": x / width, "y": y / height, "w": w / width, "h": h / height}
        cases.append({"box": box, "frame": {"w": width, "h": height}, "px": [x, y, w, h]})
    return cases


def test_the_page_and_the_server_agree_on_pixels_and_on_the_cut(run):
    cases = boxes(400)
    script = "return arg.map(({ box, frame }) => [m.toPixels(box, frame), m.cut(box, frame)]);"

    for case, (pixels, cut) in zip(cases, run("roi/geometry", script, cases), strict=True):
        size = {"width": case["frame"]["w"], "height": case["frame"]["h"]}
        roi = Roi(**case["box"])
        even = roi.cut(**size)
        assert [pixels[side] for side in "xywh"] == case["px"] == list(roi.to_pixels(**size))
        assert [cut[side] for side in "xywh"] == [even.x, even.y, even.w, even.h]


def test_whatever_is_dragged_stays_inside_and_moves_its_edges_alone(run):
    script = """
        const wrong = [];
        const most = 1 + 1e-9;
        const inside = ({ x, y, w, h }) => x >= 0 && y >= 0 && x + w <= most && y + h <= most;
        for (const { box, frame, by } of arg) {
            for (const handle of m.HANDLES) {
                const { x, y } = m.edgesOf(handle), to = m.resize(box, handle, ...by, frame);
                const near = (a, b) => Math.abs(a - b) < 1e-9;
                const right = box.x + box.w, bottom = box.y + box.h;
                const keeps = (x <= 0 || near(to.x, box.x)) && (x >= 0 || near(to.x + to.w, right))
                    && (y <= 0 || near(to.y, box.y)) && (y >= 0 || near(to.y + to.h, bottom))
                    && (x !== 0 || (to.x === box.x && to.w === box.w))
                    && (y !== 0 || (to.y === box.y && to.h === box.h));
                const large = to.w * frame.w >= 15.999 && to.h * frame.h >= 15.999;
                if (!keeps || !large || !inside(to)) wrong.push({ box, handle, to, keeps, large });
            }
            const moved = m.move(box, ...by, frame);
            const kept = moved.w === box.w && moved.h === box.h;
            if (!kept || !inside(moved)) wrong.push({ box, moved });
        }
        return wrong;
    """
    rng = random.Random(11)
    cases = [
        {**case, "by": [rng.uniform(-1.5, 1.5), rng.uniform(-1.5, 1.5)]} for case in boxes(150)
    ]

    assert run("roi/geometry", script, cases) == []


def test_one_pixel_there_and_back_is_the_same_box(run):
    script = """
        const box = { x: 0.459016, y: 0.297917, w: 0.440281, h: 0.4375 };
        const frame = { w: 1280, h: 720 };
        const there = m.move(box, 1 / 1280, 0, frame);
        const back = m.move(there, -1 / 1280, 0, frame);
        return [...[box, there, back].map((one) => m.toPixels(one, frame)), there.w === box.w];
    """
    first, there, back, kept = run("roi/geometry", script)

    assert there["x"] == first["x"] + 1
    assert back == first
    assert kept


def test_letterboxing_centres_the_picture(run):
    script = "return [m.fit(1600, 900, 4 / 3), m.fit(400, 900, 16 / 9), m.fit(1600, 900, 16 / 9)];"
    wide, tall, equal = run("player/crop", script)

    assert wide == {"x": 200, "y": 0, "w": 1200, "h": 900}
    assert tall == {"x": 0, "y": 337.5, "w": 400, "h": 225}
    assert equal == {"x": 0, "y": 0, "w": 1600, "h": 900}


def test_the_crop_fills_its_frame_with_the_box_alone(run):
    script = """
        return m.cropped(800, 450, { w: 640, h: 360 }, { x: 0.25, y: 0.25, w: 0.5, h: 0.5 });
    """
    assert run("player/crop", script) == {
        "frame": {"x": 0, "y": 0, "w": 800, "h": 450},
        "picture": {"x": -400, "y": -225, "w": 1600, "h": 900},
    }


def test_undo_takes_back_a_row_of_small_steps_at_once(run):
    script = """
        let h = m.begin(0);
        for (const at of [0, 100, 200]) h = m.step(h, at + 1, "keys", at);
        h = m.step(h, 999, "drag 5", 5000);
        h = m.step(h, 1000, "drag 5", 9000);
        const one = m.back(h), two = m.back(one), three = m.back(two);
        return [one.now, two.now, three.now];
    """
    assert run("roi/history", script) == [201, 0, 0]


def test_a_picture_that_goes_on_beyond_the_box_is_seen(run):
    script = """
        const width = 100, height = 100, light = new Uint8Array(width * height);
        for (let y = 30; y < 70; y += 1) light.fill(200, y * width + 30, y * width + 70);
        const image = { width, height, light };
        return arg.map(([x, y, w, h]) => m.crossed(image, { x, y, w, h }));
    """
    boxes = [[0.2, 0.2, 0.6, 0.6], [0.5, 0.2, 0.4, 0.6], [0.2, 0.5, 0.6, 0.5], [0, 0, 1, 1]]

    assert run("roi/picture", script, boxes) == [[], ["left"], ["top"], []]


def test_the_page_says_of_a_box_what_the_server_says(run):
    near = random.Random(3)
    cases = []
    for case in boxes(250):
        size = case["frame"]
        x, y, w, h = (min(1.0, part * near.uniform(0.5, 1.3)) for part in case["box"].values())
        scan = {"x": x, "y": y, "w": max(0.02, min(w, 1 - x)), "h": max(0.02, min(h, 1 - y))}
        if x > 0.98 or y > 0.98:
            scan = None
        cases.append({"box": case["box"], "frame": size, "seen": {"roi": scan, "scan": scan}})
    script = "return arg.map(({ box, frame, seen }) => m.checksOf(box, frame, seen));"

    said = run("roi/checks", script, cases)

    for case, page in zip(cases, said, strict=True):
        scan = Roi(**case["seen"]["scan"]) if case["seen"]["scan"] else None
        size = {"width": case["frame"]["w"], "height": case["frame"]["h"]}
        server = roi_checks.checks(Roi(**case["box"]), **size, suggested=scan, scan=scan)
        assert [(one["good"], one["text"]) for one in page] == [(c.good, c.text) for c in server]


def test_what_the_stills_say_of_a_box(run):
    film = "return arg.map(([crossing, looked]) => m.filmChecks({ crossing, looked }));"

    none, some, all_inside = run("roi/checks", film, [[0, 0], [1, 6], [0, 6]])

    assert none == []
    assert "1 of 6 stills: move that edge out" in some[0]["text"]
    assert all_inside == [
        {"good": True, "text": "The picture ends inside the box in 6 of 6 stills"}
    ]


def test_the_film_has_six_times_of_clip_and_segment(run):
    script = "return arg.map(([duration, start, end]) => m.timesOf(duration, { start, end }));"
    cases = [[60, 5, 7], [60, 0, 60], [20, 19, 20.35], [1.2, 0.1, 0.52], [600, 300, 301]]

    for (duration, start, end), times in zip(cases, run("roi/film", script, cases), strict=True):
        assert times == sorted(set(times))
        assert 5 <= len(times) <= 6
        assert all(0 <= time <= duration for time in times)
        assert sum(start - 0.01 <= time <= end + 0.01 for time in times) >= 2


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0.5", 0.5),
        (" 0,5 ", 0.5),
        (".5", 0.5),
        ("12", 12),
        ("1e3", None),
        ("-1", None),
        ("", None),
    ],
)
def test_typed_numbers_are_read(run, text, number):
    assert run("roi/fields", "return m.readNumber(arg)", text) == number
