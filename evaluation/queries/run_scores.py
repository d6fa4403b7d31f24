"""What a run scored on the kept items of a release.

A stored prediction counts for an item version of the release where a model would be asked the
same (`run_answers`), so a later release scores stored predictions again without one new call. A
judgement counts where it was made with the accepted variants that the version has: where they
changed, the reply stays and its judgement is stale, which leaves the item unscored.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from evaluation.domain.circular import circular_score
from evaluation.domain.metrics import POINTS
from evaluation.models import Judgement, Run
from evaluation.models.prediction import Outcome
from evaluation.models.run import WorkState
from evaluation.queries.kept_items import KeptItem, KeptItems
from evaluation.queries.run_answers import Answer, answers_of

NO_ANSWER = (Outcome.ABSTAINED, Outcome.REFUSED)


@dataclass(frozen=True)
class Verdict:
    """What a judge, or a panel, made of one free response; `score` in points, None where it
    failed."""

    score: float | None
    error_type: str


@dataclass
class RunScores:
    """Scores from 0 to 1 by place in the list of kept items, and what became of the rest.

    `outcomes` counts free responses by points ("0", "1", "2") and error type, `failures`
    the items without a score by cause, `labels` refusals and abstentions, `stale` holds the
    ids of items whose predictions answered an earlier version.
    """

    places: "array[int]" = field(default_factory=lambda: array("q"))
    values: "array[float]" = field(default_factory=lambda: array("d"))
    outcomes: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    failures: Counter[str] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)
    stale: list[int] = field(default_factory=list)
    kinds: set[str] = field(default_factory=set)
    judge: dict[str, object] | None = None


def run_scores(
    run: Run, items: KeptItems, *, verdicts: Mapping[int, list[Verdict]] | None = None
) -> RunScores:
    """Return the scores of `run` on `items`. Three queries, whatever the number of items.

    `verdicts`, by prediction, stand in the place of those of the run's own judge.
    """
    answers = answers_of(run, items)
    judge = None
    if verdicts is None:
        verdicts, judge = _verdicts(run)
    failed_work = _failed_work(run)
    scores = RunScores(judge=judge)
    for place, item in enumerate(items):
        found = answers.at(place)
        if found:
            scores.kinds.add(item.asked.kind)
            if run.circular and item.options:
                _take_turns(scores, place, item, found)
            else:
                _take(scores, place, item, found, verdicts)
        elif answers.asked[place]:
            scores.stale.append(item.item_id)
            scores.failures["stale"] += 1
        else:
            scores.failures[failed_work.get(item.version_id, "not asked")] += 1
    return scores


def _verdicts(run: Run) -> tuple[dict[int, list[Verdict]], dict[str, object] | None]:
    """Return the verdicts by prediction of the run's own judge, or of the busiest one."""
    rows = Judgement.objects.by(run).values_list(
        "judge_label", "rubric_version", "judge_version", "prediction_id",
        "score", "failed", "error_type",
    )  # fmt: skip
    panels: dict[tuple[str, str], dict[int, list[Verdict]]] = defaultdict(lambda: defaultdict(list))
    versions: dict[tuple[str, str], set[str]] = defaultdict(set)
    for label, rubric, version, prediction, score, failed, error_type in rows.iterator():
        panels[label, rubric][prediction].append(Verdict(None if failed else score, error_type))
        if version:
            versions[label, rubric].add(version)
    if not panels:
        return {}, None
    own = (run.judge_label, run.rubric_version)
    chosen = own if own in panels else max(panels, key=lambda key: (len(panels[key]), key))
    label, rubric = chosen
    return panels[chosen], {
        "label": label,
        "rubric": rubric,
        "versions": sorted(versions[chosen]),
    }


def _failed_work(run: Run) -> dict[int, str]:
    rows = run.work_items.filter(state__in=[WorkState.FAILED, WorkState.UNKNOWN]).values_list(
        "item_version_id", "stage", "state", "error_class"
    )
    return {
        version: error or ("reply lost" if state == WorkState.UNKNOWN else f"{stage} failed")
        for version, stage, state, error in rows
    }


def _take(
    scores: RunScores,
    place: int,
    item: KeptItem,
    answers: Iterable[Answer],
    verdicts: Mapping[int, list[Verdict]],
) -> None:
    reasons = []
    taken = False
    for answer in answers:
        if answer.outcome in NO_ANSWER:
            scores.labels[answer.outcome] += 1
        value, reason = (
            _mcq_score(answer)
            if item.asked.kind == "mcq"
            else _free_score(answer, verdicts.get(answer.pk, []), scores.outcomes)
        )
        if value is None:
            reasons.append(reason)
            continue
        scores.places.append(place)
        scores.values.append(value)
        taken = True
    if not taken:
        scores.failures[reasons[0]] += 1


def _take_turns(scores: RunScores, place: int, item: KeptItem, answers: list[Answer]) -> None:
    """Score an MCQ that was asked in every rotation of its options by all of them together."""
    given = [_mcq_score(answer) for answer in answers]
    for answer in answers:
        if answer.outcome in NO_ANSWER:
            scores.labels[answer.outcome] += 1
    value = circular_score([score for score, _ in given], item.options)
    if value is None:
        why = next((reason for score, reason in given if score is None), "a rotation is missing")
        scores.failures[why] += 1
        return
    scores.places.append(place)
    scores.values.append(value)


def _mcq_score(answer: Answer) -> tuple[float | None, str]:
    if answer.outcome in NO_ANSWER:
        return 0.0, ""
    if answer.score is None:
        return None, _why(answer)
    return answer.score, ""


def _free_score(
    answer: Answer, verdicts: list[Verdict], outcomes: dict[str, Counter[str]]
) -> tuple[float | None, str]:
    given = (
        [] if answer.is_stale else [verdict for verdict in verdicts if verdict.score is not None]
    )
    if answer.outcome == Outcome.FAILED:
        return None, _why(answer)
    if not given and answer.outcome in NO_ANSWER:
        outcomes["0"][answer.outcome] += 1
        return 0.0, ""
    if not given and verdicts and answer.is_stale:
        return None, "judgement stale"
    if not given:
        return None, "judge failed" if verdicts else "not judged"
    points = [verdict.score for verdict in given if verdict.score is not None]
    outcomes[str(points[-1])][given[-1].error_type or "none"] += 1
    return sum(points) / len(points) / POINTS["free"], ""


def _why(answer: Answer) -> str:
    if answer.error_class:
        return answer.error_class
    return "call failed" if answer.outcome == Outcome.FAILED else "not read yet"
