"""What the page of one answer of a run shows, which is what its drawer shows too."""

from dataclasses import dataclass, field
from typing import Any

from django.utils.http import urlencode

from annotation import media, seen_clips
from annotation.domain.question_texts import letter
from annotation.models import ItemVersion
from annotation.models.item import Kind
from annotation.source_access import Withheld
from evaluation.domain.circular import turned
from evaluation.domain.mcq import read_reply
from evaluation.domain.prompts import Asked
from evaluation.engine.texts import question_texts, verdict_texts
from evaluation.models import Prediction, Run, WorkItem
from evaluation.models.prediction import Outcome
from evaluation.models.run import Condition
from evaluation.queries.run_item import Answer
from evaluation.queries.run_item_filter import ItemFilter
from evaluation.queries.run_item_pages import ANSWERED_ELSEWHERE, cursor_of, item_page
from evaluation.queries.run_items import score_of, state_of, type_number, verdicts_by
from sonovqa.logs import hide

FENCE = "a mark drawn anew for each call"
REPLY_SHOWN = 50_000  # characters of a reply that a page shows


@dataclass(frozen=True)
class Option:
    """An option as it was shown."""

    letter: str
    text: str
    is_key: bool
    is_chosen: bool


@dataclass(frozen=True)
class ShownClip:
    """What the model was shown: `facts` as kept with its reply, `kept` the very file where it is
    still here, else `why_not`."""

    facts: dict[str, Any] = field(default_factory=dict)
    sha256: str = ""
    kept: seen_clips.SeenClip | None = None
    why_not: str = ""
    still_ms: int | None = None
    other: ItemVersion | None = None


def answer_context(answer: Answer, wanted: ItemFilter) -> dict[str, Any]:
    """Return what the template of an answer needs."""
    run, version, prediction = answer.run, answer.version, answer.prediction
    last = next((one for one in reversed(answer.steps) if one.stage != "clip"), None)
    last = last or (answer.steps[-1] if answer.steps else None)
    verdict = None
    if prediction is not None:
        verdict = verdicts_by(run, [prediction.pk]).get(prediction.pk)
    raw = prediction.raw_reply if prediction else ""
    return {
        "run": run,
        "answer": answer,
        "version": version,
        "item": version.item,
        "number": version.item.index + 1,
        "type_number": type_number(version.question_type),
        "prediction": prediction,
        "state": state_of(last, prediction),
        "score": score_of(prediction, verdict),
        "most": 1 if version.item.kind == Kind.MCQ else 2,
        "clip": shown_clip(run, version, prediction) if prediction else None,
        "asked": asked_of(run.rejudges or run, version, answer.repeat),
        "options": options_of(version, prediction),
        "reply": raw[:REPLY_SHOWN],
        "reply_cut": max(0, len(raw) - REPLY_SHOWN),
        "rule": rule_of(version, prediction),
        "judge_asked": judge_asked(run, version, prediction),
        "verdict": verdict,
        "steps": [(one, hide(one.error_message)) for one in answer.steps],
        "failure": hide(prediction.error_message) if prediction else "",
        "query": urlencode(wanted.given),
        "benchmark": run.benchmark,
        "nav_active": "runs",
    }


def next_answer(answer: Answer, wanted: ItemFilter) -> WorkItem | Prediction | None:
    """Return the row that follows in the table of what `wanted` lets through."""
    asked = [one for one in answer.steps if one.stage == "predict"]
    is_given = answer.run.origin in ANSWERED_ELSEWHERE
    here = answer.prediction if is_given else next(iter([*asked, *answer.steps]), None)
    if here is None:
        return None
    after = item_page(answer.run, wanted, cursor_of(here), size=1)
    return after.rows[0] if after.rows else None


def asked_of(run: Run, version: ItemVersion, repeat: int) -> Asked | None:
    """Return the texts that were sent; None where the run does not say which."""
    order = turned(version.shown_order, repeat if run.circular else 0)
    try:
        return question_texts(
            version,
            condition=run.condition,
            prompt_version=run.prompt_version,
            order=order,
            confidence=bool(run.parameters.get("ask_confidence")),
        )
    except KeyError:
        return None


def judge_asked(run: Run, version: ItemVersion, prediction: Prediction | None) -> Asked | None:
    """Return the texts that the run's judge is given; None where it is not asked."""
    is_free = version.item.kind == Kind.FREE
    if prediction is None or not is_free or prediction.outcome != Outcome.ANSWERED:
        return None
    try:
        return verdict_texts(
            version, prediction.answer_text, rubric_version=run.rubric_version, fence=FENCE
        )
    except KeyError:
        return None


def options_of(version: ItemVersion, prediction: Prediction | None) -> list[Option]:
    """Return the options in the order in which the model was shown them."""
    order = (prediction.shown_order if prediction else None) or version.shown_order
    chosen = prediction.chosen if prediction else None
    return [
        Option(letter(place), version.options[index], index == version.key_index, index == chosen)
        for place, index in enumerate(order)
    ]


def rule_of(version: ItemVersion, prediction: Prediction | None) -> str:
    """Return by what the reply was read, in words."""
    if prediction is None or prediction.outcome in (Outcome.PENDING, Outcome.FAILED):
        return ""
    if version.item.kind == Kind.FREE:
        return "the whole reply is taken"
    if prediction.error_class:
        return f"the provider says {prediction.error_class}"
    order = prediction.shown_order or version.shown_order
    if len(order) < 2:
        return ""
    reading = read_reply(prediction.raw_reply, len(order))
    read = None if reading.index is None else order[reading.index]
    return reading.rule if read == prediction.chosen else "as it was imported"


def shown_clip(run: Run, version: ItemVersion, prediction: Prediction) -> ShownClip | None:
    """Return what is known of the pixels; None where the model was shown none."""
    if run.condition == Condition.BLIND:
        return None
    facts = prediction.extra.get("clip", {}) if isinstance(prediction.extra, dict) else {}
    seen, why_not, kept = seen_version(version, facts), "", None
    try:
        kept = seen_clips.find(seen, prediction.clip_sha256)
    except Withheld as refusal:
        why_not = refusal.reason
    if kept is None and not why_not:
        why_not = "The file is not kept on this machine any more."
        if not prediction.clip_sha256:
            why_not = "Which file the model saw is not recorded."
    middle = (seen.start + seen.end) / 2
    has_still = not kept and media.still_path(seen.item.video, middle).exists()
    return ShownClip(
        facts=facts,
        sha256=prediction.clip_sha256,
        kept=kept,
        why_not=why_not,
        still_ms=round(middle * 1000) if has_still else None,
        other=seen if seen.pk != version.pk else None,
    )


def seen_version(version: ItemVersion, facts: dict[str, Any]) -> ItemVersion:
    """Return the version whose clip was shown: another's in the condition "shuffled"."""
    other = facts.get("of_version")
    if not isinstance(other, int):
        return version
    found = ItemVersion.objects.select_related("item__video__source").filter(pk=other).first()
    return found or version
