"""What the audit reads of an item."""

from collections.abc import Sequence
from dataclasses import dataclass

MCQ = "mcq"
FREE = "free"
FEWEST_OPTIONS = 2

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class AuditItem:
    """One item as the audit sees it; `options` in published order.

    `source` and `video` are labels (equal label, same source or video); `start` and `end` are
    seconds from the start of the video, `length` the seconds of its segment, `roi` fractions
    of the frame. `mark` is how option A was marked in the file ("A. "), "" where unknown;
    `shown_place` is the place, from 0, at which a model sees the key.
    """

    pk: int
    kind: str
    keep: bool
    source: str
    video: str
    question_type: str
    stem: str
    start: float
    end: float
    length: float
    roi: Box
    options: tuple[str, ...] = ()
    key_index: int | None = None
    shown_place: int | None = None
    mark: str = ""
    reference_answer: str = ""
    ground_truth: str = ""


@dataclass(frozen=True, slots=True)
class Mcq:
    """A kept MCQ: `key` is the index of the answer key, `place` its order among the kept MCQs
    of the benchmark, from 0."""

    pk: int
    source: str
    video: str
    question_type: str
    stem: str
    options: tuple[str, ...]
    key: int
    mark: str
    place: int


def keyed(items: Sequence[AuditItem]) -> list[Mcq]:
    """Return the kept MCQs that have at least two options and a key among them."""
    found: list[Mcq] = []
    for item in items:
        key, count = item.key_index, len(item.options)
        if item.kind != MCQ or not item.keep or count < FEWEST_OPTIONS:
            continue
        if key is not None and 0 <= key < count:
            found.append(
                Mcq(
                    item.pk,
                    item.source,
                    item.video,
                    item.question_type,
                    item.stem,
                    item.options,
                    key,
                    item.mark,
                    len(found),
                )
            )
    return found
