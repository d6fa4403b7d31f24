"""The demo benchmark: what it holds, that it repeats, that nothing gives its answers away."""

import hashlib
import json
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from django.core.management import call_command

from annotation.domain.shortcuts import score_rules
from annotation.models import Benchmark, Event, Item, Release, Revision, Source, Video
from annotation.phantom import demo, reels
from annotation.phantom.bmode import heart_beat
from annotation.phantom.film import FPS, HEIGHT, WIDTH, Film
from annotation.phantom.layout import layout, mcq_rows
from annotation.phantom.reels import CARD, REELS, make_reels
from annotation.phantom.script import RESTING, TYPES, controls_at, frozen_since
from sonovqa.adapters import ffmpeg

SCENES = [scene for reel in REELS for scene in reel.scenes]
SCRIPTS = [scene.script for scene in SCENES]
named = pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.script.name)
MCQS = [item for script in SCRIPTS for item in script.mcq]


def drawn(scene, seconds) -> np.ndarray:
    film = Film(scene)
    for before in (0.2, 0.1):
        film.frame(max(0.0, seconds - before))
    return film.frame(seconds)


def ultrasound(scene, picture) -> np.ndarray:
    x, y, w, h = scene.roi
    rows = slice(round(y * HEIGHT), round((y + h) * HEIGHT))
    return picture[rows, round(x * WIDTH) : round((x + w) * WIDTH)].astype(float)


@named
def test_a_script_is_told_in_order_within_40_to_90_seconds(scene):
    script = scene.script
    assert 40 <= script.duration <= 90
    assert script.steps[0].start == 0 and script.steps[-1].end <= script.duration
    for before, after in pairwise(script.steps):
        assert before.start < before.end <= after.start
    for step in script.steps:
        for change in step.changes:
            assert change.control in RESTING
            assert step.start + change.after + change.over <= step.end, (step.action, change)


@named
def test_items_refer_to_steps_of_their_video(scene):
    script = scene.script
    assert len(script.mcq) == 4 and len(script.free) == 3
    for item in (*script.mcq, *script.free):
        assert 0 <= item.first <= item.last < len(script.steps)
        assert item.kind in TYPES


def test_every_kind_of_happening_is_shown():
    changed = {c.control for script in SCRIPTS for step in script.steps for c in step.changes}
    assert {"slide", "rotate", "depth", "gain", "doppler", "freeze", "press"} <= changed


def test_there_are_items_of_all_types_and_both_kinds():
    for items in (MCQS, [item for script in SCRIPTS for item in script.free]):
        assert set(Counter(item.kind for item in items)) == {1, 2, 3}
    assert len(MCQS) >= 18 and sum(len(script.free) for script in SCRIPTS) >= 18


