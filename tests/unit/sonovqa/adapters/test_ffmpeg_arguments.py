"""What ffmpeg is told, and what it is never told."""

from pathlib import Path

import pytest

from sonovqa.adapters import ffmpeg, ffmpeg_cuts, ffmpeg_program


def watched(monkeypatch):
    """Return the list that gathers the arguments of runs, none of which takes place."""
    seen = []
    for module in (ffmpeg, ffmpeg_cuts):
        monkeypatch.setattr(module, "run", lambda arguments, **_: seen.append(arguments) or "")
    return seen


def test_a_local_file_may_use_no_other_protocol(tmp_path):
    found = ffmpeg.local_file(tmp_path / "a.mp4")
    assert found.location == f"file:{tmp_path}/a.mp4"
    assert found.protocols == "file"


def test_an_https_address_does_not_open_http(monkeypatch):
    monkeypatch.delenv("https_proxy", raising=False)
    assert ffmpeg.remote("https://a.googlevideo.com/x").protocols == "https,tls,tcp"


def test_http_is_opened_only_where_the_address_is_http(monkeypatch):
    monkeypatch.delenv("http_proxy", raising=False)
    assert ffmpeg.remote("http://127.0.0.1/x").protocols == "http,tcp"


def test_a_proxy_is_allowed_where_one_is_set(monkeypatch):
    monkeypatch.setenv("https_proxy", "http://proxy:3128")
    assert ffmpeg.remote("https://a.googlevideo.com/x").protocols.endswith(",httpproxy")


@pytest.mark.parametrize(
    "address",
    ["file:/etc/passwd", "/etc/passwd", "concat:a|b", "subfile,,start,0,end,9,,:/etc/passwd",
     "data:,x", "ftp://a/b", "gopher://a/b", "pipe:0", "-i", "", "https://a/b c",
     "https://a/\r\nX: 1", "https://a/\0"],
)  # fmt: skip
def test_another_scheme_or_a_strange_address_is_refused(address):
    with pytest.raises(ValueError, match="only http"):
        ffmpeg.remote(address)


@pytest.mark.parametrize("header", [("A\r\nB", "c"), ("A", "c\r\nHost: d"), ("A", "c\0")])
def test_a_header_cannot_bring_a_second_one(header):
    with pytest.raises(ValueError, match="line break"):
        ffmpeg.remote("https://a/b", dict([header]))


def test_every_run_is_a_list_without_a_shell_and_reads_no_terminal(monkeypatch, tmp_path):
    seen = watched(monkeypatch)
    clip = ffmpeg.Cut(1.0, 2.0, (0, 0, 64, 64), (64, 64), 15, 30)
    for work in (
        lambda: ffmpeg_cuts.cut(ffmpeg.local_file(tmp_path / "a.mp4"), clip, tmp_path / "b"),
        lambda: ffmpeg.still(ffmpeg.local_file(tmp_path / "a.mp4"), 1.0, tmp_path / "b"),
        lambda: ffmpeg.frames(tmp_path / "a.mp4", [0]),
        lambda: ffmpeg.probe(ffmpeg.local_file(tmp_path / "a.mp4")),
    ):
        with pytest.raises(ffmpeg.FfmpegError):
            work()
    assert len(seen) == 4
    for arguments in seen:
        assert all(isinstance(part, str) for part in arguments)
        assert "-nostdin" in arguments
        place = arguments.index("-i")
        before = arguments[:place]
        assert before[before.index("-protocol_whitelist") + 1] == "file"
        assert before[before.index("-f") + 1] == "mp4"


def test_the_seek_stands_before_the_input_and_the_clip_is_encoded_anew(monkeypatch, tmp_path):
    seen = watched(monkeypatch)
    wanted = ffmpeg.Cut(12.5, 2.0, (2, 4, 64, 66), (64, 66), 15, 30)
    with pytest.raises(ffmpeg.FfmpegError):
        ffmpeg_cuts.cut(ffmpeg.local_file(tmp_path / "a.mp4"), wanted, tmp_path / "b")
    arguments = seen[0]
    assert arguments.index("-ss") < arguments.index("-i")
    assert arguments[arguments.index("-vcodec") + 1] == "libx264"
    assert arguments[arguments.index("-pix_fmt") + 1] == "yuv420p"
    assert "copy" not in arguments


def test_no_secret_goes_to_the_child(monkeypatch):
    monkeypatch.setenv("SONOVQA_SECRET_KEY", "canary-in-the-environment")
    printed = ffmpeg_program.run(["/bin/sh", "-c", "env >&2"], timeout=60)
    assert "canary-in-the-environment" not in printed
    assert "PATH=" in printed


def test_an_error_does_not_repeat_a_signed_address():
    error = ffmpeg_program.failure("Error opening input https://h/videoplayback?sig=SECRET now", 1)
    assert "SECRET" not in error.tail
    assert isinstance(error, ffmpeg.UnreadableInputError)


def test_a_long_run_is_stopped():
    with pytest.raises(ffmpeg_program.FfmpegTimeoutError, match="more than"):
        ffmpeg_program.run(["/bin/sleep", "30"], timeout=0.2)


def test_a_missing_program_is_said_to_be_missing():
    with pytest.raises(ffmpeg_program.FfmpegMissingError):
        ffmpeg_program.run(["/nonexistent/ffmpeg"], timeout=1)


def test_no_code_of_ours_uses_a_shell():
    root = Path(__file__).resolve().parents[4]
    for room in ("sonovqa", "annotation", "evaluation"):
        for path in (root / room).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            assert "shell=True" not in text and "os.system" not in text, path


@pytest.mark.parametrize("said", ["No space left on device", "Disk quota exceeded"])
def test_a_full_disk_is_an_error_of_its_own(said):
    error = ffmpeg_program.failure(f"[out#0/mp4 @ 0x1] Error writing trailer: {said}", 228)
    assert isinstance(error, ffmpeg_program.NoRoomError)
