"""Cuts, stills, frames and probes with the real ffmpeg."""

import hashlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.domain.clips import capped_size, frame_count, pixel_box
from sonovqa.adapters import ffmpeg, ffmpeg_cuts
from sonovqa.adapters.ffmpeg_encode import encode
from tests.standins.known_film import BOX, FPS, SECONDS, SIZE, bright_box, read_number
from tests.standins.media_server import MediaServer

WHOLE = (0, 0, SIZE[0], SIZE[1])


def cut(film: Path, target: Path, start: float, duration: float, crop=WHOLE, fps=FPS):
    wanted = ffmpeg.Cut(
        start=start,
        duration=duration,
        crop=crop,
        size=(crop[2], crop[3]),
        fps=fps,
        frames=frame_count(duration, fps),
    )
    return ffmpeg_cuts.cut(ffmpeg.local_file(film), wanted, target)


def test_a_film_is_probed(known_film):
    found = ffmpeg.probe(ffmpeg.local_file(known_film), count_frames=True)
    assert (found.width, found.height, found.fps) == (*SIZE, FPS)
    assert found.frames == SECONDS * FPS
    assert found.duration == pytest.approx(SECONDS, abs=0.05)


@pytest.mark.parametrize("start", [0.0, 0.42, 1.0, 3.333, 4.98, 7.7])
def test_a_cut_starts_within_one_frame_of_the_asked_time(known_film, tmp_path, start):
    cut(known_film, tmp_path / "c.mp4", start, 1.2)
    first = read_number(ffmpeg.frames(tmp_path / "c.mp4", [0])[0])
    assert abs(first - start * FPS) <= 1


def test_a_cut_ends_within_one_frame_of_the_asked_time(known_film, tmp_path):
    found = cut(known_film, tmp_path / "c.mp4", 2.5, 3.3)
    last = read_number(ffmpeg.frames(tmp_path / "c.mp4", [found.frames - 1])[0])
    assert abs(last - (5.8 * FPS - 1)) <= 1
    assert found.duration == pytest.approx(3.3, abs=1 / FPS)


@pytest.mark.parametrize("duration", [0.42, 0.07, 1.0, 8.81])
def test_a_cut_lasts_as_asked_to_one_frame_at_another_rate(known_film, tmp_path, duration):
    found = cut(known_film, tmp_path / "c.mp4", 1.0, duration, fps=15)
    assert abs(found.duration - duration) <= 1 / 15
    assert found.fps == 15


def test_a_cut_past_the_end_is_refused(known_film, tmp_path):
    with pytest.raises(ffmpeg.CutMismatchError, match="lasts"):
        cut(known_film, tmp_path / "c.mp4", SECONDS - 0.5, 2.0)
    with pytest.raises(ffmpeg.FfmpegError):
        cut(known_film, tmp_path / "d.mp4", SECONDS + 3.0, 2.0)


def test_a_crop_lies_within_two_pixels(known_film, tmp_path):
    x, y, w, h = BOX
    roi = ((x - 21) / SIZE[0], (y - 13) / SIZE[1], (w + 43) / SIZE[0], (h + 27) / SIZE[1])
    box = pixel_box(roi, width=SIZE[0], height=SIZE[1])
    cut(known_film, tmp_path / "c.mp4", 1.0, 0.5, crop=(box.x, box.y, box.w, box.h))
    left, top, right, bottom = bright_box(ffmpeg.frames(tmp_path / "c.mp4", [2])[0])
    assert abs(left - 21) <= 2 and abs(top - 13) <= 2
    assert abs(right - left - w) <= 2 and abs(bottom - top - h) <= 2


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    roi=st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0.0, 1), st.floats(0.0, 1)),
    cap=st.integers(40, 200),
)
def test_any_box_can_be_cut(known_film, tmp_path, roi, cap):
    box = pixel_box(roi, width=SIZE[0], height=SIZE[1])
    size = capped_size(box.w, box.h, max_height=cap)
    wanted = ffmpeg.Cut(1.0, 0.2, (box.x, box.y, box.w, box.h), size, 15, 3)
    found = ffmpeg_cuts.cut(ffmpeg.local_file(known_film), wanted, tmp_path / "c.mp4")
    assert (found.width, found.height) == size


def test_a_cut_is_muted_and_the_same_bytes_each_time(known_film, tmp_path):
    with_sound = tmp_path / "sound.mp4"
    ffmpeg.run(
        [ffmpeg.program(), "-nostdin", "-v", "error", "-i", str(known_film), "-f", "lavfi", "-t",
         "10", "-i", "sine", "-c:v", "copy", "-shortest", str(with_sound)],
        timeout=60,
    )  # fmt: skip
    digests = []
    for name in ("a.mp4", "b.mp4"):
        cut(with_sound, tmp_path / name, 2.0, 2.0)
        digests.append(hashlib.sha256((tmp_path / name).read_bytes()).hexdigest())
    assert digests[0] == digests[1]
    said = [ffmpeg.program(), "-i", str(tmp_path / "a.mp4"), "-f", "null", "-"]
    listed = ffmpeg.run(said, timeout=60)
    assert "Audio:" not in listed.split("Output #0")[0]


