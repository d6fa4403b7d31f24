"""Clips of one source: decoded once, fetched once, and no more of it than they need."""

import subprocess
import threading
from pathlib import Path

import numpy as np
import pytest

from annotation import clip_jobs, media, media_store, source_access
from annotation.domain.mp4_index import read_index
from annotation.media import ClipUnavailable, Shot
from annotation.models import ItemVersion
from sonovqa.adapters import byte_server, ffmpeg, ffmpeg_cuts, youtube
from sonovqa.adapters.ffmpeg_encode import encode
from sonovqa.adapters.ffmpeg_program import CutMismatchError, program
from tests import factories
from tests.standins.known_film import FPS, SECONDS, SIZE, frame, read_number
from tests.standins.media_server import MediaServer

YOUTUBE_ID = "abcdefghij0"
WINDOWS = [(1.0, 3.0), (2.2, 4.7), (4.0, 4.6), (6.9, 7.8)]


def versions_of(video, windows=WINDOWS) -> list[ItemVersion]:
    return [factories.current(factories.mcq_item(video, window=window)) for window in windows]


@pytest.fixture
def runs(monkeypatch) -> list[int]:
    """How many clips each run of ffmpeg cut."""
    done: list[int] = []
    real = ffmpeg_cuts.cut_together

    def counted(source, targets):
        done.append(len(targets))
        return real(source, targets)

    monkeypatch.setattr(ffmpeg_cuts, "cut_together", counted)
    return done


@pytest.fixture(scope="module")
def heavy_film(tmp_path_factory) -> Path:
    """The known film with noise at its lower edge, so that it has a true film's bytes."""
    target = tmp_path_factory.mktemp("heavy") / "heavy.mp4"
    noise = np.random.default_rng(4)

    def drawn(number: int) -> bytes:
        picture = np.array(frame(number))
        picture[220:] = noise.integers(0, 100, (SIZE[1] - 220, SIZE[0], 1), np.uint8)
        return picture.tobytes()

    encode((drawn(number) for number in range(SECONDS * FPS)), target, size=SIZE, fps=FPS, crf=26)
    return target


@pytest.fixture
def tube(db, store, heavy_film, tmp_path, monkeypatch):
    folder = tmp_path / "tube"
    folder.mkdir()
    (folder / f"{YOUTUBE_ID}.mp4").write_bytes(heavy_film.read_bytes())
    with MediaServer(folder) as server:
        site = youtube.Site(
            page=server.url + "/{id}.mp4",
            extractors=("generic",),
            hosts=("127.0.0.1",),
            schemes=("http",),
        )
        monkeypatch.setattr(source_access, "SITE", site)
        yield server


@pytest.fixture
def tube_video(tube):
    bench = factories.benchmark()
    source = factories.source(bench, key=YOUTUBE_ID)
    return factories.video(bench, of=source, start=1.0, end=9.0)


def first_and_last(clip: media.Clip) -> tuple[int, int]:
    jpegs = ffmpeg.frames(clip.path, [0, clip.frames - 1])
    return read_number(jpegs[0]), read_number(jpegs[1])


def assert_shows(clip: media.Clip, window: tuple[float, float], offset: float = 1.0) -> None:
    first, last = first_and_last(clip)
    assert abs(first - (window[0] + offset) * 25) <= 1
    assert abs(last - ((window[1] + offset) * 25 - 25 / 15)) <= 2


def test_overlapping_windows_are_decoded_once(filmed_video, runs):
    versions = versions_of(filmed_video)
    for version, window in zip(versions, WINDOWS, strict=True):
        assert_shows(media.clip(version, along=versions), window)
    assert runs == [3, 1]


def test_a_clip_cut_with_others_has_the_frames_of_one_cut_alone(filmed_video):
    versions = versions_of(filmed_video)
    together = media.clip(versions[1], along=versions)
    content = together.path.read_bytes()
    together.path.unlink()
    alone = media.clip(versions[1])
    assert alone.path == together.path and alone.frames == together.frames
    assert alone.path.read_bytes() == content


def test_one_bad_clip_spoils_no_other(filmed_video, monkeypatch):
    versions = versions_of(filmed_video)
    real = ffmpeg_cuts.cut_together

    def fails_at_the_second(source, targets):
        if any(abs(target.cut.start - 3.2) < 0.01 for target in targets):
            raise CutMismatchError("The clip lasts 1 s.")
        return real(source, targets)

    monkeypatch.setattr(ffmpeg_cuts, "cut_together", fails_at_the_second)
    assert_shows(media.clip(versions[0], along=versions), WINDOWS[0])
    with pytest.raises(ClipUnavailable, match="lasts"):
        media.clip(versions[1], along=versions)
    assert_shows(media.clip(versions[2]), WINDOWS[2])


