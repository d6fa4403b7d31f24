"""Stores readers' answers as runs: one a reader, and one of all of them together."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from annotation.actions.trail import SYSTEM, record
from annotation.domain.versions import digest
from annotation.models import Release, User
from annotation.permissions import Verb, require
from annotation.queries.blind_answers import BlindAnswer
from evaluation.domain.pooling import public_code
from evaluation.judging import hand_to_judge
from evaluation.models import Contestant, Judgement, Prediction, Provider, Run
from evaluation.models.contestant import Dialect
from evaluation.models.prediction import Outcome
from evaluation.models.run import Condition, Origin, RunState
from evaluation.queries.board import POOLED

PROVIDER = "Readers"
POOLED_NOTE = "majority of each item’s readers; mean of free responses"
ALONE_NOTE = "answered from the clip alone"
BATCH = 500


class ReadersRefused(ValueError):
    """Readers' answers cannot be taken or judged; the message says why, in one sentence."""


@transaction.atomic
def store_answers(
    *, release: Release, reader: str, answers: Sequence[BlindAnswer], by: User | str
) -> Run:
    """Return the run of one reader on `release` with exactly these answers as predictions.

    `reader` is the pseudonym of the account. What stands already stays, with its judgements; an
    answer that was taken back meanwhile goes. Raises PermissionDenied where `by` may not publish.
    """
    if isinstance(by, User):
        require(by, Verb.PUBLISH)
    code = public_code(reader)
    contestant = _contestant(f"reader-{code}", f"Reader {code}", ALONE_NOTE)
    run = _run(release, contestant, by)
    wanted = {answer.version_id: answer for answer in answers}
    stored = dict(run.predictions.values_list("item_version_id", "extra__answer"))
    gone = [pk for pk, answer in stored.items() if pk not in wanted or wanted[pk].id != answer]
    run.predictions.filter(item_version__in=gone).delete()
    new = [
        _prediction(run, answer)
        for version, answer in wanted.items()
        if version not in stored or version in gone
    ]
    Prediction.objects.bulk_create(new, batch_size=BATCH)
    if new or gone:
        _record(by, "store_answers", run, {"new": len(new), "gone": len(gone)})
    return run


@transaction.atomic
def judge_answers(*, run: Run, judge: Contestant | None, publish: bool, by: User | str) -> int:
    """Hand the free responses of a reader's run to `judge`; return how many are waiting.

    Without a judge they stay unscored. Raises ReadersRefused where another judge has begun, and
    PermissionDenied where `by` may not spend money.
    """
    locked = Run.objects.select_for_update().get(pk=run.pk)
    locked.publish_when_done = publish
    locked.started_by = by if isinstance(by, User) else None
    if locked.state == RunState.DRAFT:
        locked.state, locked.finished_at = RunState.DONE, timezone.now()
    locked.save(update_fields=["publish_when_done", "started_by", "state", "finished_at"])
    if judge is None:
        return 0
    if isinstance(by, User):
        require(by, Verb.RUN)
    if not judge.can_judge:
        raise ReadersRefused(f"{judge.name} is not marked as a judge.")
    if locked.judge_id not in (None, judge.pk):
        raise ReadersRefused(
            f"{locked.judge_label} has begun to judge these readers; compare within one judge."
        )
    waiting = hand_to_judge(locked, judge, budget=Decimal(settings.SUBMISSION_BUDGET))
    if waiting:
        _record(by, "judge_answers", locked, {"judge": judge.name, "answers": waiting})
    return waiting


@transaction.atomic
def store_pooled(
    *, release: Release, rows: Iterable[tuple[Prediction, Sequence[int]]], like: Run
) -> Run:
    """Return the pooled run of `release`, made anew of unsaved predictions and, for free
    responses, the scores that readers' answers got. `like` names the judge."""
    contestant = _contestant(POOLED, "Readers, pooled", POOLED_NOTE)
    run = _run(release, contestant, SYSTEM)
    rows = list(rows)
    content = digest([[_content(one), list(scores)] for one, scores in rows] + [like.judge_label])
    if run.extra.get("content") == content:
        return run
    run.judge_label, run.rubric_version = like.judge_label, like.rubric_version
    run.state, run.finished_at = RunState.DONE, run.finished_at or timezone.now()
    run.extra = {"content": content}
    run.save(update_fields=["judge_label", "rubric_version", "state", "finished_at", "extra"])
    run.predictions.all().delete()
    verdicts = []
    for prediction, scores in rows:
        prediction.run = run
        prediction.save()
        verdicts += [
            Judgement(
                prediction=prediction,
                judge_label=run.judge_label or "readers",
                rubric_version=run.rubric_version or "none",
                repeat=place,
                score=score,
            )
            for place, score in enumerate(scores)
        ]
    Judgement.objects.bulk_create(verdicts, batch_size=BATCH)
    _record(SYSTEM, "pool_readers", run, {"items": run.predictions.count()})
    return run


def _content(one: Prediction) -> list[object]:
    return [one.item_version_id, one.outcome, one.chosen, one.score, one.extra]


def _contestant(slug: str, name: str, note: str) -> Contestant:
    provider, _ = Provider.objects.get_or_create(name=PROVIDER, defaults={"dialect": Dialect.HUMAN})
    found, _ = Contestant.objects.get_or_create(
        slug=slug,
        defaults={
            "name": name,
            "note": note,
            "provider": provider,
            "is_reference": True,
            "is_human": True,
        },
    )
    return found


def _run(release: Release, contestant: Contestant, by: User | str) -> Run:
    Release.objects.select_for_update().get(pk=release.pk)  # one settler of a release at a time
    known = Run.objects.filter(release=release, contestant=contestant, origin=Origin.READERS)
    return known.first() or Run.objects.create(
        benchmark_id=release.benchmark_id,
        release=release,
        contestant=contestant,
        condition=Condition.VIDEO,
        origin=Origin.READERS,
        model_id_asked=contestant.name,
        started_by=by if isinstance(by, User) else None,
        started_at=timezone.now(),
    )


def _prediction(run: Run, answer: BlindAnswer) -> Prediction:
    is_mcq = answer.key_index is not None
    right = answer.option_index is not None and answer.option_index == answer.key_index
    return Prediction(
        run=run,
        item_version_id=answer.version_id,
        outcome=Outcome.ABSTAINED if answer.could_not_tell else Outcome.ANSWERED,
        raw_reply=answer.text,
        answer_text=answer.text,
        chosen=answer.option_index,
        score=float(right) if is_mcq else None,
        latency=answer.seconds or None,
        extra={"answer": answer.id},
    )


def _record(by: User | str, verb: str, run: Run, after: dict[str, Any]) -> None:
    record(
        by=by,
        verb=verb,
        target_kind="run",
        target_id=run.pk,
        benchmark_id=run.benchmark_id,
        after={"model": run.contestant.name, "release": run.release.tag} | after,
    )