def test_a_still_shows_the_frame_of_its_time(known_film, tmp_path):
    ffmpeg.still(ffmpeg.local_file(known_film), 6.0, tmp_path / "s.jpg")
    assert abs(read_number((tmp_path / "s.jpg").read_bytes()) - 6 * FPS) <= 1


def test_there_is_no_still_past_the_end(known_film, tmp_path):
    with pytest.raises(ffmpeg.UnreadableInputError):
        ffmpeg.still(ffmpeg.local_file(known_film), SECONDS + 5, tmp_path / "s.jpg")
    assert not (tmp_path / "s.jpg").exists()


def test_the_frames_asked_for_come(known_film):
    found = ffmpeg.frames(known_film, [0, 10, 101, 249])
    assert [read_number(jpeg) for jpeg in found] == [0, 10, 101, 249]


def test_frames_that_are_not_there_are_missed(known_film):
    with pytest.raises(ffmpeg.CutMismatchError):
        ffmpeg.frames(known_film, [0, 5000])


def test_what_is_no_video_is_refused(tmp_path):
    (tmp_path / "a.mp4").write_bytes(b"not a video" * 100)
    with pytest.raises(ffmpeg.UnreadableInputError):
        ffmpeg.probe(ffmpeg.local_file(tmp_path / "a.mp4"))
    with pytest.raises(ffmpeg.UnreadableInputError):
        ffmpeg.probe(ffmpeg.local_file(tmp_path / "none.mp4"))


def hostile_files(secret: Path, canary: str) -> dict[str, bytes]:
    """Files that make ffmpeg open something else, where it is allowed to guess."""
    playlist = "#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:1,\n{}\n#EXT-X-ENDLIST\n"
    sources = (str(secret), f"file:{secret}", f"concat:{secret}", f"{canary}/a.ts",
               f"subfile,,start,0,end,50,,:{secret}")  # fmt: skip
    found = {f"hls{n}.mp4": playlist.format(x).encode() for n, x in enumerate(sources)}
    found["concat.mp4"] = f"ffconcat version 1.0\nfile '{secret}'\n".encode()
    found["concat2.mp4"] = f"ffconcat version 1.0\nfile '{canary}/a.mp4'\n".encode()
    found["dash.mp4"] = f'<?xml version="1.0"?><MPD><BaseURL>{canary}/</BaseURL></MPD>'.encode()
    found["sdp.mp4"] = b"v=0\nc=IN IP4 127.0.0.1\nm=video 9 RTP/AVP 96\n"
    found["svg.mp4"] = f'<svg><image href="{canary}/x"/></svg>'.encode()
    return found


def test_files_that_point_elsewhere_are_not_followed(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("canary-in-a-file")
    with MediaServer(tmp_path) as canary:
        for name, content in hostile_files(secret, canary.url).items():
            path = tmp_path / name
            path.write_bytes(content)
            with pytest.raises(ffmpeg.UnreadableInputError) as caught:
                ffmpeg.still(ffmpeg.local_file(path), 0.0, tmp_path / "out.jpg")
            assert "canary-in-a-file" not in caught.value.tail
        assert canary.asked == []
    assert not (tmp_path / "out.jpg").exists()


@pytest.mark.parametrize(
    "name", ["concat:a|b", "http:", "pipe:0", "data:,x", "-i", "a'b;c", "%05d", "subfile,,x"]
)
def test_a_file_name_is_never_read_as_a_protocol(known_film, tmp_path, name):
    path = tmp_path / f"{name}.mp4"
    path.write_bytes(known_film.read_bytes())
    assert ffmpeg.probe(ffmpeg.local_file(path)).width == SIZE[0]


def test_a_film_is_cut_over_http_without_reading_the_whole(tmp_path):
    noise = np.random.default_rng(1).integers(0, 255, (10, SIZE[1], SIZE[0], 3), np.uint8)
    frames = (noise[number % 10].tobytes() for number in range(150))
    encode(frames, tmp_path / "noise.mp4", size=SIZE, fps=15, crf=12)
    with MediaServer(tmp_path) as server:
        source = ffmpeg.remote(f"{server.url}/noise.mp4", {"X-Test": "1"})
        wanted = ffmpeg.Cut(8.0, 1.0, WHOLE, SIZE, 15, 15)
        assert ffmpeg_cuts.cut(source, wanted, tmp_path / "c.mp4").frames == 15
    firsts = [int(asked[2][6:].split("-")[0]) for asked in server.asked if asked[2]]
    assert max(firsts) > (tmp_path / "noise.mp4").stat().st_size / 2


def test_a_playlist_over_http_is_refused_and_nothing_else_is_fetched(tmp_path):
    with MediaServer(tmp_path) as canary, MediaServer(tmp_path) as server:
        (tmp_path / "a.mp4").write_bytes(hostile_files(tmp_path / "x", canary.url)["hls3.mp4"])
        with pytest.raises(ffmpeg.UnreadableInputError):
            ffmpeg.probe(ffmpeg.remote(f"{server.url}/a.mp4"))
        assert canary.asked == []


def test_a_redirect_to_a_file_is_not_followed(tmp_path, known_film):
    with MediaServer(tmp_path) as server:
        server.redirect_to = f"file://{known_film}"
        with pytest.raises(ffmpeg.UnreadableInputError):
            ffmpeg.probe(ffmpeg.remote(f"{server.url}/a.mp4"))
