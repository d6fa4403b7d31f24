"""Turns the rows of a prediction file into predictions, and compares them with what is stored."""

from dataclasses import dataclass, field

from annotation.domain.import_report import Change, ImportReport
from annotation.domain.rows import Finding
from evaluation.domain.mcq import ReadOutcome
from evaluation.domain.prediction_files import PredictionRow, Verdict
from evaluation.domain.prediction_matching import (
    AskedItem,
    Matched,
    NoMatch,
    claims_doubted,
    match_row,
    read_choice,
)
from evaluation.models import Judgement, Prediction, Run
from evaluation.models.prediction import Outcome

OUTCOMES = {
    ReadOutcome.ANSWERED: Outcome.ANSWERED,
    ReadOutcome.ABSTAINED: Outcome.ABSTAINED,
    ReadOutcome.REFUSED: Outcome.REFUSED,
}
FAILED_CALL = "imported"
COMPARED = ("outcome", "raw_reply", "answer_text", "chosen", "shown_order")


@dataclass
class Arrival:
    """One reply to store: a prediction that is not saved, or one that exists, and what a
    judge made of it. `replaces` is set where an earlier, failed call is made good.
    """

    prediction: Prediction
    verdict: Verdict | None = None
    replaces: bool = False


@dataclass
class Stored:
    """What the run holds already, by item version."""

    predictions: dict[int, Prediction] = field(default_factory=dict)
    judgements: dict[int, Judgement] = field(default_factory=dict)


def stored_replies(run: Run, judge_label: str, items: list[AskedItem]) -> Stored:
    """Return what `run` holds of `items`: predictions, and the verdicts of one judge."""
    versions = [item.version_id for item in items]
    predictions = Prediction.objects.filter(run=run, repeat=0, item_version__in=versions)
    judgements = Judgement.objects.own().filter(
        prediction__run=run, prediction__item_version__in=versions, judge_label=judge_label
    )
    return Stored(
        {found.item_version_id: found for found in predictions},
        {found.prediction_id: found for found in judgements},
    )


def build_prediction(row: PredictionRow, matched: Matched) -> Prediction:
    """Return an unsaved prediction without its run.

    The score of an MCQ comes from the release’s own key. The order of options that the file
    shows is stored where it is not the version’s own.
    """
    item = matched.item
    prediction = Prediction(
        item_version_id=item.version_id,
        outcome=Outcome.ANSWERED,
        raw_reply=row.raw,
        answer_text=row.prediction,
        latency=row.latency,
        extra=row.extra,
    )
    if item.options and matched.shown != item.shown_order:
        prediction.shown_order = list(matched.shown)
    if row.failure:
        prediction.outcome = Outcome.FAILED
        prediction.error_class = FAILED_CALL
        prediction.error_message = row.failure
    elif item.options:
        choice = read_choice(row, matched)
        prediction.outcome = OUTCOMES[choice.outcome]
        prediction.chosen = choice.chosen
        right = choice.chosen is not None and choice.chosen == item.key_index
        prediction.score = float(right)
    return prediction


def plan_file(
    rows: list[PredictionRow],
    items: list[AskedItem],
    stored: Stored,
    file: str,
    report: ImportReport,
) -> list[Arrival]:
    """Return what the rows of one file bring that the run does not hold yet."""
    arrivals: list[Arrival] = []
    seen: set[int] = set()
    for row in rows:
        try:
            matched = match_row(row, items)
            if matched.item.version_id in seen:
                raise NoMatch(f"answers {matched.item.key} a second time in this file")
        except NoMatch as error:
            report.refuse("replies", [Finding(file, f"row {row.index}", "question", str(error))])
            continue
        seen.add(matched.item.version_id)
        _note(row, matched, file, report)
        arrival = _compare(row, matched, stored, file, report)
        if arrival is not None:
            arrivals.append(arrival)
    return arrivals


def _note(row: PredictionRow, matched: Matched, file: str, report: ImportReport) -> None:
    kind, position = matched.item.kind, f"row {row.index}"
    report.tally(kind).read += 1
    how = report.facts["matched_by"]
    how[matched.by] = how.get(matched.by, 0) + 1
    if matched.item.index != row.index:
        reason = f"answers the item at place {matched.item.index}, by its {matched.by}"
        report.mapped.add(Finding(file, position, "question", reason))
    if row.failure:
        report.facts["failed_calls"] += 1
        reason = f"the call failed, so it has no score: {row.failure[:120]}"
        report.doubts.add(Finding(file, position, "inference_metadata", reason))
    for name, reason in (*row.odd, *claims_doubted(row, matched)):
        report.doubts.add(Finding(file, position, name, reason))


def _compare(
    row: PredictionRow, matched: Matched, stored: Stored, file: str, report: ImportReport
) -> Arrival | None:
    """Return what is new of a row, or None; a stored reply is never replaced by another."""
    found = build_prediction(row, matched)
    tally, position = report.tally(matched.item.kind), f"row {row.index}"
    if found.outcome == Outcome.ABSTAINED:
        reason = "states no option of the question; counted as no answer"
        report.doubts.add(Finding(file, position, "model_prediction", reason))
    known = stored.predictions.get(matched.item.version_id)
    if known is None:
        tally.new += 1
        _count_verdict(row, report)
        return Arrival(found, row.verdict)
    if known.outcome == Outcome.FAILED and found.outcome != Outcome.FAILED:
        tally.changed += 1
        report.changes.add(Change(matched.item.key, "outcome", known.outcome, found.outcome))
        found.pk, found.run_id, found.created_at = known.pk, known.run_id, known.created_at
        _count_verdict(row, report)
        return Arrival(found, row.verdict, replaces=True)
    differing = [name for name in COMPARED if getattr(known, name) != getattr(found, name)]
    if differing and found.outcome != Outcome.FAILED:
        reason = "this run holds another reply to the item; name the model otherwise"
        report.refuse("replies", [Finding(file, position, differing[0], reason)])
        return None
    return _compare_verdict(row, known, stored, file, report, matched.item.kind)


def _compare_verdict(
    row: PredictionRow,
    known: Prediction,
    stored: Stored,
    file: str,
    report: ImportReport,
    kind: str,
) -> Arrival | None:
    judged = stored.judgements.get(known.pk)
    if row.verdict is None or (judged and _is_same(judged, row.verdict)):
        report.tally(kind).unchanged += 1
        return None
    if judged is None:
        report.tally(kind).changed += 1
        _count_verdict(row, report)
        change = Change(f"{file}, row {row.index}", "eval_score", None, row.verdict.score)
        report.changes.add(change)
        return Arrival(known, row.verdict)
    reason = "this judge has judged the reply otherwise before; give another --judge"
    report.refuse("replies", [Finding(file, f"row {row.index}", "eval_score", reason)])
    return None


def _is_same(judged: Judgement, verdict: Verdict) -> bool:
    ours = (judged.score, judged.error_type, judged.explanation)
    return ours == (verdict.score, verdict.error_type, verdict.explanation)


def _count_verdict(row: PredictionRow, report: ImportReport) -> None:
    report.facts["judgements"] += row.verdict is not None
