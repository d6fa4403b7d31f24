import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.youtube_ids import is_video_id, video_id, watch_url

ID = "PnoPvJXhan-"


@pytest.mark.parametrize(
    "url",
    [
        f"https://www.youtube.com/watch?v={ID}",
        f"http://youtube.com/watch?v={ID}",
        f"https://m.youtube.com/watch?v={ID}&t=42s",
        f"https://music.youtube.com/watch?list=PL1&v={ID}&index=2#t=3",
        f"HTTPS://WWW.YouTube.COM/watch?v={ID}",
        f"https://youtu.be/{ID}",
        f"https://youtu.be/{ID}?t=42",
        f"https://www.youtube.com/embed/{ID}?start=3",
        f"https://www.youtube-nocookie.com/embed/{ID}",
        f"https://www.youtube.com/shorts/{ID}",
        f"https://www.youtube.com/live/{ID}?feature=share",
        f"https://www.youtube.com/v/{ID}",
    ],
)
def test_every_form_gives_the_id(url):
    assert video_id(url) == ID


HOSTS = [
    "youtube.com.evil.example",
    "evilyoutube.com",
    "youtube.com@evil.example",
    "user:pass@www.youtube.com",
    "www.youtube.com:8080",
    "www.youtube.com:443",
    "127.0.0.1",
    "[::1]",
    "localhost",
    "169.254.169.254",
    "www.youtube.com.",
    "www.youtube.com%2eevil.example",
    "www.youtube.com\\@evil.example",
    "yоutube.com",  # a Cyrillic о
    "youtube.co",
    "vimeo.com",
    "",
]
SCHEMES = ["ftp", "file", "javascript", "data", "https:", "", "concat", "ytsearch", "--exec"]
IDS = [
    "",
    "short",
    f"{ID}x",
    f"{ID[:-1]}!",
    f"{ID[:-1]}\n",
    "../../etc/x",
    "..%2f..%2fet",
    "-" * 12,
    f"{ID}&v={ID}",
    f"{ID};id",
    f"{ID[:-1]}\x00",
    f"{ID[:-1]} ",
    f"{ID[:-1]}é",
]
HOSTILE = [
    *(f"https://{host}/watch?v={ID}" for host in HOSTS),
    *(f"https://{host}/{ID}" for host in HOSTS),
    *(f"{scheme}://www.youtube.com/watch?v={ID}" for scheme in SCHEMES),
    *(f"https://www.youtube.com/watch?v={found}" for found in IDS),
    *(f"https://youtu.be/{found}" for found in IDS),
    *(f"https://www.youtube.com/embed/{found}" for found in IDS),
    *(f"{space}https://youtu.be/{ID}" for space in (" ", "\n", "\t", "\x00", "\u00a0", "\u200b")),
    *(f"https://youtu.be/{ID}{tail}" for tail in ("\n", " --exec id", "\r\nHost: x", "/..", "/x")),
    *(f"https://www.youtube.com/{path}" for path in ("", "watch", "playlist?list=x", "@name")),
    *(
        f"https://www.youtube.com/{path}?v={ID}"
        for path in ("redirect", "Watch", "watch/", "a/watch")
    ),
    f"https://www.youtube.com/redirect?q=https://evil.example/&v={ID}",
    f"https://www.youtube.com/watch?v={ID}&v=AAAAAAAAAAA",
    f"https://www.youtube.com/watch#v={ID}",
    f"//www.youtube.com/watch?v={ID}",
    f"www.youtube.com/watch?v={ID}",
    f"https://www.youtube.com/embed/{ID}/x",
    f"https://[www.youtube.com/watch?v={ID}",
    "--config-locations=/etc/passwd",
    "--batch-file=/etc/passwd",
    "-",
    ID,
    f"https://youtu.be/{ID}?" + "a" * 3000,
]


@pytest.mark.parametrize("url", HOSTILE)
def test_everything_else_is_refused(url):
    with pytest.raises(ValueError, match="not the address"):
        video_id(url)


@given(st.text(max_size=60))
def test_noise_is_refused_or_gives_an_id(text):
    for url in (text, f"https://youtu.be/{text}", f"https://{text}/watch?v={ID}"):
        with contextlib.suppress(ValueError):
            assert is_video_id(video_id(url))


def test_the_canonical_address_gives_its_id():
    assert video_id(watch_url(ID)) == ID
