"""Stills for pages: a page asks, a worker takes the still, the page asks again.

The state of each still lies beside it as files: `.pending` while a worker is at it, `.failed`
with the reason after it could not be had. Both run out, so that a lost worker or a network
that comes back needs nobody's care.
"""

import time
from dataclasses import dataclass
from pathlib import Path

from annotation import media, media_store
from annotation.media import ClipUnavailable, Withheld
from annotation.models import Video
from annotation.queries.withheld import withheld_span

PENDING_LIFE = 60.0  # seconds after which a worker counts as lost
FAILURE_LIFE = 120.0  # seconds for which a failure is remembered
PERMANENT_LIFE = 86400.0


@dataclass(frozen=True)
class StillState:
    """`path` where there is a still; else `reason` and `advice` where it cannot be had; else
    it is being taken, and `start` says that the asker has to wake a worker."""

    path: Path | None = None
    reason: str = ""
    advice: str = ""
    start: bool = False


def ask(video: Video, milliseconds: int) -> StillState:
    """Say how the still at `milliseconds` from the start of `video` stands.

    Among any number of askers one is told to start.
    """
    at = video.start + milliseconds / 1000
    if withheld_span(video, at, at):
        refusal = Withheld()
        return StillState(reason=refusal.reason, advice=refusal.advice)
    kept = media.still_path(video, milliseconds / 1000)
    if kept.is_file():
        media_store.mark_used(kept)
        return StillState(path=kept)
    failed = media_store.read_json(_failure(kept))
    if failed and failed["until"] > time.time():
        return StillState(reason=failed["reason"], advice=failed["advice"])
    return StillState(start=_claim(_pending(kept)))


def settle(video_id: int, milliseconds: int) -> None:
    """Take a still that was asked for, or remember why it cannot be had."""
    video = Video.objects.select_related("source").get(pk=video_id)
    kept = media.still_path(video, milliseconds / 1000)
    try:
        media.still(video, milliseconds / 1000)
    except Withheld:
        pass  # `ask` knows by itself, and knows when it ends
    except ClipUnavailable as error:
        life = PERMANENT_LIFE if error.permanent else FAILURE_LIFE
        note = {"reason": error.reason, "advice": error.advice, "until": time.time() + life}
        media_store.write_json(_failure(kept), note)
    finally:
        _pending(kept).unlink(missing_ok=True)


def give_up(video: Video, milliseconds: int) -> None:
    """Take back a claim that no worker could be told of."""
    _pending(media.still_path(video, milliseconds / 1000)).unlink(missing_ok=True)


def _pending(kept: Path) -> Path:
    return kept.with_suffix(".pending")


def _failure(kept: Path) -> Path:
    return kept.with_suffix(".failed")


def _claim(marker: Path) -> bool:
    try:
        if time.time() - marker.stat().st_mtime < PENDING_LIFE:
            return False
        marker.unlink(missing_ok=True)
    except FileNotFoundError:
        pass
    try:
        marker.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True
