"""The rows of `pred_*.json` and `score_pred_*.json`, read and checked.

Only replies are taken from such a file, and, for free responses, what a judge made of them.
The answer, the keep flag and the score of an MCQ that it claims are compared and never used.
"""

import re
from dataclasses import dataclass
from typing import Any

from annotation.domain.questions import BadQuestion, Question, parse_question
from annotation.domain.rows import Fields, Finding
from evaluation.domain.rubric import ERROR_TYPES, MOST_POINTS

FILE_NAME = re.compile(r"(?:score_)?pred_(?P<video>.+)\.json", re.DOTALL)
SUMMARY = "batch_summary.json"
LONGEST_REPLY = 200_000
LONGEST_MESSAGE = 500
LONGEST_LATENCY = 86_400_000.0  # a day, in milliseconds
CALL = "inference_metadata"
CALL_KEYS = frozenset({"raw_response", "latency_ms", "success", "error_message"})
JUDGE_KEYS = frozenset({"eval_score", "eval_max_score", "judge_explanation", "judge_error_type"})
CLAIMS = frozenset(
    {"answer", "original_answer", "keep", "groundtruth", "question_type", "time_start", "time_end"}
)
KNOWN = frozenset({"question", "original_question", "model_prediction", CALL, "duration"})


@dataclass(frozen=True)
class Verdict:
    """What the file's judge made of a free response: 0, 1 or 2 points and why."""

    score: int
    error_type: str
    explanation: str


@dataclass(frozen=True)
class PredictionRow:
    """One reply. `shown` is the question as the model saw it, `original` what it was before
    its options were shuffled; `prediction` is what was read from the reply, `raw` the reply
    itself, latency in seconds; `failure` is empty unless the call failed. `claims` are the
    file's own words on the item, `extra` its unknown keys, `odd` fields worth a doubt.
    """

    index: int
    shown: Question
    original: Question | None
    prediction: str
    raw: str
    latency: float | None
    failure: str
    verdict: Verdict | None
    claims: dict[str, Any]
    extra: dict[str, Any]
    odd: tuple[tuple[str, str], ...] = ()


def video_part(file_name: str) -> str:
    """Return the video's name in the name of a prediction file; "" where it is none."""
    found = FILE_NAME.fullmatch(file_name)
    return found["video"] if found else ""


def split_question(text: str) -> Question | None:
    """Return a file's question split: an MCQ where it has options, else a free response."""
    for kind in ("free",) if text.startswith("[FREE]") else ("mcq", "free"):
        try:
            return parse_question(text, kind)
        except BadQuestion:
            continue
    return None


def read_prediction(index: int, value: Any, *, file: str) -> PredictionRow | list[Finding]:
    """Read row `index` of a prediction file; a list says what is wrong with it."""
    row = Fields(value, file=file, position=f"row {index}")
    text = row.text("question")
    shown = split_question(text)
    if text and shown is None:
        row.refuse("question", "is neither a free-response question nor one with options")
    original = split_question(row.text("original_question", required=False))
    prediction = row.text("model_prediction", longest=LONGEST_REPLY, required=False)
    raw, latency, failure, odd = _read_call(row, prediction)
    judged = not failure and shown is not None and not shown.options
    verdict, doubted = _read_verdict(row) if judged else (None, ())
    if shown is None or row.wrong:
        return row.wrong
    found = PredictionRow(
        index=index,
        shown=shown,
        original=original,
        prediction="" if failure else prediction,
        raw="" if failure else raw,
        latency=latency,
        failure=failure[:LONGEST_MESSAGE],
        verdict=verdict,
        claims={key: row.row[key] for key in CLAIMS if key in row.row},
        extra=_extra(row),
        odd=(*odd, *doubted),
    )
    return row.wrong or found


def _read_call(
    row: Fields, prediction: str
) -> tuple[str, float | None, str, tuple[tuple[str, str], ...]]:
    """Return (raw reply, latency, failure, what is odd)."""
    call = row.inner(CALL)
    if call is None:
        return prediction, None, "" if prediction.strip() else "the reply is empty", ()
    raw = call.text("raw_response", longest=LONGEST_REPLY, required=False) or prediction
    message = call.text("error_message", longest=LONGEST_REPLY, required=False).strip()
    success = call.flag("success")
    latency = None
    if call.row.get("latency_ms") is not None:
        latency = call.number("latency_ms", low=0, high=LONGEST_LATENCY) / 1000
    if success is False or not raw.strip() or (message and success is None):
        return raw, latency, message or "the reply is empty", ()
    odd = (("error_message", f"is not empty, though the call succeeded: {message[:80]}"),)
    return raw, latency, "", odd if message else ()


def _read_verdict(row: Fields) -> tuple[Verdict | None, tuple[tuple[str, str], ...]]:
    score, most = row.row.get("eval_score"), row.row.get("eval_max_score", MOST_POINTS)
    explanation = row.text("judge_explanation", required=False)
    error_type = row.text("judge_error_type", longest=32, required=False)
    if score is None:
        return None, ()
    if isinstance(score, bool) or not isinstance(score, int) or not 0 <= score <= MOST_POINTS:
        row.refuse("eval_score", f"is {str(score)[:20]}, not 0, 1 or 2")
        return None, ()
    if isinstance(most, bool) or most != MOST_POINTS:
        row.refuse("eval_max_score", f"is {str(most)[:20]}, not {MOST_POINTS}")
        return None, ()
    if error_type and error_type not in ERROR_TYPES:
        odd = (("judge_error_type", f"{error_type!r} is unknown and was left out"),)
        return Verdict(score, "", explanation), odd
    return Verdict(score, error_type, explanation), ()


def _extra(row: Fields) -> dict[str, Any]:
    found = row.unknown(KNOWN | JUDGE_KEYS | CLAIMS)
    call = row.row.get(CALL)
    if isinstance(call, dict):
        inner = Fields(call, file=row.file, position=row.position)
        more = inner.unknown(CALL_KEYS)
        row.wrong += inner.wrong
        if more:
            found[CALL] = more
    return found
