"""What models and rules made of one item: shown to a reader after the own vote alone."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.domain.shortcuts import RULES, Flag, flags
from annotation.models import Item, ItemVersion
from evaluation.models import Judgement, Prediction
from evaluation.models.prediction import Outcome
from evaluation.models.run import Condition

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
NO_ANSWER = {
    Outcome.ABSTAINED: "gave no answer",
    Outcome.REFUSED: "refused",
    Outcome.FAILED: "call failed",
    Outcome.PENDING: "not read yet",
}


@dataclass(frozen=True)
class ModelAnswer:
    """One model's reply. `chosen` is an index into the version's options, `letter` the one
    that the reader sees there; `points` 0 to 2 of a free response, None where unscored."""

    name: str
    condition: str
    chosen: int | None
    letter: str
    right: bool
    scored: bool
    said: str
    points: float | None
    error_type: str
    explanation: str
    text: str


@dataclass(frozen=True)
class Evidence:
    """`seen` and `blind` answer what the item asks now; `stale` counts answers to what it
    asked before. `rule_finds_key`: the two-line rule picks the key."""

    version: ItemVersion
    seen: list[ModelAnswer]
    blind: list[ModelAnswer]
    flags: Sequence[Flag]
    rule_finds_key: bool
    stale: int

    @property
    def chance_words(self) -> str:
        return f"chance is 1 in {len(self.version.options)}" if self.version.options else ""

    @property
    def right(self) -> list[ModelAnswer]:
        return [answer for answer in self.seen if answer.right]

    @property
    def wrong(self) -> list[ModelAnswer]:
        return [answer for answer in self.seen if answer.scored and not answer.right]

    @property
    def unscored(self) -> list[ModelAnswer]:
        return [answer for answer in self.seen if not answer.scored]

    @property
    def scored(self) -> list[ModelAnswer]:
        return [answer for answer in self.seen if answer.scored]

    @property
    def blind_scored(self) -> list[ModelAnswer]:
        return [answer for answer in self.blind if answer.scored]

    @property
    def blind_right(self) -> list[ModelAnswer]:
        return [answer for answer in self.blind if answer.right]

    @property
    def blind_share(self) -> str:
        """The share of blind answers, over models and repeats, that are right."""
        scored = self.blind_scored
        return f"{100 * len(self.blind_right) / len(scored):.0f} %" if scored else ""

    @property
    def chance_share(self) -> str:
        return f"{100 / len(self.version.options):.0f} %" if self.version.options else ""

    @property
    def blind_names(self) -> list[str]:
        """Each blind model with what became of its repeats: "Seer 2 of 3", or why unscored."""
        by_name: dict[str, list[ModelAnswer]] = {}
        for answer in self.blind:
            by_name.setdefault(answer.name, []).append(answer)
        told = []
        for name, answers in by_name.items():
            scored = [answer for answer in answers if answer.scored]
            right = sum(answer.right for answer in scored)
            last = answers[-1].said or "not scored"
            told.append(f"{name} {right} of {len(scored)}" if scored else f"{name}: {last}")
        return told

    def marks(self) -> list[tuple[int, list[ModelAnswer], Sequence[Flag]]]:
        """Return what belongs at each option: its index, who chose it with the clip in view,
        and, at the key, its shortcut flags."""
        found = []
        for index in range(len(self.version.options)):
            chosen_by = [answer for answer in self.seen if answer.chosen == index]
            own_flags = self.flags if index == self.version.key_index else ()
            if chosen_by or own_flags:
                found.append((index, chosen_by, own_flags))
        return found


def evidence_on(item: Item) -> Evidence:
    """Return the evidence on the current version of `item` (fetched with it). Two queries."""
    version = item.current
    if version is None:
        raise ValueError("an item without a version has no evidence")
    rows = (
        Prediction.objects.filter(item_version__item=item, run__contestant__is_reference=False)
        .select_related("run__contestant", "item_version")
        .order_by("run_id", "repeat")
    )
    fresh, stale = [], 0
    for row in rows:
        if _asked_the_same(row, version):
            fresh.append(row)
        else:
            stale += 1
    fresh = _newest_runs(fresh)
    judged = [
        row for row in fresh if row.item_version.accepted_variants == version.accepted_variants
    ]
    verdicts = _verdicts(judged) if version.key_index is None else {}
    answers = [(row.run.condition, _answer(row, version, verdicts.get(row.pk))) for row in fresh]
    found: Sequence[Flag] = ()
    by_rule = False
    if version.key_index is not None:
        found = flags(version.options, version.key_index)
        by_rule = RULES["punctuation-length"](version.options) == version.key_index
    return Evidence(
        version,
        [answer for condition, answer in answers if condition != Condition.BLIND],
        [answer for condition, answer in answers if condition == Condition.BLIND],
        found,
        by_rule,
        stale,
    )


def _asked_the_same(row: Prediction, version: ItemVersion) -> bool:
    if row.item_version.text_digest != version.text_digest:
        return False
    blind = row.run.condition == Condition.BLIND
    return blind or row.item_version.clip_digest == version.clip_digest


def _newest_runs(rows: list[Prediction]) -> list[Prediction]:
    newest = {(row.run.contestant_id, row.run.condition): row.run_id for row in rows}
    return [row for row in rows if newest[row.run.contestant_id, row.run.condition] == row.run_id]


def _verdicts(rows: list[Prediction]) -> dict[int, Judgement]:
    """The verdict of each prediction by its run's own judge, or else the latest."""
    own = {row.pk: row.run.judge_label for row in rows}
    found: dict[int, Judgement] = {}
    judgements = (
        Judgement.objects.own().filter(prediction__in=list(own), failed=False).order_by("pk")
    )
    for judgement in judgements:
        known = found.get(judgement.prediction_id)
        if known is None or known.judge_label != own[judgement.prediction_id]:
            found[judgement.prediction_id] = judgement
    return found


def _answer(row: Prediction, version: ItemVersion, verdict: Judgement | None) -> ModelAnswer:
    chosen = row.chosen
    letter = ""
    if chosen is not None and chosen in version.shown_order:
        letter = LETTERS[version.shown_order.index(chosen)]
    points = verdict.score if verdict else None
    is_mcq = version.key_index is not None
    without_answer = row.outcome in (Outcome.ABSTAINED, Outcome.REFUSED)
    if points is None and without_answer and not is_mcq:
        points = 0
    return ModelAnswer(
        name=row.run.contestant.name,
        condition="" if row.run.condition == Condition.VIDEO else row.run.get_condition_display(),
        chosen=chosen,
        letter=letter,
        right=bool(row.score) if is_mcq else points == 2,
        scored=(row.score is not None or without_answer) if is_mcq else points is not None,
        said=NO_ANSWER.get(Outcome(row.outcome), f"chose {letter}" if letter else ""),
        points=points,
        error_type=verdict.error_type.replace("_", " ") if verdict else "",
        explanation=verdict.explanation if verdict else "",
        text="" if is_mcq else (row.answer_text or row.raw_reply),
    )
