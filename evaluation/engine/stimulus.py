"""What a model is shown of an item: a clip or stills, from the media store."""

from dataclasses import dataclass

from annotation import media
from annotation.models import ItemVersion
from evaluation.engine.plan import Plan
from sonovqa.adapters.asking import Media

LARGEST = 19_000_000  # bytes; inline requests above 20 MB are refused by most providers


@dataclass(frozen=True)
class Shown:
    """What is sent; `sha256` (hex) names the clip that it was taken from."""

    media: tuple[Media, ...] = ()
    sha256: str = ""


def prepare(version: ItemVersion) -> str:
    """Cut the clip and return its sha256. Raises annotation.media.ClipUnavailable."""
    return media.clip(version).sha256


def load(plan: Plan, version: ItemVersion) -> Shown:
    """Return what is shown of `version`. Raises annotation.media.ClipUnavailable."""
    if not plan.needs_media:
        return Shown()
    clip = media.clip(version)
    if plan.wants_frames:
        pictures = media.frames(version, plan.model.parameters.frames)
        return Shown(tuple(Media(data, "image/jpeg") for data in pictures), clip.sha256)
    data = clip.path.read_bytes()
    if len(data) > LARGEST:
        raise media.ClipUnavailable(
            f"The clip has {len(data) / 1e6:.0f} MB.", "Shorten the window of the item."
        )
    return Shown((Media(data, "video/mp4", plan.model.parameters.fps),), clip.sha256)
