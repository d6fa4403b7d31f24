"""Ends what a submission of a server has left behind: its run, and the key of its server."""

from django.db import transaction

from annotation.actions.trail import SYSTEM, record
from evaluation.actions.runs import end_run
from evaluation.models import Provider, Run, Submission
from evaluation.models.run import RunState

ALIVE = (RunState.DRAFT, RunState.QUEUED, RunState.RUNNING, RunState.PAUSED)


@transaction.atomic
def end_endpoint(*, submission: Submission, reason: str) -> None:
    """Stop asking the server of `submission` and forget its key. Doing it twice changes nothing;
    a submission of files is left as it is."""
    if not submission.endpoint or submission.run_id is None:
        return
    run = Run.objects.select_related("contestant__provider").get(pk=submission.run_id)
    if run.state in ALIVE:
        end_run(run=run, by=SYSTEM, reason=reason)
    forget_key(run.contestant.provider, reason)


def forget_key(provider: Provider, reason: str) -> None:
    """Delete the stored key of an outsider's server; what was shown of it goes too."""
    if not provider.public_only or not provider.key_sealed:
        return
    provider.key_sealed = provider.key_last4 = ""
    provider.save(update_fields=["key_sealed", "key_last4"])
    record(
        by=SYSTEM,
        verb="remove_provider_key",
        target_kind="provider",
        target_id=provider.pk,
        after={"provider": provider.name},
        reason=reason,
    )
