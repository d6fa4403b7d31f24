"""Finds the very clip that a model was shown, by the sha256 that was kept with its reply."""

from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from annotation import media_store
from annotation.models import ItemVersion
from annotation.queries.withheld import withheld_span
from annotation.source_access import Withheld

MOST = 5_000  # clips of one source that are looked through


@dataclass(frozen=True)
class SeenClip:
    """A clip that is still kept; size in pixels."""

    path: Path
    width: int
    height: int


def find(version: ItemVersion, sha256: str) -> SeenClip | None:
    """Return the clip of that `sha256` (hex) among those of the source of `version` (read with
    `item.video.source`), None where it is not kept on this machine.

    Raises Withheld where what it shows is in quarantine.
    """
    if not sha256:
        return None
    video = version.item.video
    start, end = version.video_start + version.start, version.video_start + version.end
    if withheld_span(video, start, end):
        raise Withheld
    for note in islice(media_store.notes_of((video.source.kind, video.source.key)), MOST):
        known = media_store.read_json(note) or {}
        path = note.with_suffix(".mp4")
        if known.get("sha256") == sha256 and path.is_file():
            return SeenClip(path, known["width"], known["height"])
    return None