def test_many_workers_cut_each_clip_once(filmed_video, runs, transactional_db):
    versions = versions_of(filmed_video, [(n / 2, n / 2 + 1.0) for n in range(8)])
    media.still(filmed_video, 1.0)  # the source's finding is stored
    threads = [
        threading.Thread(target=media.clip, args=(version,), kwargs={"along": versions})
        for version in versions
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(runs) == 8
    assert len(list((media_store.root() / "clips").rglob("*.mp4"))) == 8


def test_who_finds_its_clip_under_way_cuts_others_meanwhile(
    filmed_video, monkeypatch, transactional_db
):
    versions = versions_of(filmed_video)
    media.still(filmed_video, 1.0)  # the source's finding is stored
    monkeypatch.setattr(clip_jobs, "CUTTING", threading.BoundedSemaphore(2))
    real, begun, other = ffmpeg_cuts.cut_together, threading.Event(), threading.Event()

    def waits_for_the_other(source, targets):
        if len(targets) == 1:
            other.set()
        else:
            begun.set()
            assert other.wait(60), "the second asker sat idle"
        return real(source, targets)

    monkeypatch.setattr(ffmpeg_cuts, "cut_together", waits_for_the_other)
    found = {}

    def ask(place: int) -> None:
        found[place] = media.clip(versions[place], along=versions)

    first, second = (threading.Thread(target=ask, args=(place,)) for place in (0, 1))
    first.start()
    assert begun.wait(60)
    second.start()
    for thread in (first, second):
        thread.join(120)
    for place in (0, 1):
        assert_shows(found[place], WINDOWS[place])


def test_a_window_that_cannot_be_cut_does_not_hinder_its_neighbours(filmed_video):
    good, bad = versions_of(filmed_video, [(1.0, 2.0), (1.5, 2.5)])
    bad.video_start = 500.0
    assert media.clip(good, along=[good, bad]).frames == 15


def test_a_short_window_is_lengthened_where_that_is_asked(filmed_video):
    (version,) = versions_of(filmed_video, [(3.0, 3.42)])
    assert media.clip(version).duration == pytest.approx(0.42, abs=1 / 15)
    longer = media.clip(version, Shot(min_seconds=2.0))
    assert longer.duration == pytest.approx(2.0, abs=1 / 15)
    assert_shows(longer, (2.21, 4.21))
    assert media.frames(version, 1, Shot(min_seconds=2.0))


def test_a_window_at_the_end_is_lengthened_backwards(filmed_video):
    (version,) = versions_of(filmed_video, [(7.6, 8.0)])
    assert_shows(media.clip(version, Shot(min_seconds=2.0)), (6.0, 8.0))


# On the web.


def test_no_more_is_fetched_than_the_windows_need(tube_video, tube, heavy_film):
    content = heavy_film.read_bytes()
    index = read_index(lambda first, length: content[first : first + length], len(content))
    media.still(tube_video, 1.0)
    tube.sent = 0
    versions = versions_of(tube_video, [(4.2, 4.8), (4.4, 5.4)])
    for version, window in zip(versions, [(4.2, 4.8), (4.4, 5.4)], strict=True):
        assert_shows(media.clip(version, along=versions), window)
    needed = index.bytes_of(5.2, 6.4).length
    assert needed <= tube.sent <= needed + 32 * 1024 < len(content) / 2


def test_what_is_there_is_not_fetched_again(tube_video, tube):
    (version, other) = versions_of(tube_video, [(4.2, 4.8), (4.3, 4.7)])
    media.clip(version)
    sent = tube.sent
    media.clip(other)
    assert tube.sent == sent


@pytest.mark.parametrize("status", [403, 410])
def test_an_address_that_goes_stale_midway_is_looked_up_again(
    tube_video, tube, monkeypatch, status
):
    asked = []
    real = youtube.resolve
    monkeypatch.setattr(youtube, "resolve", lambda key, **kw: asked.append(key) or real(key, **kw))
    monkeypatch.setattr("annotation.source_parts.PIECE", 100_000)
    media.still(tube_video, 1.0)
    tube.refuse_after(3, status)
    (version,) = versions_of(tube_video, [(1.0, 7.0)])
    assert_shows(media.clip(version), (1.0, 7.0))
    assert len(asked) == 2
    ranges = [value for method, _, value in tube.asked if method == "GET" and value]
    begun = [value for value in ranges if not value.endswith("-")]
    assert len(begun) - len(set(begun)) <= 1  # the refused one alone was asked for twice


def test_a_broken_connection_is_taken_up_where_it_broke(tube_video, tube):
    media.still(tube_video, 1.0)
    tube.break_off = [3000, 500]
    (version,) = versions_of(tube_video, [(1.0, 7.0)])
    assert_shows(media.clip(version), (1.0, 7.0))


def test_a_server_without_ranges_is_refused_with_a_reason(tube_video, tube):
    media.still(tube_video, 1.0)
    tube.ranges = False
    with pytest.raises(ClipUnavailable, match="gives no parts"):
        media.clip(versions_of(tube_video, [(1.0, 2.0)])[0])


def test_a_film_without_an_index_is_read_from_its_address(tube_video, tube, heavy_film):
    command = [program(), "-nostdin", "-loglevel", "error", "-y", "-i", heavy_film, "-c", "copy"]
    target = tube.folder / f"{YOUTUBE_ID}.mp4"
    subprocess.run(
        [*command, "-movflags", "+frag_keyframe+empty_moov", target],
        check=True,
        stdin=subprocess.DEVNULL,
    )
    (version,) = versions_of(tube_video, [(1.0, 2.0)])
    assert_shows(media.clip(version), (1.0, 2.0))


def test_a_film_in_fragments_is_fetched_in_parts(tube_video, tube, heavy_film):
    target = tube.folder / f"{YOUTUBE_ID}.mp4"
    command = [program(), "-nostdin", "-loglevel", "error", "-y", "-i", heavy_film, "-c", "copy"]
    command += ["-movflags", "+dash+global_sidx", target]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    (version, other) = versions_of(tube_video, [(5.2, 5.8), (1.0, 1.8)])
    media.still(tube_video, 1.0)
    sent = tube.sent
    assert_shows(media.clip(version), (5.2, 5.8))
    assert tube.sent - sent < 0.6 * target.stat().st_size
    assert_shows(media.clip(other), (1.0, 1.8))


def test_another_file_at_the_address_is_fetched_anew(tube_video, tube, heavy_film):
    (version, other) = versions_of(tube_video, [(1.0, 1.5), (6.0, 7.0)])
    media.clip(version)
    longer = heavy_film.read_bytes() + b"\0\0\0\x10free12345678"
    (tube.folder / f"{YOUTUBE_ID}.mp4").write_bytes(longer)
    assert_shows(media.clip(other), (6.0, 7.0))


def test_a_worker_that_dies_leaves_what_it_cut_and_fetched(tube_video, tube, monkeypatch):
    versions = versions_of(tube_video, [(1.0, 2.0), (5.0, 6.0)])
    media.clip(versions[0])
    monkeypatch.setattr(clip_jobs, "_keep", lambda *_: (_ for _ in ()).throw(SystemExit()))
    with pytest.raises(SystemExit):
        media.clip(versions[1])
    monkeypatch.undo()
    sent = tube.sent
    monkeypatch.setattr(
        source_access, "SITE", youtube.Site(tube.url + "/{id}.mp4", ("generic",), ("127.0.0.1",))
    )
    assert clip_jobs.kept(media.clip(versions[0]).path.stem) is not None
    assert_shows(media.clip(versions[1]), (5.0, 6.0))
    assert tube.sent == sent
    assert not list((media_store.root() / "clips").rglob("*.part"))


def test_what_was_fetched_lies_where_others_cannot_read_it(tube_video):
    media.clip(versions_of(tube_video)[0])
    (kept,) = (media_store.root() / "parts").rglob("*.mp4")
    assert kept.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "location", ["http://example.org/x.mp4", "ftp://127.0.0.1/x", "file:///etc/passwd", ""]
)
def test_no_server_sends_us_elsewhere(tube, location):
    tube.redirect_to = location or "//"
    with (
        byte_server.ByteServer(tube.url + "/a.mp4", {}, hosts=("127.0.0.1",)) as server,
        pytest.raises(byte_server.PartRefusedError),
    ):
        server.read(byte_server.ByteRange(0, 10))


def test_the_crop_stays_where_it_was(filmed_video):
    filmed_video.roi_w = 1.0
    filmed_video.save()
    versions = versions_of(filmed_video)
    clip = media.clip(versions[0], along=versions)
    assert (clip.width, clip.height) == SIZE and isinstance(clip.path, Path)