def test_key_positions_are_even():
    assert set(Counter(item.key for item in MCQS).values()) == {len(MCQS) // 4}


def rank(item, measure) -> int:
    """Return how many options of `item` measure more than its key."""
    return sum(measure(option) > measure(item.options[item.key]) for option in item.options)


def test_neither_length_nor_words_give_the_key_away():
    chance, most = len(MCQS) / 4, len(MCQS) / 4 + 4
    for measure in (len, lambda text: len(text.split()), lambda text: text.count(",")):
        longest = sum(rank(item, measure) == 0 for item in MCQS if _differ(item, measure))
        shortest = sum(
            rank(item, lambda text, m=measure: -m(text)) == 0
            for item in MCQS
            if _differ(item, measure)
        )
        assert longest <= most and shortest <= most, (measure, longest, shortest, chance)


def _differ(item, measure) -> bool:
    return len({measure(option) for option in item.options}) > 1


def test_options_are_of_one_cut():
    for item in MCQS:
        lengths = [len(option) for option in item.options]
        assert max(lengths) <= 1.5 * min(lengths), item.stem
        assert len(set(item.options)) == 4
        for option in item.options:
            assert option[0].isupper() and option[-1] not in ".,;:!?"
            assert option.isascii()


def test_the_rules_that_beat_the_published_set_stay_near_chance_here():
    scores = score_rules([(item.options, item.key) for item in MCQS])
    assert {score.name for score in scores} >= {"shortest", "longest", "punctuation-length"}
    for score in scores:
        assert score.correct <= len(MCQS) / 4 + 4, score


def test_controls_move_smoothly_and_end_where_told():
    script = SCRIPTS[0]
    press = [controls_at(script, t)["press"] for t in np.arange(0, 20, 0.1)]
    assert press[0] == 0 and press[-1] == 1
    assert all(a <= b for a, b in pairwise(press))
    assert max(b - a for a, b in pairwise(press)) < 0.1


def test_a_frozen_picture_stands_still_until_the_end():
    scene = SCENES[0]
    since = frozen_since(scene.script, 45.9)
    assert since is not None and frozen_since(scene.script, since - 0.1) is None
    film = Film(scene)
    film.frame(since)
    before = ultrasound(scene, film.frame(since + 0.2))
    after = ultrasound(scene, film.frame(since + 1.8))
    assert np.array_equal(before, after)


def test_the_heart_beats():
    beat = [heart_beat(t) for t in np.arange(0, 5, 1 / FPS)]
    assert min(beat) >= 0 and max(beat) <= 1 and max(beat) - min(beat) > 0.7


def test_pressure_brings_the_vessel_out_of_the_shadow():
    scene = SCENES[0]
    hidden, clear = (ultrasound(scene, drawn(scene, t)) for t in (2.0, 15.2))
    behind_gas = (slice(190, 330), slice(200, 300))
    assert clear[behind_gas].mean() > 1.5 * hidden[behind_gas].mean()


def test_a_lower_gain_darkens_the_picture_and_colour_is_colour():
    scene = next(s for s in SCENES if s.script.name == "Abdominal_Aorta_Part_2")
    bright, normal = (ultrasound(scene, drawn(scene, t)) for t in (3.0, 10.8))
    assert bright.mean() > 1.4 * normal.mean()
    gray, coloured = normal, ultrasound(scene, drawn(scene, 14.0))
    spread = [np.ptp(picture[150:250, 180:340], axis=2).max() for picture in (gray, coloured)]
    assert spread[0] < 10 and spread[1] > 150


@named
def test_frames_repeat_to_the_byte(scene):
    digests = [hashlib.sha256(drawn(scene, 12.0).tobytes()).hexdigest() for _ in range(2)]
    assert digests[0] == digests[1]


def test_the_events_of_the_files_are_the_steps_of_the_scripts():
    files = layout()
    for reel in REELS:
        for start, scene in zip(reel.starts(), reel.scenes, strict=True):
            script = scene.script
            events = files[f"gt_all/gt_{script.name}.json"]
            assert [(e["start"], e["end"]) for e in events] == [
                (s.start, s.end) for s in script.steps
            ]
            meta = files["video_metadata_new.json"][script.name]
            assert meta["start_time"] == start
            assert meta["end_time"] - start == pytest.approx(script.duration)


def test_two_videos_share_a_source_and_none_overlap():
    (shared,) = [reel for reel in REELS if len(reel.scenes) > 1]
    first, second = shared.starts()
    assert first == CARD
    assert second == first + shared.scenes[0].script.duration + CARD


def test_windows_are_those_of_events():
    for script in SCRIPTS:
        for item, row in zip(script.mcq, mcq_rows(script), strict=True):
            assert row["time_start"] == script.steps[item.first].start
            assert row["time_end"] == script.steps[item.last].end


# The benchmark itself. The reels are stood for by files with the right stamp: drawing all of
# them is measured by benchmarks/phantom_rate.py.


@pytest.fixture
def reels_in_place(store, film):
    folder = store / "sources" / "phantom"
    folder.mkdir()
    for reel in REELS:
        (folder / f"{reel.name}.mp4").write_bytes(film.read_bytes())
    (folder / "STAMP").write_text(reels.stamp(), encoding="utf-8")
    return folder


def test_the_demo_is_a_benchmark_with_a_release(db, reels_in_place, capsys):
    call_command("make_demo")
    bench = Benchmark.objects.get(slug="phantom")
    assert Video.objects.count() == 6 and Source.objects.count() == 5
    assert Item.objects.count() == 42 and Event.objects.count() >= 40
    release = Release.objects.get(tag="r1", benchmark=bench)
    assert (release.kept_mcq, release.kept_free) == (21, 15)
    assert Item.objects.filter(keep__isnull=True).count() == 6
    assert set(Item.objects.filter(keep=True).values_list("keep_source", flat=True)) == {"import"}
    assert bench.description and bench.attribution
    assert "r1" in capsys.readouterr().out


def test_a_second_call_changes_nothing(db, reels_in_place, capsys):
    call_command("make_demo")
    before = Revision.objects.count(), Item.objects.count()
    capsys.readouterr()
    call_command("make_demo", json=True)
    assert json.loads(capsys.readouterr().out) == {
        "benchmark": "phantom",
        "drawn": [],
        "import": None,
    }
    assert (Revision.objects.count(), Item.objects.count()) == before


def test_what_is_missing_of_the_demo_comes_back(db, reels_in_place, store):
    demo.make_demo()
    (store / "phantom" / "video_metadata_new.json").unlink()
    again = demo.make_demo()
    assert again.report is not None and again.report.ok
    assert Item.objects.count() == 42 and Release.objects.count() == 1


def test_key_places_as_shown_are_balanced(db, reels_in_place):
    demo.make_demo()
    items = Item.objects.filter(kind="mcq").select_related("current")
    shown = Counter(item.current.shown_order.index(item.current.key_index) for item in items)
    assert set(shown.values()) == {6}


def test_a_reel_is_drawn_small_whole_and_to_the_byte(tmp_path, monkeypatch):
    short = replace(SCENES[3], script=replace(SCENES[3].script, duration=2.0))
    monkeypatch.setattr(reels, "REELS", (reels.Reel("short", (short,)),))
    for name in ("a.mp4", "b.mp4"):
        reels.make_reel(0, tmp_path / name)
    found = ffmpeg.probe(ffmpeg.local_file(tmp_path / "a.mp4"), count_frames=True)
    assert (found.width, found.height, found.fps) == (WIDTH, HEIGHT, FPS)
    assert found.frames == (CARD + 2.0) * FPS
    assert (tmp_path / "a.mp4").read_bytes() == (tmp_path / "b.mp4").read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {"a.mp4", "b.mp4"}


def test_reels_in_place_are_left_alone(reels_in_place):
    assert make_reels(reels_in_place) == []


def test_another_stamp_means_that_they_are_drawn_again(reels_in_place, monkeypatch):
    asked = []

    class Pool:
        def __init__(self, *args, **options):
            """Nothing is started."""

        def __enter__(self):
            return self

        def __exit__(self, *exc):
            """Nothing to end."""

        def map(self, work, *values):
            asked.extend(zip(*values, strict=True))
            return []

    monkeypatch.setattr(reels, "ProcessPoolExecutor", Pool)
    (reels_in_place / "STAMP").write_text("older")
    assert len(make_reels(reels_in_place)) == len(asked) == 5
    assert (reels_in_place / "STAMP").read_text() == reels.stamp()
