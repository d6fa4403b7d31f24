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
    """sha256, hex. `both` covers text, clip and ground truth."""

    text: str
    clip: str
    both: str


def digest(value: object) -> str:
    """Return the sha256 (hex) of the canonical JSON of `value`.

    Floats are written by `repr`, so equal numbers give equal digests.
    """
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


def digests(text: AskedText, clip: AskedClip, *, ground_truth: str) -> Digests:
    """Return the digests of one item version."""
    text_digest = digest(vars(text))
    clip_digest = digest(vars(clip))
    return Digests(text_digest, clip_digest, digest([text_digest, clip_digest, ground_truth]))
