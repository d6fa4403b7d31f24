"""Submissions of a server: an address and a key, which our engine asks as it asks any model."""

import hashlib
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.models import Release, User
from annotation.permissions import Verb, require
from evaluation.actions.imports import free_slug, named_contestant
from evaluation.actions.providers import KEY_LENGTH
from evaluation.actions.run_checks import RunRefused, check_run
from evaluation.actions.runs import pins
from evaluation.actions.submissions import (
    SubmissionRefused,
    check_model_name,
    check_quota,
    lock_quota,
    record_change,
    wake_reader,
)
from evaluation.domain.parameters import VIDEO_PARTS
from evaluation.judging import submission_judge
from evaluation.models import Contestant, Provider, Run, Submission
from evaluation.models.contestant import Dialect
from evaluation.models.run import Origin
from sonovqa import seal
from sonovqa.adapters.public_addresses import NotPublic, check_url

MOST_IN_FLIGHT, A_MINUTE, TIMEOUT = 4, 120, 120
LONGEST_ID = 200
TAKEN = "A model of this name is there already; take another name."
SAME = "This server is being asked, or was asked, for that release under that condition."


def receive_endpoint(
    *,
    release: Release,
    base_url: str,
    key: str,
    model_id: str,
    model_name: str,
    condition: str,
    by: User,
    organisation: str = "",
    open_weights: bool | None = None,
    video_part: str = "video_url",
) -> Submission:
    """Keep the address and the key of a server for the engine to ask. Nothing is called here.

    The key is sealed at once and never shown again but for its last four signs; it is deleted
    when the submission ends. Raises SubmissionRefused where the address may not be called, the
    quota is used up, the name is taken, or the same server is there already.
    """
    if not release.benchmark.is_public:
        require(by, Verb.REVIEW)
    _check(base_url, key, model_id, video_part)
    check_model_name(model_name, by)
    if named_contestant(model_name) is not None:
        raise SubmissionRefused(TAKEN)
    try:
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
                endpoint=base_url,
                uploaded=hashlib.sha256(f"{base_url}\n{model_id}".encode()).hexdigest(),
            )
            model = _make_model(submission, key, model_id, video_part)
            submission.run = _make_run(submission, model)
            submission.save(update_fields=["run"])
            after = {"model": submission.model_name, "endpoint": base_url}
            record_change(submission, by, "receive_submission", after=after)
            transaction.on_commit(lambda: wake_reader(submission.pk))
    except IntegrityError:
        raise SubmissionRefused(SAME) from None
    return submission


def _check(base_url: str, key: str, model_id: str, video_part: str) -> None:
    try:
        check_url(base_url)
    except NotPublic as error:
        raise SubmissionRefused(str(error)) from None
    if not 1 <= len(key) <= KEY_LENGTH or not key.isascii() or not key.isprintable() or " " in key:
        raise SubmissionRefused(f"A key has 1 to {KEY_LENGTH} printable characters, no spaces.")
    if not 1 <= len(model_id.strip()) <= LONGEST_ID or not model_id.isprintable():
        raise SubmissionRefused(f"The server's name of the model has 1 to {LONGEST_ID} signs.")
    if video_part not in VIDEO_PARTS:
        raise SubmissionRefused("Choose how the server takes a clip.")


def _make_model(submission: Submission, key: str, model_id: str, video_part: str) -> Contestant:
    """Make the provider with its sealed key, and the model; their sender pays the calls."""
    provider = Provider.objects.create(
        name=f"server of submission {submission.pk}",
        dialect=Dialect.OPENAI,
        base_url=submission.endpoint,
        key_sealed=seal.seal(key),
        key_last4=key[-4:] if len(key) >= 12 else "",
        max_in_flight=MOST_IN_FLIGHT,
        requests_per_minute=A_MINUTE,
        timeout_seconds=TIMEOUT,
        public_only=True,
    )
    return Contestant.objects.create(
        name=submission.model_name,
        slug=free_slug(submission.model_name),
        provider=provider,
        model_id=model_id.strip(),
        organisation=submission.organisation,
        open_weights=submission.open_weights,
        parameters={"video_part": video_part},
        price_in=0,
        price_out=0,
        priced_at=timezone.now().date(),
    )


def _make_run(submission: Submission, model: Contestant) -> Run:
    judge = submission_judge()
    pieces: dict[str, Any] = {
        "benchmark": submission.benchmark,
        "contestant": model,
        "condition": submission.condition,
        "judge": judge,
    }
    budget = Decimal(settings.SUBMISSION_BUDGET) if judge else None
    try:
        check_run(release=submission.release, budget=budget, **pieces)
    except RunRefused as error:
        raise SubmissionRefused(str(error)) from None
    return Run.objects.create(
        release=submission.release,
        origin=Origin.ENGINE,
        judge_label=judge.name if judge else "",
        budget=budget,
        started_at=None,
        **pieces,
        **pins(submission.benchmark, model, submission.condition, judge),
    )
