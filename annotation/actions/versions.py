"""Makes item versions: the one place that writes what a model is asked."""

from dataclasses import dataclass
from typing import Any

from annotation.domain import shown_order
from annotation.domain.versions import AskedClip, AskedText, Digests, digests
from annotation.models import Item, ItemVersion, User, Video

TEXT_LENGTH = Item._meta.get_field("text").max_length


@dataclass(frozen=True)
class Content:
    """The editable content of an item; see `ItemVersion` for units and meaning."""

    stem: str
    question_type: str
    start: float
    end: float
    options: tuple[str, ...] = ()
    key_index: int | None = None
    reference_answer: str = ""
    ground_truth: str = ""
    roi_override: tuple[float, float, float, float] | None = None
    accepted_variants: tuple[str, ...] = ()


def content_of(version: ItemVersion) -> Content:
    """Return the content of a stored version."""
    roi = (version.roi_x, version.roi_y, version.roi_w, version.roi_h)
    return Content(
        stem=version.stem,
        question_type=version.question_type,
        start=version.start,
        end=version.end,
        options=tuple(version.options),
        key_index=version.key_index,
        reference_answer=version.reference_answer,
        ground_truth=version.ground_truth,
        roi_override=roi if version.roi_is_override else None,
        accepted_variants=tuple(version.accepted_variants),
    )


def build_version(
    item: Item,
    video: Video,
    content: Content,
    *,
    number: int,
    by: User | None,
    reason: str = "",
    votes_since: int | None = None,
) -> ItemVersion:
    """Return an unsaved version of `item`; `video` must have its `source` and `benchmark`.

    `votes_since` is given where an edit is cosmetic: votes since that version still count.

    The shown order of an MCQ depends on the number of its options, its key and the place of
    the item among the benchmark's MCQs, so an edit of wording leaves it as it was.
    """
    order = _shown_order(item, video, content)
    roi = content.roi_override or (video.roi_x, video.roi_y, video.roi_w, video.roi_h)
    found = _digests(item, video, content, order=order, roi=roi)
    return ItemVersion(
        item=item,
        number=number,
        votes_since=number if votes_since is None else votes_since,
        stem=content.stem,
        options=list(content.options),
        shown_order=order,
        key_index=content.key_index,
        reference_answer=content.reference_answer,
        accepted_variants=list(content.accepted_variants),
        ground_truth=content.ground_truth,
        question_type=content.question_type,
        start=content.start,
        end=content.end,
        video_start=video.start,
        video_end=video.end,
        roi_x=roi[0],
        roi_y=roi[1],
        roi_w=roi[2],
        roi_h=roi[3],
        roi_is_override=content.roi_override is not None,
        text_digest=found.text,
        clip_digest=found.clip,
        digest=found.both,
        author=by,
        reason=reason[:500],
    )


def _shown_order(item: Item, video: Video, content: Content) -> list[int]:
    if content.key_index is None:
        return []
    return shown_order.draw(
        options=len(content.options),
        key_index=content.key_index,
        ordinal=item.ordinal,
        seed=video.benchmark.order_seed,
    )


def _digests(
    item: Item,
    video: Video,
    content: Content,
    *,
    order: list[int],
    roi: tuple[float, float, float, float],
) -> Digests:
    text = AskedText(
        kind=item.kind,
        stem=content.stem,
        options=content.options,
        shown_order=tuple(order),
        key_index=content.key_index,
        reference_answer=content.reference_answer,
        question_type=content.question_type,
    )
    clip = AskedClip(
        source=str(video.source),
        video_start=video.start,
        video_end=video.end,
        start=content.start,
        end=content.end,
        roi=roi,
    )
    return digests(
        text, clip, ground_truth=content.ground_truth, variants=content.accepted_variants
    )


def mirror(item: Item, version: ItemVersion) -> Item:
    """Point `item` at `version` and repeat its slim fields there; the caller saves."""
    item.current = version
    item.votes_since = version.votes_since
    item.question_type = version.question_type
    item.start = version.start
    item.end = version.end
    item.text = version.stem[:TEXT_LENGTH]
    return item


def as_json(version: ItemVersion) -> dict[str, Any]:
    """Return the editable content of a version, JSON-ready, with its number.

    `roi` is the item's own box in fractions of the frame; None where it follows its video.
    """
    box = {"x": version.roi_x, "y": version.roi_y, "w": version.roi_w, "h": version.roi_h}
    return {
        "version": version.number,
        "stem": version.stem,
        "options": list(version.options),
        "key_index": version.key_index,
        "reference_answer": version.reference_answer,
        "accepted_variants": list(version.accepted_variants),
        "question_type": version.question_type,
        "start": version.start,
        "end": version.end,
        "roi": box if version.roi_is_override else None,
    }
