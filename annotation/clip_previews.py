"""The clip of an item for its readers, just as a model would be sent it: a page asks, a worker
cuts it, the page asks again. A box that is not saved yet may be tried."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from annotation import asked, media, media_store
from annotation.domain.roi import Roi
from annotation.media import RECIPE, Clip
from annotation.models import Item, ItemVersion, Video
from annotation.queries.withheld import withheld_span
from annotation.source_access import Withheld

BOX = ("roi_x", "roi_y", "roi_w", "roi_h")


@dataclass(frozen=True)
class PreviewState:
    """`name` of the preview and the `facts` of its clip where it is cut; else `reason` and
    `advice` where it cannot be; else it is being cut, and `start` says that the asker has to
    wake a worker."""

    name: str = ""
    facts: dict[str, Any] | None = None
    reason: str = ""
    advice: str = ""
    start: bool = False


def ask(item: Item, roi: Roi | None) -> PreviewState:
    """Say how the clip of `item` (read with `current` and `video.source`) stands, cut to `roi`
    or to the box that is saved; among any number of askers one is told to start."""
    version = tried(item, roi)
    start, end = span_of(version)
    if withheld_span(item.video, start, end):
        refusal = Withheld()
        return PreviewState(reason=refusal.reason, advice=refusal.advice)
    kept = place(version)
    note = media_store.read_json(kept)
    if note is not None and clip_path(note).is_file():
        media_store.mark_used(kept, clip_path(note))
        return PreviewState(name=kept.stem, facts=note["facts"])
    failed = asked.failure(kept)
    if failed:
        return PreviewState(reason=failed.reason, advice=failed.advice)
    return PreviewState(start=asked.claim(kept))


def settle(item_id: int, box: list[float] | None) -> None:
    """Cut the clip that was asked for, or remember why it cannot be had."""
    item = Item.objects.select_related("current", "video__source").get(pk=item_id)
    version = tried(item, Roi(*box) if box else None)
    kept, (start, end) = place(version), span_of(version)
    with asked.settling(kept), media.unless_withheld(item.video, start, end):
        clip = media.clip(version)
        media_store.write_json(
            kept,
            {
                "video": item.video_id,
                "start": start,
                "end": end,
                "clip": clip.path.stem,
                "facts": facts(clip),
            },
        )


def give_up(item: Item, roi: Roi | None) -> None:
    """Take back a claim that no worker could be told of."""
    asked.give_up(place(tried(item, roi)))


def find(video: Video, name: str) -> Path | None:
    """Return the clip of a preview of `video`, None where there is none.

    Raises Withheld where what it shows is in quarantine.
    """
    note = media_store.read_json(media_store.place("asked", name, ".json"))
    if note is None or note.get("video") != video.pk or "clip" not in note:
        return None
    if withheld_span(video, note["start"], note["end"]):
        raise Withheld
    path = clip_path(note)
    return path if path.is_file() else None


def tried(item: Item, roi: Roi | None) -> ItemVersion:
    """Return the current version of `item`, not to be saved, with `roi` as its box."""
    version = item.current
    if version is None:
        raise Item.DoesNotExist(f"Item {item.pk} has no version.")
    version.item = item
    for name, value in zip(BOX, roi.fractions if roi else (), strict=False):
        setattr(version, name, value)
    return version


def span_of(version: ItemVersion) -> tuple[float, float]:
    """Return the window in seconds of the source."""
    return version.video_start + version.start, version.video_start + version.end


def place(version: ItemVersion) -> Path:
    """Return where what is known of the preview lies or will lie."""
    box = [getattr(version, name) for name in BOX]
    video = version.item.video
    parts = ("preview", video.pk, *span_of(version), box, RECIPE)
    return media_store.place("asked", media.name_of(video.source, *parts), ".json")


def clip_path(note: dict[str, Any]) -> Path:
    return media_store.place("clips", str(note["clip"]), ".mp4")


def facts(clip: Clip) -> dict[str, Any]:
    """Return what a page says of a clip: sizes in pixels, duration in seconds."""
    values = asdict(clip)
    del values["path"]
    return values | {"bytes": clip.path.stat().st_size}
