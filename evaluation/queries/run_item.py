"""All that is known of one answer of a run: its reply, verdicts, steps, calls, history."""

from dataclasses import dataclass, field
from datetime import datetime

from annotation.models import ItemVersion, Revision
from annotation.queries.actors import names_of_actors
from evaluation.models import Call, Judgement, Prediction, Run, WorkItem

MOST_CALLS = 200
MOST_CHANGES = 20
MOST_REPEATS = 10_000
LARGEST_ID = 2**63 - 1


@dataclass(frozen=True)
class Change:
    """Something that was done to the run."""

    at: datetime
    verb: str
    author: str
    reason: str


@dataclass(frozen=True)
class Answer:
    """One item version and repeat of a run. `calls` are in order of time, of both stages;
    `steps` are those of the clip, the question and the verdict."""

    run: Run
    version: ItemVersion
    repeat: int
    prediction: Prediction | None
    judgements: list[Judgement]
    steps: list[WorkItem]
    calls: list[Call]
    changes: list[Change] = field(default_factory=list)


def find_answer(run: Run, version_id: int, repeat: int) -> Answer | None:
    """Return the answer of `run` to an item version, None where the run does not ask it. Seven
    queries."""
    if version_id > LARGEST_ID or repeat > MOST_REPEATS:
        return None  # a number that no column holds
    here = {"run": run, "item_version": version_id}
    prediction = (
        Prediction.objects.select_related("taken_from")
        .filter(run=run.answered_by, item_version=version_id, repeat=repeat)
        .first()
    )
    # A clip is cut once for all repeats, as the first of them.
    steps = list(WorkItem.objects.filter(repeat__in={repeat, 0}, **here).order_by("pk"))
    steps = [one for one in steps if one.repeat == repeat or one.stage == "clip"]
    if prediction is None and not steps:
        return None
    version = ItemVersion.objects.select_related("item__video__source").get(pk=version_id)
    calls = Call.objects.filter(work_item__in=[one.pk for one in steps]).select_related("work_item")
    judgements = Judgement.objects.filter(prediction=prediction).order_by("pk")
    return Answer(
        run=run,
        version=version,
        repeat=repeat,
        prediction=prediction,
        judgements=list(judgements) if prediction else [],
        steps=steps,
        calls=list(calls.order_by("started_at", "pk")[:MOST_CALLS]),
        changes=changes_of(run),
    )


def changes_of(run: Run) -> list[Change]:
    """Return what was done to the run, the newest first. Two queries."""
    rows = list(
        Revision.objects.filter(target_kind="run", target_id=run.pk).order_by("-id")[:MOST_CHANGES]
    )
    names = names_of_actors(row.actor for row in rows)
    return [Change(row.at, row.verb, names[row.actor], row.reason) for row in rows]
