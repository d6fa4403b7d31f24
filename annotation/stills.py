"""Stills for pages: a page asks, a worker takes the still, the page asks again."""

from dataclasses import dataclass
from pathlib import Path

from annotation import asked, media, media_store
from annotation.models import Video
from annotation.queries.withheld import withheld_span
from annotation.source_access import Withheld


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
    failed = asked.failure(kept)
    if failed:
        return StillState(reason=failed.reason, advice=failed.advice)
    return StillState(start=asked.claim(kept))


def settle(video_id: int, milliseconds: int) -> None:
    """Take a still that was asked for, or remember why it cannot be had."""
    video = Video.objects.select_related("source").get(pk=video_id)
    with asked.settling(media.still_path(video, milliseconds / 1000)):
        media.still(video, milliseconds / 1000)


def give_up(video: Video, milliseconds: int) -> None:
    """Take back a claim that no worker could be told of."""
    asked.give_up(media.still_path(video, milliseconds / 1000))
