"""The index of MP4 files that ffmpeg wrote, in every layout, and of damaged ones."""

import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.domain.mp4_index import BadMp4, Fragments, Samples, read_index
from sonovqa.adapters.ffmpeg import Cut, local_file
from sonovqa.adapters.ffmpeg_cuts import cut
from sonovqa.adapters.ffmpeg_program import program
from tests.standins.known_film import FPS, SECONDS, SIZE

LAYOUTS = {
    "tables-first": ("-movflags", "+faststart"),
    "tables-last": (),
    "fragments": ("-movflags", "+dash+global_sidx"),
}


@pytest.fixture(scope="module")
def files(known_film: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The film in each layout, with sound between its pictures."""
    folder = tmp_path_factory.mktemp("layouts")
    found = {}
    for name, options in LAYOUTS.items():
        sound = () if name == "fragments" else ("-f", "lavfi", "-i", f"sine=d={SECONDS}")
        inputs = (program(), "-nostdin", "-loglevel", "error", "-i", known_film, *sound)
        command = [*inputs, "-c:v", "copy", *options, folder / f"{name}.mp4"]
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
        found[name] = (folder / f"{name}.mp4").read_bytes()
    return found


def index_of(content: bytes) -> Samples | Fragments:
    return read_index(lambda first, length: content[first : first + length], len(content))


@pytest.mark.parametrize("layout", ["tables-first", "tables-last"])
def test_a_sample_table_says_where_every_picture_lies(files, layout):
    index = index_of(files[layout])
    assert isinstance(index, Samples)
    assert (index.width, index.height, index.frames) == (*SIZE, SECONDS * FPS)
    assert np.allclose(np.sort(index.shown), np.arange(SECONDS * FPS) / FPS, atol=0.001)
    content = files[layout]
    for offset, size in zip(index.offsets, index.sizes, strict=True):
        length = int.from_bytes(content[offset : offset + 4], "big")  # of the first NAL unit
        assert 0 < length <= size - 4
    assert list(index.shown[index.keys]) == pytest.approx([0, 2, 4, 6, 8], abs=0.001)


def test_fragments_say_where_they_lie(files):
    index = index_of(files["fragments"])
    assert isinstance(index, Fragments)
    assert (index.width, index.height) == SIZE
    assert len(index.starts) == 6
    for offset in index.offsets[:-1]:
        assert files["fragments"][offset + 4 : offset + 8] == b"moof"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_window_takes_its_share_of_the_bytes(files, layout):
    index, size = index_of(files[layout]), len(files[layout])
    whole, part = index.bytes_of(0, SECONDS), index.bytes_of(4.5, 5.5)
    assert whole.last < size and 0.1 * size < part.length < 0.55 * size
    assert whole.first <= part.first and part.last <= whole.last
    assert index.bytes_of(900, 901).last <= whole.last


@pytest.mark.parametrize("fps", [8, 30])
@pytest.mark.parametrize("order", ["bframes=0", "bframes=3", "bframes=8:b-pyramid=normal:ref=8"])
def test_the_bytes_of_a_window_suffice_to_cut_it(tmp_path, fps, order):
    """At any rate, however far the order of decoding is from that of showing: a clip that is
    cut from these bytes alone is the one that is cut from the whole file."""
    whole, part = tmp_path / "whole.mp4", tmp_path / "part.mp4"
    drawn = f"testsrc2=size=160x96:rate={fps}:duration=12"
    subprocess.run(
        [
            *(program(), "-nostdin", "-loglevel", "error", "-f", "lavfi", "-i", drawn),
            *("-vf", "noise=alls=20:allf=t", "-c:v", "libx264", "-preset", "veryfast"),
            *("-g", str(2 * fps), "-x264-params", order, "-pix_fmt", "yuv420p", str(whole)),
        ],
        check=True,
    )
    content, tables = whole.read_bytes(), []

    def read(first: int, length: int) -> bytes:
        tables.append((first, length))
        return content[first : first + length]

    index = read_index(read, len(content))
    for start, lasts in ((0.0, 0.5), (1.93, 3.1), (2.0, 1.0), (3.37, 2.28), (8.11, 2.9)):
        bounds = index.bytes_of(start, start + lasts)
        with part.open("wb") as file:
            file.truncate(len(content))
            for first, length in [*tables, (bounds.first, bounds.length)]:
                file.seek(first)
                file.write(content[first : first + length])
        frames = round(lasts * 15)
        wanted = Cut(start, lasts, (0, 0, 160, 96), (160, 96), 15, frames)
        made = []
        for source in (whole, part):
            cut(local_file(source), wanted, tmp_path / "clip.mp4")
            made.append((tmp_path / "clip.mp4").read_bytes())
        assert made[0] == made[1], f"{start} s"


@pytest.mark.parametrize("content", [b"", b"\0" * 200, b"no video at all", b"\0\0\0\x08ftyp" * 90])
def test_what_is_no_mp4_is_refused(content):
    with pytest.raises(BadMp4):
        index_of(content)


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    layout=st.sampled_from(list(LAYOUTS)),
    place=st.floats(0, 1),
    noise=st.binary(min_size=1, max_size=12),
    kept=st.floats(0.2, 1),
)
def test_a_damaged_file_is_refused_or_read_but_never_crashes(files, layout, place, noise, kept):
    content = bytearray(files[layout])
    tables = len(content) - 9000 if layout == "tables-last" else 0
    at = tables + int(place * 9000)
    content[at : at + len(noise)] = noise
    content = content[: max(64, int(len(content) * kept))]
    try:
        index = index_of(bytes(content))
    except BadMp4:
        return
    found = index.bytes_of(1.0, 2.0)
    assert 0 <= found.first <= found.last < len(content)
