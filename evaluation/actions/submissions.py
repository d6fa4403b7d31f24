"""Every change of a submission: received, checked, approved, rejected, withdrawn."""

import hashlib
import logging
import shutil
import uuid
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

from celery import current_app
from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from annotation.actions.trail import SYSTEM, record
from annotation.models import Release, User
from annotation.permissions import Verb, require
from evaluation.actions.endpoint_ends import end_endpoint
from evaluation.actions.entries import publish_entry, withdraw_entry
from evaluation.actions.imports import RunRefused, named_contestant
from evaluation.models import Organisation, Submission
from evaluation.models.run import Condition
from evaluation.models.submission import CLOSED, ENDED, SubmissionState
from evaluation.queries.quota import organisation_of, quota_of

log = logging.getLogger(__name__)
MOST_FILES = 100
LONGEST_NAME = 255
SUFFIXES = (".json", ".jsonl")
TASK = "evaluation.check_submission"


class SubmissionRefused(ValueError):
    """A submission cannot be taken or changed; the message says why, in one sentence."""


class Upload(Protocol):
    """A file of a form, as Django hands it over."""

    name: str | None

    def chunks(self) -> Iterable[bytes]: ...


def folder_of(submission: Submission) -> Path:
    """Return where the files of a submission lie until they are read."""
    return Path(settings.VAR) / "submissions" / submission.folder


def receive_submission(
    *,
    release: Release,
    files: Sequence[Upload],
    model_name: str,
    condition: str,
    by: User,
    organisation: str = "",
    open_weights: bool | None = None,
) -> Submission:
    """Keep the files of `by` for a worker to read; nothing of them is read here.

    Raises SubmissionRefused where the quota is used up, a file has another name than .json
    or .jsonl, the files are here already or too large, or the model's name is another's.
    """
    _check_form(files, model_name, condition, release, by)
    check_quota(by)
    name = uuid.uuid4().hex
    folder = Path(settings.VAR) / "submissions" / name
    try:
        kept, uploaded = _keep_files(folder, files)
        with transaction.atomic():
            sent_for = lock_quota(by)
            check_quota(by)
            submission = Submission.objects.create(
                benchmark=release.benchmark,
                release=release,
                sender=by,
                sent_for=sent_for,
                model_name=model_name.strip(),
                organisation=organisation.strip(),
                open_weights=open_weights,
                condition=condition,
                folder=name,
                files=kept,
                uploaded=uploaded,
            )
            after = {"model": submission.model_name, "files": len(kept)}
            record_change(submission, by, "receive_submission", after=after)
            transaction.on_commit(lambda: wake_reader(submission.pk))
    except IntegrityError:
        _remove(folder)
        raise SubmissionRefused("The same files were submitted before.") from None
    except BaseException:
        _remove(folder)
        raise
    return submission


@transaction.atomic
def close_check(
    *,
    submission: Submission,
    state: SubmissionState,
    reason: str,
    report: dict[str, Any],
    answers: str = "",
) -> None:
    """Write down what a worker made of a received submission; its files go.

    FAILED is our fault: it is not counted against the sender's quota.
    """
    now = timezone.now()
    changed = Submission.objects.filter(pk=submission.pk, state=SubmissionState.RECEIVED).update(
        state=state,
        reason=reason[:300],
        report=report,
        answers=answers,
        run=submission.run,
        refunded=state == SubmissionState.FAILED,
        checked_at=now,
        claimed_until=None,
    )
    if not changed:
        return
    record_change(submission, SYSTEM, "check_submission", after={"state": state}, reason=reason)
    if submission.folder:
        transaction.on_commit(lambda: _remove(folder_of(submission)))


@transaction.atomic
def approve_submission(*, submission: Submission, by: User, note: str = "") -> None:
    """Publish the entry of a scored submission, marked as self-reported.

    Raises SubmissionRefused unless it is scored; PermissionDenied unless `by` may publish.
    """
    require(by, Verb.PUBLISH)
    locked = _locked(submission)
    run = locked.run
    if locked.state != SubmissionState.CHECKED or run is None or run.state not in ENDED:
        raise SubmissionRefused("Only a scored submission can be approved.")
    entry = run.entries.filter(release=locked.release).order_by("-version").first()
    if entry is None:
        raise SubmissionRefused("Its entry has not been computed yet; try again in a minute.")
    publish_entry(entry=entry, by=by, note=note)
    _decide(locked, SubmissionState.APPROVED, by, note)


@transaction.atomic
def reject_submission(*, submission: Submission, by: User, reason: str) -> None:
    """Refuse a submission for a reason that its sender reads. It stays private.

    Raises SubmissionRefused without a reason or where it is decided already;
    PermissionDenied unless `by` may publish.
    """
    require(by, Verb.PUBLISH)
    if not reason.strip():
        raise SubmissionRefused("Say why it is rejected: its sender reads it.")
    locked = _locked(submission)
    if locked.state != SubmissionState.CHECKED:
        raise SubmissionRefused("Only a checked submission can be rejected.")
    _decide(locked, SubmissionState.REJECTED, by, reason)
    end_endpoint(submission=locked, reason="rejected")


