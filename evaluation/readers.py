"""The human baseline: readers' own answers as rows of the leaderboard, single and pooled.

People are references: shown apart, never ranked among models. Only answers given before the key
was shown count (see `annotation.queries.answering`).
"""

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from annotation.actions.trail import SYSTEM
from annotation.domain.counted import counted_text as counted
from annotation.models import Release, User
from annotation.permissions import Verb, require
from annotation.queries.blind_answers import blind_answers, informed_answers
from evaluation.actions.entries import EntryRefused, publish_entry
from evaluation.actions.readers import judge_answers, store_answers, store_pooled
from evaluation.domain.pooling import pool_choices
from evaluation.leaderboard import compute_entry
from evaluation.models import Contestant, Judgement, LeaderboardEntry, Prediction, Run
from evaluation.models.prediction import Outcome
from evaluation.models.run import Origin, RunState
from evaluation.queries.board import POOLED
from evaluation.queries.kept_items import KeptItem, kept_items

FEWEST_POOLED = 2  # readers; the pooled row of one reader would be that reader's


@dataclass
class Settled:
    """What was made of the answers on a release. `left_out` counts answers of readers who knew
    the key of an earlier version, `to_judge` free responses that wait for a judge's reply,
    `unjudged` those that no judge was asked for."""

    readers: int = 0
    answers: int = 0
    left_out: int = 0
    to_judge: int = 0
    unjudged: int = 0
    entries: list[LeaderboardEntry] = field(default_factory=list)

    def told(self) -> str:
        """Return it in a sentence or two."""
        if not self.answers:
            return "No reader has answered an item of this release from the clip alone."
        parts = [f"{counted(self.answers, 'answer')} of {counted(self.readers, 'reader')} stand"]
        if self.to_judge:
            parts.append(f"{counted(self.to_judge, 'free response')} went to the judge")
        if self.unjudged:
            parts.append(f"{counted(self.unjudged, 'free response')} without a judge stay unscored")
        if self.left_out:
            parts.append(f"{counted(self.left_out, 'answer')} left out: the key was known")
        return "; ".join(parts) + "."

    def facts(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {
            "readers": self.readers,
            "answers": self.answers,
            "left_out": self.left_out,
            "to_judge": self.to_judge,
            "unjudged": self.unjudged,
            "entries": [
                {
                    "name": entry.run.contestant.name,
                    "scored": entry.figures["scored"],
                    "items": entry.figures["items"],
                    "provisional": entry.provisional,
                    "published": entry.published_at is not None,
                }
                for entry in self.entries
            ],
        }


def settle_readers(
    release: Release, *, by: User | str, judge: Contestant | None = None, publish: bool = True
) -> Settled:
    """Make or bring up to date the rows of the readers of `release`, and the pooled one.

    Idempotent: nothing new makes nothing new. With `judge`, free responses go through the work
    loop that judges predictions, and the rows follow when it is done; without one they stay
    unscored, never 0. Names are codes; no login is stored with a run.

    Raises PermissionDenied where `by` may not publish, or not spend a judge's money;
    ReadersRefused where another judge has begun.
    """
    if isinstance(by, User):
        require(by, Verb.PUBLISH)
    settled = Settled(left_out=informed_answers(release))
    for reader, rows in groupby(blind_answers(release), key=lambda answer: answer.pseudonym):
        answers = list(rows)
        run = store_answers(release=release, reader=reader, answers=answers, by=by)
        waiting = judge_answers(run=run, judge=judge, publish=publish, by=by)
        settled.readers += 1
        settled.answers += len(answers)
        settled.to_judge += waiting
        settled.unjudged += 0 if judge else _unjudged(run)
        run.refresh_from_db()
        settled.entries += _entry(run, publish, by)
    pooled = pool(release)
    settled.entries += _entry(pooled, publish, by) if pooled else []
    return settled


def readers_done(run: Run) -> None:
    """Bring the pooled row up to date once a judge is through with a reader's run."""
    pooled = pool(run.release)
    if pooled is not None:
        _entry(pooled, run.publish_when_done, run.started_by or SYSTEM)


def pool(release: Release) -> Run | None:
    """Return the pooled run of the readers of `release`, made anew; None below two readers."""
    runs = list(
        Run.objects.filter(release=release, origin=Origin.READERS)
        .exclude(contestant__slug=POOLED)
        .order_by("pk")
    )
    if len(runs) < FEWEST_POOLED:
        return None
    given = _predictions(runs)
    verdicts = _verdicts(runs)
    rows: list[tuple[Prediction, list[int]]] = []
    for item in kept_items(release):
        found = given.get((item.item_id, item.text_digest, item.clip_digest), [])
        if found and item.options:
            rows.append((_pooled_choice(item, found), []))
        elif found:
            rows.append(_pooled_response(item, found, verdicts))
    judged = next((run for run in runs if run.judge_label), runs[0])
    return store_pooled(release=release, rows=rows, like=judged)


Asked = tuple[int, str, str]  # item id, text digest, clip digest


def _predictions(runs: list[Run]) -> dict[Asked, list[Prediction]]:
    rows = (
        Prediction.objects.filter(run__in=runs)
        .select_related("item_version")
        .order_by("run_id", "pk")
    )
    found: dict[Asked, list[Prediction]] = defaultdict(list)
    for row in rows:
        version = row.item_version
        found[version.item_id, version.text_digest, version.clip_digest].append(row)
    return found


def _verdicts(runs: list[Run]) -> dict[int, int]:
    """Return the score of each judged free response by its run's own judge."""
    labels = {run.pk: run.judge_label for run in runs}
    rows = Judgement.objects.own().filter(
        prediction__run__in=runs, failed=False, score__isnull=False
    )
    return {
        prediction: score
        for prediction, run, label, score in rows.order_by("pk").values_list(
            "prediction_id", "prediction__run_id", "judge_label", "score"
        )
        if label == labels[run] and score is not None
    }


def _pooled_choice(item: KeptItem, given: list[Prediction]) -> Prediction:
    key = given[0].item_version.key_index
    pooled = pool_choices([row.chosen for row in given], item.text_digest)
    votes = [row.chosen for row in given]
    return Prediction(
        item_version_id=item.version_id,
        outcome=Outcome.ABSTAINED if pooled.chosen is None else Outcome.ANSWERED,
        chosen=pooled.chosen,
        score=float(pooled.chosen is not None and pooled.chosen == key),
        extra={"votes": votes, "tied": pooled.tied},
    )


def _pooled_response(
    item: KeptItem, given: list[Prediction], verdicts: dict[int, int]
) -> tuple[Prediction, list[int]]:
    """Return the pooled response with the scores that it is the mean of; none yet: unscored."""
    abstained = [row for row in given if row.outcome == Outcome.ABSTAINED]
    scores = [verdicts[row.pk] for row in given if row.pk in verdicts] + [0] * len(abstained)
    made = Prediction(
        item_version_id=item.version_id,
        outcome=Outcome.ABSTAINED if len(abstained) == len(given) else Outcome.ANSWERED,
        extra={"readers": len(given)},
    )
    waits = len(scores) < len(given)  # a mean over those that came first would be another figure
    return made, [] if waits else scores


def _entry(run: Run, publish: bool, by: User | str) -> list[LeaderboardEntry]:
    if run.state != RunState.DONE:
        return []  # computed when the judge is through
    entry = compute_entry(run)
    if publish and entry.published_at is None:
        try:
            entry = publish_entry(entry=entry, by=by)
        except EntryRefused:
            return []
    return [entry]


def _unjudged(run: Run) -> int:
    free = run.predictions.filter(
        outcome=Outcome.ANSWERED, item_version__key_index__isnull=True, judgements__isnull=True
    )
    return free.count()
