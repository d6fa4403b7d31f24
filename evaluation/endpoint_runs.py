"""Starts the runs of servers that outsiders named, and ends those that are over."""

from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from evaluation.actions.endpoint_ends import end_endpoint
from evaluation.actions.runs import NOTHING_TO_ASK
from evaluation.actions.submissions import close_check
from evaluation.engine.wake import wake_pumps
from evaluation.engine.work_list import write_work_list
from evaluation.models import Run, Submission
from evaluation.models.run import RunState
from evaluation.models.submission import CLOSED, ENDED, SubmissionState
from evaluation.submission_rows import Reading

LONGEST = timedelta(hours=48)
SILENT = "its server was asked for two days and the run is not done"
OVER = "the submission has ended"


class Unaskable(ValueError):
    """A server cannot be asked; the message says why, in one sentence."""


@transaction.atomic
def start_endpoint(submission: Submission, reading: Reading) -> None:
    """Write down the work of the run and queue it. Raises Unaskable where there is none."""
    if submission.run is None:
        raise Unaskable("Its run is gone.")
    run = Run.objects.select_for_update().get(pk=submission.run.pk)
    if run.state == RunState.DRAFT:
        if not write_work_list(run):
            raise Unaskable(NOTHING_TO_ASK)
        run.state, run.started_at = RunState.QUEUED, timezone.now()
        run.save(update_fields=["state", "started_at"])
    note = "" if run.judge_id else "No judge is configured here, so free responses stay unscored."
    reading.report.notes += [note] if note and submission.release.kept_free else []
    reading.report.facts = reading.facts()
    close_check(
        submission=submission,
        state=SubmissionState.CHECKED,
        reason="",
        report=reading.report.as_dict(),
    )
    wake_pumps(run)


def end_endpoints() -> None:
    """End the submissions of servers that are closed, done, or asked for too long."""
    late = Q(checked_at__lt=timezone.now() - LONGEST)
    over = Q(state__in=CLOSED) | Q(run__state__in=ENDED) | late
    with_key = ~Q(run__contestant__provider__key_sealed="")
    found = Submission.objects.filter(over, with_key, run__isnull=False).exclude(endpoint="")
    for submission in found.select_related("run")[:100]:
        done = submission.run is not None and submission.run.state in ENDED
        is_late = not done and submission.state not in CLOSED
        end_endpoint(submission=submission, reason=SILENT if is_late else OVER)