@transaction.atomic
def withdraw_submission(*, submission: Submission, by: User) -> None:
    """Take a submission back, off the leaderboard too. Only its sender may.

    Raises SubmissionRefused where it is closed already or somebody else's.
    """
    locked = _locked(submission)
    if locked.sender_id != by.pk:
        raise SubmissionRefused("Only its sender can withdraw a submission.")
    if locked.state in CLOSED:
        raise SubmissionRefused("This submission is closed already.")
    published = locked.run and locked.run.entries.filter(published_at__isnull=False)
    for entry in published or ():
        entry.refresh_from_db()
        if entry.published_at:
            withdraw_entry(entry=entry, by=SYSTEM, note="withdrawn by its sender")
    _decide(locked, SubmissionState.WITHDRAWN, by, "withdrawn by its sender")
    end_endpoint(submission=locked, reason="withdrawn by its sender")
    if locked.folder:
        transaction.on_commit(lambda: _remove(folder_of(locked)))


def is_name_free(name: str, sender_id: int | None, *, but: int = 0) -> bool:
    """Say whether a sender may use a model's name: nobody's, or that of an own submission.

    `but` is a submission not to look at. Raises RunRefused where the name is no name.
    """
    others = Submission.objects.filter(model_name__iexact=name.strip()).exclude(pk=but)
    if others.exclude(sender=sender_id).exclude(state__in=CLOSED).exists():
        return False
    if named_contestant(name) is None:
        return True
    return others.filter(sender=sender_id, run__contestant__name__iexact=name.strip()).exists()


def lock_quota(by: User) -> Organisation | None:
    """Let one submission of an account, or of its organisation, be counted at a time; return
    the organisation that `by` sends for."""
    User.objects.select_for_update().get(pk=by.pk)
    organisation = organisation_of(by)
    if organisation is not None:
        Organisation.objects.select_for_update().get(pk=organisation.pk)
    return organisation


def check_quota(by: User) -> None:
    """Raise SubmissionRefused where nothing is left of the quota; the message says till when."""
    quota = quota_of(by)
    if quota.left < 1:
        raise SubmissionRefused(quota.used_up)


def _check_form(
    files: Sequence[Upload], model_name: str, condition: str, release: Release, by: User
) -> None:
    if not release.benchmark.is_public:
        require(by, Verb.REVIEW)
    if condition not in Condition.values:
        raise SubmissionRefused("Choose what the model was shown.")
    if not 1 <= len(files) <= MOST_FILES:
        raise SubmissionRefused(f"Send 1 to {MOST_FILES} files.")
    names = [file.name or "" for file in files]
    sound = [n.endswith(SUFFIXES) and len(n) <= LONGEST_NAME and n.isprintable() for n in names]
    if not all(sound) or len(set(names)) < len(names):
        raise SubmissionRefused("Files end in .json or .jsonl, each with a name of its own.")
    check_model_name(model_name, by)


def check_model_name(model_name: str, by: User) -> None:
    """Raise SubmissionRefused where the name is none, or another's."""
    try:
        free = is_name_free(model_name, by.pk)
    except RunRefused as error:
        raise SubmissionRefused(str(error)) from None
    if not free:
        raise SubmissionRefused("A model of this name is there already; take another name.")


def _keep_files(folder: Path, files: Sequence[Upload]) -> tuple[list[dict[str, Any]], str]:
    """Write the files down by number, bounded; return what is known of them and their hash."""
    folder.mkdir(parents=True, mode=0o700)
    most = settings.SUBMISSION_MEGABYTES * 1_048_576
    total = 0
    kept: list[dict[str, Any]] = []
    hashes: list[str] = []
    for number, file in enumerate(files):
        seen, size = hashlib.sha256(), 0
        with (folder / str(number)).open("wb") as target:
            for chunk in file.chunks():
                size += len(chunk)
                if total + size > most:
                    limit = f"{settings.SUBMISSION_MEGABYTES} MB"
                    raise SubmissionRefused(f"The files are larger than {limit} together.")
                seen.update(chunk)
                target.write(chunk)
        total += size
        hashes.append(seen.hexdigest())
        kept.append({"name": file.name, "bytes": size, "sha256": hashes[-1]})
    if not total:
        raise SubmissionRefused("The files are empty.")
    return kept, hashlib.sha256("\n".join(sorted(hashes)).encode()).hexdigest()


def wake_reader(pk: int) -> None:
    """Ask a worker to read it; without a broker the next minute's look finds it."""
    try:
        current_app.send_task(TASK, args=[pk], retry=False)
    except (OperationalError, OSError) as error:
        log.warning("submission %s: no broker (%s)", pk, error)


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def _locked(submission: Submission) -> Submission:
    return Submission.objects.select_for_update().get(pk=submission.pk)


def _decide(submission: Submission, state: SubmissionState, by: User, reason: str) -> None:
    before = submission.state
    submission.state, submission.reason = state, reason.strip()[:300]
    submission.decided_at, submission.decided_by = timezone.now(), by
    submission.save(update_fields=["state", "reason", "decided_at", "decided_by"])
    verb = {
        SubmissionState.APPROVED: "approve_submission",
        SubmissionState.REJECTED: "reject_submission",
        SubmissionState.WITHDRAWN: "withdraw_submission",
    }[state]
    record_change(
        submission, by, verb, before={"state": before}, after={"state": state}, reason=reason
    )


def record_change(submission: Submission, by: User | str, verb: str, **more: Any) -> None:
    record(
        by=by,
        verb=verb,
        target_kind="submission",
        target_id=submission.pk,
        benchmark_id=submission.benchmark_id,
        **more,
    )
