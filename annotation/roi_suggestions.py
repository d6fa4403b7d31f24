"""Suggests a box for a video: a page asks, a worker looks at the video, the page asks again.

A suggestion is kept for the source and the segment, and changes nothing by itself.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation import asked, media, media_store
from annotation.domain import roi_suggestion
from annotation.domain.roi import Roi
from annotation.domain.roi_suggestion import BURSTS, Suggestion
from annotation.models import Video
from annotation.queries.withheld import withheld_span
from annotation.source_access import Withheld

METHOD = 1  # of looking; another one makes other suggestions


@dataclass(frozen=True)
class SuggestionState:
    """`found` where a worker has looked; else `reason` and `advice` where it could not; else
    `done` of `total` steps, and `start` says that the asker has to wake a worker. `working`
    where one is at it."""

    found: Suggestion | None = None
    reason: str = ""
    advice: str = ""
    start: bool = False
    working: bool = False
    done: int = 0
    total: int = BURSTS


def ask(video: Video) -> SuggestionState:
    """Say how the suggestion for `video` stands; among any number of askers one is told to
    start."""
    state = known(video)
    if state.found or state.reason or state.working:
        return state
    start = asked.claim(place(video))
    return SuggestionState(start=start, working=True)


def known(video: Video) -> SuggestionState:
    """Say how the suggestion for `video` stands, without asking for one."""
    if withheld_span(video, video.start, video.end):
        refusal = Withheld()
        return SuggestionState(reason=refusal.reason, advice=refusal.advice)
    kept = place(video)
    note = media_store.read_json(kept)
    if note is not None:
        media_store.mark_used(kept)
        return SuggestionState(found=_read(note))
    failed = asked.failure(kept)
    if failed:
        return SuggestionState(reason=failed.reason, advice=failed.advice)
    done, _ = asked.progress(kept)
    return SuggestionState(working=asked.is_claimed(kept), done=done)


def settle(video_id: int) -> None:
    """Look at a video and keep what is suggested, or why nothing can be."""
    video = Video.objects.select_related("source").get(pk=video_id)
    kept = place(video)
    with asked.settling(kept), media.unless_withheld(video, video.start, video.end):
        frames = media.bursts(video, looked=lambda done: asked.note_progress(kept, done, BURSTS))
        media_store.write_json(kept, as_json(roi_suggestion.suggest(frames)))


def give_up(video: Video) -> None:
    """Take back a claim that no worker could be told of."""
    asked.give_up(place(video))


def place(video: Video) -> Path:
    """Return where the suggestion lies or will lie."""
    name = media.name_of(video.source, "roi", video.start, video.end, METHOD)
    return media_store.place("asked", name, ".json")


def as_json(found: Suggestion) -> dict[str, Any]:
    """Return a suggestion as it is kept and sent; boxes as x, y, w, h in fractions."""
    return {
        "roi": _box_json(found.roi),
        "scan": _box_json(found.scan),
        "confidence": round(found.confidence, 3),
        "reason": found.reason,
    }


def _box_json(roi: Roi | None) -> dict[str, float] | None:
    return dict(zip("xywh", roi.fractions, strict=True)) if roi else None


def _read(note: dict[str, Any]) -> Suggestion:
    roi, scan = (Roi(**note[name]) if note[name] else None for name in ("roi", "scan"))
    return Suggestion(roi, note["confidence"], note["reason"], scan=scan)
