"""The index of MP4 files that ffmpeg wrote, in every layout, and of damaged ones."""

import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.domain.mp4_index import BadMp4, Fragments, Samples, read_index
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
