"""Content digests of an item version: equal digests mean that a model is asked the same."""

import hashlib
import json
from dataclasses import dataclass


@dataclass(frozen=True)
class AskedText:
    """What a blind model sees, and what its answer is scored by."""

    kind: str
    stem: str
    options: tuple[str, ...]
    shown_order: tuple[int, ...]
    key_index: int | None
    reference_answer: str
    question_type: str


@dataclass(frozen=True)
class AskedClip:
    """The pixels: window in seconds from the start of the video, the video's segment in
    seconds of the source, ROI as (x, y, w, h) in fractions of the full frame."""

    source: str
    video_start: float
    video_end: float
    start: float
    end: float
    roi: tuple[float, float, float, float]


@dataclass(frozen=True)
class Digests:
    """sha256, hex. `both` covers text, clip, ground truth and accepted variants."""

    text: str
    clip: str
    both: str


def digest(value: object) -> str:
    """Return the sha256 (hex) of the canonical JSON of `value`.

    Floats are written by `repr`, so equal numbers give equal digests.
    """
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


def digests(
    text: AskedText, clip: AskedClip, *, ground_truth: str, variants: tuple[str, ...] = ()
) -> Digests:
    """Return the digests of one item version.

    Accepted variants are no part of `text`: a model is asked the same with and without them,
    so its reply stays valid, and only what a judge made of it has to be made again. They are
    part of `both` where there are any; without, it is what it was before variants existed.
    """
    text_digest = digest(vars(text))
    clip_digest = digest(vars(clip))
    parts: list[object] = [text_digest, clip_digest, ground_truth]
    if variants:
        parts.append(list(variants))
    return Digests(text_digest, clip_digest, digest(parts))
