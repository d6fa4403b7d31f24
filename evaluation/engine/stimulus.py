"""What a model is shown of an item: a clip or stills, from the media store."""

from dataclasses import dataclass, field, replace
from typing import Any

from annotation import media
from annotation.models import ItemVersion
from evaluation.domain.other_clips import other_clip
from evaluation.engine.plan import Plan
from evaluation.models import WorkItem
from evaluation.models.run import Condition, Stage, WorkState
from sonovqa.adapters.asking import Media

LEVELS = (720, 480, 360, 240)  # pixels high; a clip that is too large is cut at the next one
NEARBY = 60.0  # seconds around a window in which others are looked for that are cut with it
MOST_NEARBY = 40


@dataclass(frozen=True)
class Shown:
    """What is sent; `sha256` (hex) names the clip that it was taken from, `facts` are kept
    with the prediction: frames, size, duration in seconds, bytes."""

    media: tuple[Media, ...] = ()
    sha256: str = ""
    facts: dict[str, Any] = field(default_factory=dict)


def prepare(plan: Plan, version: ItemVersion) -> str:
    """Cut the clip and return its sha256; windows near it that are due are cut with it.

    Raises annotation.media.ClipUnavailable.
    """
    seen = _seen(plan, version)
    if kept := media.kept_clip(seen, plan.shot):
        return kept.sha256
    along = list(_due_nearby(plan, version)) if plan.condition != Condition.SHUFFLED else []
    return media.clip(seen, plan.shot, along=along).sha256


def load(plan: Plan, version: ItemVersion) -> Shown:
    """Return what is shown of `version`. Raises annotation.media.ClipUnavailable."""
    if not plan.needs_media:
        return Shown()
    seen = _seen(plan, version)
    if plan.wants_frames:
        clip = media.clip(seen, plan.shot)
        pictures = media.frames(seen, plan.stills, plan.shot)
        shown = tuple(Media(data, "image/jpeg") for data in pictures)
        return Shown(shown, clip.sha256, _facts(plan, clip, seen, version))
    clip = _fitting(plan, seen)
    one = Media(clip.path.read_bytes(), "video/mp4", plan.model.parameters.fps, clip.path)
    return Shown((one,), clip.sha256, _facts(plan, clip, seen, version))


def _fitting(plan: Plan, seen: ItemVersion) -> media.Clip:
    """Return the clip at the highest level at which it is as small as the provider wants it."""
    most = plan.model.parameters.clip_megabytes
    for height in LEVELS:
        clip = media.clip(seen, replace(plan.shot, max_height=height))
        size = clip.path.stat().st_size / 1e6
        if size <= most:
            return clip
    raise media.ClipUnavailable(
        f"The clip has {size:.1f} MB at {height} pixels, and the provider takes {most:g} MB.",
        "Shorten the window of the item.",
        permanent=True,
    )


def _facts(plan: Plan, clip: media.Clip, seen: ItemVersion, version: ItemVersion) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "frames": clip.frames,
        "fps": clip.fps,
        "size": [clip.width, clip.height],
        "seconds": round(clip.duration, 3),
        "bytes": clip.path.stat().st_size,
    }
    if seen.pk != version.pk:
        facts["of_version"] = seen.pk
    if plan.clip_settings != media.RECIPE:  # the program was upgraded while the run went on
        facts["recipe"] = dict(media.RECIPE)
    return facts


def seconds_shown(plan: Plan, version: ItemVersion) -> float:
    """Return how long the clip may be that is sent with `version`, in seconds."""
    seconds = version.end - version.start
    if plan.condition == Condition.SHUFFLED:
        drawn = other_clip(plan.others[version.pk], plan.drawable, seed=plan.order_seed)
        seconds = drawn.seconds if drawn else 0.0
    return max(seconds, plan.shot.min_seconds)


def _seen(plan: Plan, version: ItemVersion) -> ItemVersion:
    """Return the version whose clip is shown: another item's in the condition "shuffled"."""
    if plan.condition != Condition.SHUFFLED:
        return version
    drawn = other_clip(plan.others[version.pk], plan.drawable, seed=plan.order_seed)
    if drawn is None:
        raise media.ClipUnavailable(
            "All items of the run come from one source, so no other clip can be shown.",
            "Run this condition on a benchmark of several sources.",
            permanent=True,
        )
    return ItemVersion.objects.select_related("item__video__source").get(pk=drawn.version_id)


def _due_nearby(plan: Plan, version: ItemVersion) -> list[ItemVersion]:
    """Return versions of the same video whose clips the run still needs."""
    due = WorkItem.objects.filter(
        run=plan.run_id, stage=Stage.CLIP, state__in=[WorkState.WAITING, WorkState.CLAIMED]
    )
    nearby = ItemVersion.objects.filter(
        pk__in=due.values("item_version"),
        item__video=version.item.video_id,
        start__lt=version.end + NEARBY,
        end__gt=version.start - NEARBY,
    ).exclude(pk=version.pk)
    return list(nearby.select_related("item__video__source").order_by("start")[:MOST_NEARBY])
