"""Ids that come in, and what yt-dlp's words mean."""

import itertools
import random

import pytest

from sonovqa.adapters import youtube
from sonovqa.adapters.youtube_errors import ADVICE, REASON, Problem, read_problem

GOOD = "dQw4w9WgXcQ"
SEEDS = [
    "--exec=id", "--config-locations=/tmp/x", "--batch-file=/etc/passwd", "-o/etc/passwd",
    "file:///etc/passwd", "http://127.0.0.1:8000/", "http://169.254.169.254/latest/meta-data",
    "https://evil.example/watch?v=" + GOOD, f"https://www.youtube.com/watch?v={GOOD}",
    f"https://www.youtube.com@evil.example/{GOOD}", "ytsearch:cats", "ytsearch5:cats",
    f"youtube:{GOOD}", "concat:/etc/passwd|x", "subfile,,:/x", "../../../etc/passwd", "$(id)",
    "`id`", ";id;", "|id", "&&id", "%00", "\0" * 11, "a" * 10, "a" * 12, "", " ", "\n",
    GOOD + "\n", "\n" + GOOD, GOOD + " ", " " + GOOD, GOOD + "\0", GOOD[:10] + "é",
    "ｄＱｗ４ｗ９ＷｇＸｃＱ",
    GOOD[:10] + "/", GOOD[:10] + "?", GOOD[:10] + "&", GOOD[:10] + "#", GOOD[:10] + "'",
    GOOD[:10] + '"', GOOD[:10] + "\\", GOOD[:10] + "%", GOOD[:10] + "=", "javascript:alert(1)",
    "data:text/html,x", "gopher://127.0.0.1/x", "dict://x", "<script>aaa", "١٢٣٤٥٦٧٨٩٠١",
]  # fmt: skip


def hostile() -> list[object]:
    """200 things that are no id."""
    random_source = random.Random(4)
    marks = "/\\?&=%$`'\"<>|; \n\t\0.:@#!*()[]{}é"
    mutated = []
    for place, mark in itertools.product(range(11), marks):
        mutated.append(GOOD[:place] + mark + GOOD[place + 1 :])
    random_source.shuffle(mutated)
    other = [None, 5, 11.0, b"dQw4w9WgXcQ", [GOOD], {"id": GOOD}]
    return (SEEDS + other + mutated)[:200]


def test_of_200_hostile_ids_none_is_accepted(monkeypatch):
    monkeypatch.setattr("yt_dlp.YoutubeDL.__init__", lambda *a, **k: pytest.fail("was asked"))
    tried = hostile()
    assert len(tried) == 200
    for value in tried:
        with pytest.raises(ValueError, match="11-character"):
            youtube.resolve(value)  # type: ignore[arg-type]


def test_ids_are_accepted():
    for value in (GOOD, "___________", "-----------", "0123456789A"):
        assert youtube.check_id(value) == value


def test_yt_dlp_runs_nothing_fetches_no_code_and_reads_no_configuration():
    options = youtube._options(youtube.YOUTUBE, youtube._Log())
    assert options["allowed_extractors"] == [r"^youtube$"]
    assert options["cachedir"] is False
    assert options["remote_components"] == []
    assert options["enable_file_urls"] is False
    assert not {"postprocessors", "exec_cmd", "external_downloader", "paths"} & set(options)
    assert "vcodec^=avc1" in options["format"] and "height<=720" in options["format"]


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ("[youtube] x: Private video. Sign in if you've been granted access", Problem.PRIVATE),
        ("Video unavailable. This video is private", Problem.PRIVATE),
        ("This video has been removed by the uploader", Problem.REMOVED),
        ("This video is no longer available because its account was terminated", Problem.REMOVED),
        ("Video unavailable", Problem.REMOVED),
        ("The uploader has not made this video available in your country", Problem.REGION),
        ("Sign in to confirm you’re not a bot. Use --cookies", Problem.BOT_CHECK),
        ("Sign in to confirm you're not a bot", Problem.BOT_CHECK),
        ("Unable to download webpage: HTTP Error 429: Too Many Requests", Problem.BOT_CHECK),
        ("Sign in to confirm your age. This video may be inappropriate for some users",
         Problem.AGE),
        ("No supported JavaScript runtime\nRequested format is not available", Problem.NO_RUNTIME),
        ("Requested format is not available. Use --list-formats", Problem.NO_FORMAT),
        ("WARNING: Only images are available for download", Problem.NO_FORMAT),
        ("Unable to download API page: Failed to resolve 'www.youtube.com'", Problem.NETWORK),
        ("The read operation timed out", Problem.NETWORK),
        ("<urlopen error [Errno 111] Connection refused>", Problem.NETWORK),
        ("HTTP Error 503: Service Unavailable", Problem.NETWORK),
        ("No suitable extractor (youtube) found for URL", Problem.REFUSED),
        ("something new", Problem.UNKNOWN),
    ],
)  # fmt: skip
def test_words_of_yt_dlp_become_typed_problems(said, problem):
    error = read_problem(said)
    assert error.problem is problem
    assert error.advice == ADVICE[problem]
    assert str(error) == REASON[problem]


def test_every_problem_says_what_it_is_and_what_to_do():
    assert set(REASON) == set(ADVICE) == set(Problem)


def test_only_what_waiting_cannot_cure_is_permanent():
    assert read_problem("Private video").permanent
    assert not read_problem("timed out").permanent
    assert not read_problem("confirm you're not a bot").permanent


def test_cookies_that_cannot_be_read_are_named(tmp_path):
    with pytest.raises(youtube.YoutubeError) as caught:
        youtube.resolve(GOOD, cookies=tmp_path / "none.txt")
    assert caught.value.problem is Problem.COOKIES
    assert "SONOVQA_YOUTUBE_COOKIES" in caught.value.advice
