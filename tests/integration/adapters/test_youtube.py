"""yt-dlp as a library against a server of our own, over real sockets."""

import re
import time

import pytest

from sonovqa.adapters import ffmpeg, ffmpeg_cuts, youtube
from sonovqa.adapters.youtube import Site
from sonovqa.adapters.youtube_errors import Problem, YoutubeError
from tests.standins.known_film import SIZE, read_number
from tests.standins.media_server import MediaServer

VIDEO = "abcdefghij0"


def site(server: MediaServer, **options: object) -> Site:
    values = {
        "page": server.url + "/{id}.mp4",
        "extractors": ("generic",),
        "hosts": ("127.0.0.1",),
        "schemes": ("http",),
    }
    return Site(**values | options)


@pytest.fixture
def server(tmp_path, known_film):
    (tmp_path / f"{VIDEO}.mp4").write_bytes(known_film.read_bytes())
    with MediaServer(tmp_path) as running:
        yield running


def test_an_id_is_resolved_and_cut(server, tmp_path):
    found = youtube.resolve(VIDEO, site=site(server))
    assert found.url == f"{server.url}/{VIDEO}.mp4"
    assert found.expires_at > time.time()
    wanted = ffmpeg.Cut(3.0, 1.0, (0, 0, *SIZE), SIZE, 15, 15)
    ffmpeg_cuts.cut(ffmpeg.remote(found.url, found.headers), wanted, tmp_path / "c.mp4")
    assert abs(read_number(ffmpeg.frames(tmp_path / "c.mp4", [0])[0]) - 75) <= 1


def test_only_the_extractor_of_youtube_is_allowed_by_default(server):
    only_youtube = site(server, extractors=youtube.YOUTUBE.extractors)
    with pytest.raises(YoutubeError) as caught:
        youtube.resolve(VIDEO, site=only_youtube)
    assert caught.value.problem is Problem.REFUSED
    assert server.asked == []


def test_an_address_on_another_host_is_refused(server):
    with pytest.raises(YoutubeError) as caught:
        youtube.resolve(VIDEO, site=site(server, hosts=(".googlevideo.com",)))
    assert caught.value.problem is Problem.NO_FORMAT


def test_an_address_with_another_scheme_is_refused(server):
    with pytest.raises(YoutubeError):
        youtube.resolve(VIDEO, site=site(server, schemes=("https",)))


def test_what_is_not_there_was_removed(server):
    with pytest.raises(YoutubeError) as caught:
        youtube.resolve("00000000000", site=site(server))
    assert caught.value.problem is Problem.REMOVED


def test_no_answer_is_a_matter_of_the_network(server):
    dead = site(server, page="http://127.0.0.1:9/{id}.mp4")
    with pytest.raises(YoutubeError) as caught:
        youtube.resolve(VIDEO, site=dead)
    assert caught.value.problem is Problem.NETWORK
    assert not caught.value.permanent


def test_an_expiry_in_the_address_is_respected(server):
    stated = int(time.time()) + 20_000
    with_expiry = site(server, page=server.url + "/{id}.mp4?expire=" + str(stated))
    found = youtube.resolve(VIDEO, site=with_expiry)
    assert found.expires_at == stated - youtube.MARGIN


def test_cookies_are_read_and_never_written(server, tmp_path):
    jar = tmp_path / "cookies.txt"
    line = "127.0.0.1\tFALSE\t/\tFALSE\t2000000000\tSESSION\tcanary-cookie\n"
    jar.write_text("# Netscape HTTP Cookie File\n" + line)
    before = jar.read_bytes()
    youtube.resolve(VIDEO, cookies=jar, site=site(server))
    assert jar.read_bytes() == before


def test_the_page_that_is_asked_for_holds_the_id_alone(server):
    youtube.resolve(VIDEO, site=site(server))
    assert {path for _, path, _ in server.asked} == {f"/{VIDEO}.mp4"}


def test_nothing_is_printed(server, capfd):
    with pytest.raises(YoutubeError):
        youtube.resolve("00000000000", site=site(server))
    out, err = capfd.readouterr()
    assert out == "" and not re.search(r"ERROR|WARNING", err)
