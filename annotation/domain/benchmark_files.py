"""The rows of the published layout, read and checked: videos, items, events."""

from dataclasses import dataclass, field
from typing import Any

from annotation.domain import youtube_ids
from annotation.domain.edits import (
    OPTION_LIMIT,
    OPTIONS_LIMIT,
    TEXT_LIMIT,
    VARIANT_LIMIT,
    VARIANTS_LIMIT,
)
from annotation.domain.questions import BadQuestion, Question, default_style, parse_question
from annotation.domain.roi import PROPS as ROI_KEYS
from annotation.domain.roi import Roi
from annotation.domain.rows import Fields, Finding
from annotation.domain.versions import digest
from annotation.domain.video_names import problem_with

METADATA = "video_metadata_new.json"
EARLIEST = -10.0  # a published segment starts 0.43 s before its source
LAST_SECOND = 1_000_000.0
ROUNDING = 1e-6
SHORT_CLIP = 2.0  # seconds
ITEM_KEYS = (
    "question",
    "answer",
    "groundtruth",
    "time_start",
    "time_end",
    "keep",
    "question_type",
)
EVENT_KEYS = ("start", "end", "action", "interpretation")
VIDEO_KEYS = ("youtube_url", "start_time", "end_time", "roi")
SOURCE_FILE = "source_file"  # in place of youtube_url: a file in our own store
ROI = "roi"  # of an item: its own box, above the video's
VARIANTS = "accepted_variants"  # of a free response: answers as good as its reference answer
FULL_FRAME = (0.0, 0.0, 1.0, 1.0)

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class VideoRow:
    """One entry of the metadata: times in seconds of the source, ROI in fractions."""

    name: str
    source_kind: str
    source_key: str
    start: float
    end: float
    roi: Box
    has_roi: bool
    url: str
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def content_digest(self) -> str:
        """Return what tells one segment and box of a source from another."""
        return content_digest(
            source=(self.source_kind, self.source_key),
            segment=(self.start, self.end),
            roi=self.roi,
        )


@dataclass(frozen=True)
class ItemRow:
    """One item; `raw` is its object as it stands in the file, `extra` the keys of it that
    the layout does not know."""

    kind: str
    index: int
    question: Question
    key_index: int | None
    reference_answer: str
    ground_truth: str
    start: float
    end: float
    keep: bool | None
    question_type: str
    roi: Box | None
    raw: dict[str, Any]
    extra: dict[str, Any]
    accepted_variants: tuple[str, ...] = ()

    @property
    def content_digest(self) -> str:
        """Return what tells one content of an item from another, keep decision left out."""
        return content_digest(
            stem=self.question.stem,
            options=self.question.options,
            key_index=self.key_index,
            reference_answer=self.reference_answer,
            ground_truth=self.ground_truth,
            window=(self.start, self.end),
            question_type=self.question_type,
            roi=self.roi,
            **with_variants(self.accepted_variants),
        )


@dataclass(frozen=True)
class EventRow:
    """One event; times in seconds from the start of the video."""

    position: int
    start: float
    end: float
    action: str
    interpretation: str
    extra: dict[str, Any]


