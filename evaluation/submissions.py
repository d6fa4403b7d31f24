"""Works off received submissions: read, store, hand to the judge, compute the private entry."""

import hashlib
import logging
from datetime import timedelta
from decimal import Decimal

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from annotation.actions.trail import SYSTEM
from evaluation.actions.imports import RunRefused, make_contestant, named_contestant
from evaluation.actions.submissions import close_check, folder_of, is_name_free
from evaluation.endpoint_runs import Unaskable, end_endpoints, start_endpoint
from evaluation.judging import hand_to_judge, submission_judge
from evaluation.leaderboard import compute_entry
from evaluation.models import Contestant, Run, Submission
from evaluation.models.run import Origin, RunState
from evaluation.models.submission import CLOSED, SubmissionState
from evaluation.submission_rows import Reading, read_files, start_reading
from evaluation.submitted_replies import Reply, store_replies

log = logging.getLogger(__name__)
LEASE = timedelta(minutes=15)
ATTEMPTS = 3


class Invalid(ValueError):
    """Nothing of a submission can be taken; the message says why, in one sentence."""


def check_waiting() -> None:
    """Read the submissions whose message was lost or whose worker died; forget the keys of
    servers that are asked no more."""
    end_endpoints()
    for pk in list(_claimable().order_by("pk").values_list("pk", flat=True)[:50]):
        check_submission(pk)


def check_submission(pk: int) -> None:
    """Read one received submission. A second call finds it claimed or done, and ends."""
    now = timezone.now()
    claim = {"claimed_until": now + LEASE, "started_at": now, "attempts": F("attempts") + 1}
    if not _claimable().filter(pk=pk).update(**claim):
        return
    submission = Submission.objects.select_related("release__benchmark").get(pk=pk)
    reading = start_reading(submission.release, "submission")
    try:
        if submission.attempts > ATTEMPTS:
            raise RuntimeError("its reader was lost again and again")
        if submission.endpoint:
            start_endpoint(submission, reading)
        else:
            _work_off(submission, reading)
    except (Invalid, Unaskable) as error:
        _drop_run(submission)
        _close(submission, SubmissionState.INVALID, str(error), reading)
    except Exception:
        log.exception("submission %s failed", pk)
        _drop_run(submission)
        reason = "Reading it failed here. It is not counted against your quota; send it again."
        _close(submission, SubmissionState.FAILED, reason, reading)


def _claimable() -> QuerySet[Submission]:
    free = Q(claimed_until__isnull=True) | Q(claimed_until__lt=timezone.now())
    return Submission.objects.filter(free, state=SubmissionState.RECEIVED)


def _close(
    submission: Submission, state: SubmissionState, reason: str, reading: Reading, answers: str = ""
) -> None:
    reading.report.facts = reading.facts()
    report = reading.report.as_dict()
    close_check(submission=submission, state=state, reason=reason, report=report, answers=answers)


def _drop_run(submission: Submission) -> None:
    if submission.run is not None:
        run, submission.run = submission.run, None
        run.delete()
        if not run.contestant.runs.exists():
            run.contestant.delete()  # it was made for this submission, and keeps a name taken
            if run.contestant.provider.public_only:
                run.contestant.provider.delete()  # and with it the key of its server


def _work_off(submission: Submission, reading: Reading) -> None:
    folder = folder_of(submission)
    files = [(folder / str(n), file["name"]) for n, file in enumerate(submission.files)]
    summed = 0
    for batch in read_files(files, reading):
        if not batch:
            continue
        run = submission.run or _open_run(submission)
        submission.run = run
        summed += sum(map(_number, batch))
        store_replies(run, batch)
    if submission.run is None:
        raise Invalid("No reply of it could be taken; the report says why.")
    answers = hashlib.sha256(str(summed % 2**256).encode()).hexdigest()
    same = Submission.objects.filter(
        release=submission.release, condition=submission.condition, answers=answers
    )
    if same.exclude(pk=submission.pk).exclude(state__in=CLOSED).exists():
        raise Invalid("The same predictions were submitted before.")
    judge = submission_judge()
    with transaction.atomic():
        _settle_run(submission.run, judge)
        note = "" if judge else "No judge is configured here, so free responses stay unscored."
        reading.report.notes += [note] if note and reading.kept["free"] else []
        _close(submission, SubmissionState.CHECKED, "", reading, answers)
    if submission.run.state == RunState.DONE:
        compute_entry(submission.run)


def _number(reply: Reply) -> int:
    """Return a number for one answer; summed, they do not depend on the order of rows."""
    text = f"{reply.version_id}\n{reply.text}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest())


@transaction.atomic
def _open_run(submission: Submission) -> Run:
    """Make the run, or take the one that a lost reader has begun."""
    locked = Submission.objects.select_for_update().get(pk=submission.pk)
    if locked.run is not None:
        return locked.run
    try:
        if not is_name_free(submission.model_name, submission.sender_id, but=submission.pk):
            raise Invalid("A model of this name is there already; take another name.")
        model = named_contestant(submission.model_name) or make_contestant(
            submission.model_name,
            SYSTEM,
            organisation=submission.organisation,
            open_weights=submission.open_weights,
        )
    except RunRefused as error:
        raise Invalid(str(error)) from None
    locked.run = Run.objects.create(
        benchmark=submission.benchmark,
        release=submission.release,
        contestant=model,
        condition=submission.condition,
        origin=Origin.SUBMISSION,
        state=RunState.DRAFT,
        model_id_asked=model.name,
        started_at=timezone.now(),
    )
    locked.save(update_fields=["run"])
    return locked.run


def _settle_run(run: Run, judge: Contestant | None) -> None:
    """Hand the free responses to the judge through the engine; without one the run is done."""
    if judge and hand_to_judge(run, judge, budget=Decimal(settings.SUBMISSION_BUDGET)):
        return
    run.state, run.finished_at = RunState.DONE, timezone.now()
    run.save(update_fields=["state", "finished_at"])
