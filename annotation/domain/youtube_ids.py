"""Takes the video id out of a YouTube URL. Nothing else of a URL is ever passed on."""

import re
from urllib.parse import parse_qs, urlsplit

ID = re.compile(r"[A-Za-z0-9_-]{11}")
HOSTS = frozenset(
    f"{front}{host}"
    for host in ("youtube.com", "youtube-nocookie.com")
    for front in ("", "www.", "m.", "music.")
)
SHORT_HOSTS = frozenset({"youtu.be", "www.youtu.be"})
FOLDERS = frozenset({"embed", "shorts", "live", "v", "e"})
LONGEST_URL = 2000


def is_video_id(text: str) -> bool:
    """Say whether `text` is an 11-character YouTube id."""
    return ID.fullmatch(text) is not None


def watch_url(video_id: str) -> str:
    """Return the canonical address of a video."""
    return f"https://www.youtube.com/watch?v={video_id}"


def video_id(url: str) -> str:
    """Return the 11-character id in a YouTube URL (watch, youtu.be, embed, shorts, live, v).

    Raises ValueError for everything else: other hosts, schemes, ports, user names, spaces,
    control characters, two ids in one URL.
    """
    found = _find(url)
    if found is None or not is_video_id(found):
        raise ValueError(f"{url[:120]!r} is not the address of a YouTube video")
    return found


def _find(url: str) -> str | None:
    if len(url) > LONGEST_URL or not url.isascii() or re.search(r"[\x00-\x20\x7f\\]", url):
        return None
    try:
        parts = urlsplit(url)
        plain = parts.netloc.lower() == (parts.hostname or "") and parts.scheme in ("http", "https")
    except ValueError:
        return None
    if not plain:
        return None
    path = parts.path.split("/")[1:]
    if parts.hostname in SHORT_HOSTS:
        return path[0] if len(path) == 1 else None
    if parts.hostname not in HOSTS:
        return None
    if path == ["watch"]:
        ids = parse_qs(parts.query).get("v", [])
        return ids[0] if len(ids) == 1 else None
    return path[1] if len(path) == 2 and path[0] in FOLDERS else None