def with_variants(variants: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Return the part of an item's content that its digest has only where there are any."""
    return {VARIANTS: variants} if variants else {}


def content_digest(**content: Any) -> str:
    """Return 16 hex digits over an item's content (see `ItemRow.content_digest`)."""
    return digest(content)[:16]


def read_video(name: str, value: Any) -> VideoRow | list[Finding]:
    """Read the metadata entry `name`; a list says what is wrong with it."""
    row = Fields(value, file=METADATA, position=name[:120])
    if reason := problem_with(name):
        row.refuse("", reason)
    kind, key, url = _read_source(row)
    start = row.number("start_time", low=EARLIEST, high=LAST_SECOND)
    end = row.number("end_time", low=0, high=LAST_SECOND)
    if not row.wrong and end <= start:
        row.refuse("end_time", f"is {end:g}, not after start_time {start:g}")
    box = _read_box(row)
    extra = row.unknown(frozenset(VIDEO_KEYS) | {SOURCE_FILE})
    if row.wrong:
        return row.wrong
    return VideoRow(name, kind, key, start, end, box or FULL_FRAME, box is not None, url, extra)


def _read_source(row: Fields) -> tuple[str, str, str]:
    """Return (kind, key, the URL as typed)."""
    if SOURCE_FILE in row.row:
        path = row.text(SOURCE_FILE, longest=200)
        if path and any(problem_with(part) for part in path.split("/")):
            row.refuse(SOURCE_FILE, "is no path below the store of sources")
        return "file", path, ""
    url = row.text("youtube_url", longest=youtube_ids.LONGEST_URL)
    try:
        return "youtube", youtube_ids.video_id(url) if url else "", url
    except ValueError as error:
        row.refuse("youtube_url", str(error))
        return "youtube", "", url


def _read_box(row: Fields) -> Box | None:
    inner = row.inner(ROI)
    if inner is None:
        return None
    before = len(row.wrong)
    x, y = (inner.number(name, low=0, high=1) for name in ROI_KEYS[:2])
    width, height = (inner.number(name, low=0, high=1) for name in ROI_KEYS[2:])
    if len(row.wrong) == before:
        if strangers := sorted(set(inner.row) - set(ROI_KEYS)):
            row.refuse(ROI, f"has the unknown key {strangers[0][:40]!r}")
        try:
            Roi(x, y, width, height)
        except ValueError as error:
            row.refuse(ROI, str(error))
    return x, y, width, height


def read_item(kind: str, index: int, value: Any, *, file: str) -> ItemRow | list[Finding]:
    """Read row `index` of a file of items of `kind`; a list says what is wrong with it."""
    row = Fields(value, file=file, position=f"row {index}")
    question = _read_question(row, kind)
    answer = row.text("answer", longest=TEXT_LIMIT)
    key_index = _read_key(row, question, answer) if kind == "mcq" else None
    start, end = _read_window(row, "time_start", "time_end", may_be_empty=False)
    item = ItemRow(
        kind=kind,
        index=index,
        question=question,
        key_index=key_index,
        reference_answer="" if kind == "mcq" else answer,
        ground_truth=row.text("groundtruth", required=False),
        start=start,
        end=end,
        keep=row.flag("keep"),
        question_type=row.text("question_type", longest=64, required=False),
        roi=_read_box(row),
        raw=row.row,
        extra=row.unknown(frozenset((*ITEM_KEYS, ROI, VARIANTS))),
        accepted_variants=_read_variants(row, kind, answer),
    )
    return row.wrong or item


def _read_variants(row: Fields, kind: str, answer: str) -> tuple[str, ...]:
    texts = row.texts(VARIANTS, most=VARIANTS_LIMIT, longest=VARIANT_LIMIT)
    if texts and kind == "mcq":
        row.refuse(VARIANTS, "belongs to free responses: an MCQ has its key")
    if len({answer.strip(), *(text.strip() for text in texts)}) <= len(texts):
        row.refuse(VARIANTS, "has two accepted answers that are equal")
    return tuple(texts)


def _read_question(row: Fields, kind: str) -> Question:
    text = row.text("question")
    try:
        if text:
            question = parse_question(text, kind)
            _check_lengths(row, question)
            return question
    except BadQuestion as error:
        row.refuse("question", str(error))
    return Question("", (), default_style(kind))


def _check_lengths(row: Fields, question: Question) -> None:
    """What comes in has to fit the editor, or nobody could mend it."""
    longest = max((len(option) for option in question.options), default=0)
    for what, found, most in (
        ("a stem of", len(question.stem), TEXT_LIMIT),
        ("an option of", longest, OPTION_LIMIT),
    ):
        if found > most:
            row.refuse("question", f"has {what} {found} characters; at most {most} are taken")
    if len(question.options) > OPTIONS_LIMIT:
        many = len(question.options)
        row.refuse("question", f"has {many} options; at most {OPTIONS_LIMIT} are taken")


def _read_key(row: Fields, question: Question, answer: str) -> int | None:
    if not question.options or not answer:
        return None
    if len(answer) != 1 or answer not in question.letters:
        letters = f"{question.letters[0]} to {question.letters[-1]}"
        row.refuse("answer", f"is {answer[:20]!r}, not one of the letters {letters}")
        return None
    return question.letters.index(answer)


def _read_window(row: Fields, first: str, last: str, *, may_be_empty: bool) -> tuple[float, float]:
    before = len(row.wrong)
    start = row.number(first, low=0, high=LAST_SECOND)
    end = row.number(last, low=0, high=LAST_SECOND)
    if len(row.wrong) == before and (end < start or (end == start and not may_be_empty)):
        row.refuse(last, f"is {end:g}, not after {first} {start:g}")
    return start, end


def read_event(position: int, value: Any, *, file: str) -> EventRow | list[Finding]:
    """Read row `position` of an event log; a list says what is wrong with it."""
    row = Fields(value, file=file, position=f"row {position}")
    start, end = _read_window(row, "start", "end", may_be_empty=True)
    action = row.text("action")
    interpretation = row.text("interpretation", required=False)
    extra = row.unknown(frozenset(EVENT_KEYS))
    return row.wrong or EventRow(position, start, end, action, interpretation, extra)


def video_doubts(video: VideoRow) -> list[Finding]:
    """Say what is odd about a video that is taken all the same."""
    found = []
    if video.start < 0:
        found.append(("start_time", f"lies {-video.start:.2f} s before the start of the source"))
    if not video.has_roi:
        found.append((ROI, "is missing; the full frame is taken"))
    return [Finding(METADATA, video.name, name, reason) for name, reason in found]


def item_doubts(item: ItemRow, video: VideoRow, *, file: str) -> list[Finding]:
    """Say what is odd about an item that is taken all the same."""
    length = video.end - video.start
    found = []
    if item.end > length + ROUNDING:
        found.append(("time_end", f"lies {item.end - length:.2f} s past the end of the video"))
    if video.start + item.start < 0:
        found.append(("time_start", "lies before the start of the source"))
    if item.end - item.start < SHORT_CLIP:
        found.append(("time_end", f"leaves a clip of {item.end - item.start:.2f} s"))
    if len(set(item.question.options)) < len(item.question.options):
        found.append(("question", "has two options that read the same"))
    return [Finding(file, f"row {item.index}", name, reason) for name, reason in found]
