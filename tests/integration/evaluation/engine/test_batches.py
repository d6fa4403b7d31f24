"""Batch jobs at half the price: submitted once, polled, collected item by item, cancelled."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.db.models.functions import Now

from annotation.media import StoreFull
from evaluation.actions.run_checks import RunRefused
from evaluation.actions.runs import cancel_run, pause_run, resume_run
from evaluation.engine import batch_ledger, batches, stimulus, texts
from evaluation.engine.batches import look_after
from evaluation.engine.plan import load_plan
from evaluation.engine.pump import pump
from evaluation.engine.sweep import sweep
from evaluation.models import BatchJob, Call, Contestant, Prediction, Run
from evaluation.queries.estimate import estimate
from sonovqa.adapters import gemini_batch
from tests.standins import model_replies

pytestmark = pytest.mark.django_db(transaction=True)
ITEMS = 6


@pytest.fixture
def contestant(contestant: Contestant, server: Any, monkeypatch: pytest.MonkeyPatch) -> Contestant:
    """The model of the other tests, as a Gemini in batch mode."""
    provider = contestant.provider
    monkeypatch.setenv("SONOVQA_STANDIN_KEY", "a-key")
    provider.dialect, provider.base_url = "gemini", server.url
    provider.key_env = "SONOVQA_STANDIN_KEY"
    provider.save()
    contestant.parameters = {"batch": True, "max_output_tokens": 64}
    contestant.save()
    return contestant


def steps(run: Run, count: int = 1) -> None:
    """Let the run's batches be looked after so many times, each as if its pause were over."""
    for _ in range(count):
        batch_ledger.open_jobs(run.pk).update(poll_at=Now())
        run.work_items.exclude(not_before=None).update(not_before=Now())
        look_after(run.pk)
    run.refresh_from_db()


def finish(run: Run) -> None:
    for _ in range(10):
        steps(run)
        pump(run.pk)
        sweep()
        run.refresh_from_db()
        if run.finished_at:
            return


@pytest.fixture
def started(queued: Any) -> Callable[..., Run]:
    def start(**options: Any) -> Run:
        run = queued(videos=ITEMS // 2, **options)
        pump(run.pk)  # it finds nothing to ask, and lets the run run
        run.refresh_from_db()
        assert run.state == "running"
        return run

    return start


def check_whole(run: Run) -> None:
    assert run.state == "done"
    plan = load_plan(run.pk)
    rows = list(Prediction.objects.filter(run=run).select_related("item_version__item"))
    assert len(rows) == ITEMS
    for row in rows:
        assert row.raw_reply == model_replies.answer(texts.model_texts(plan, row.item_version).user)
        assert row.model_version == "batch-1"
    assert run.reserved == 0


@pytest.mark.parametrize("inline", [True, False])
def test_run_in_batch_is_judged_live_at_half_the_price(
    started: Any, server: Any, monkeypatch: pytest.MonkeyPatch, inline: bool
) -> None:
    if not inline:
        monkeypatch.setattr(gemini_batch, "INLINE_BYTES", 10)
    run = started()
    steps(run)
    job = BatchJob.objects.get(run=run)
    assert (job.state, job.name) == ("submitted", "batches/job-1")
    waiting = batch_ledger.in_batch(run.pk)
    assert waiting is not None and (waiting.items, waiting.jobs) == (ITEMS, 1)
    full = (Decimal(1) + 2 * Decimal(64)) * ITEMS / 1_000_000
    assert Decimal(0) < run.reserved and run.reserved > full / 2

    finish(run)
    check_whole(run)
    assert server.jobs.submitted == 1
    assert server.counted.calls == ITEMS // 2, "the judge alone is asked live"
    own = Call.objects.filter(work_item__run=run, work_item__stage="predict")
    assert {call.cost for call in own} == {Decimal("0.000170")}  # 300 × $0.5 + 20 × $1 a million
    assert run.spent == sum(call.cost for call in Call.objects.filter(work_item__run=run))


def test_estimate_has_half_the_price(contestant: Contestant, queued: Any) -> None:
    run = queued(videos=1, judge=None)
    half = estimate(release=run.release, contestant=contestant, condition="blind").cost
    contestant.parameters = {"max_output_tokens": 64}
    whole = estimate(release=run.release, contestant=contestant, condition="blind").cost
    assert half is not None and whole is not None
    assert abs(half * 2 - whole) <= Decimal("0.000002")


def test_submission_of_which_nobody_heard_is_found_and_not_paid_twice(
    started: Any, server: Any
) -> None:
    server.jobs.unheard = 1
    run = started(judge=None)
    steps(run)
    job = BatchJob.objects.get(run=run)
    assert (job.state, job.name) == ("intent", "") and job.tried_at is not None
    finish(run)
    check_whole(run)
    assert server.jobs.submitted == 1
    assert set(server.counted.billed.values()) == {1}


def test_worker_that_dies_before_it_hears_leaves_a_job_that_is_found(
    started: Any, server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Death(BaseException):
        pass

    async def die(*_: object) -> None:
        raise Death

    run = started(judge=None)
    with monkeypatch.context() as patched:
        patched.setattr(batches.Step, "_adopt", die)
        patched.setattr(batch_ledger, "let_go", lambda *_: None)
        with pytest.raises(Death):
            steps(run)
    assert batch_ledger.due(run.pk).count() == 0, "the dead worker's lease still holds"
    BatchJob.objects.filter(run=run).update(lease_until=Now())
    finish(run)
    check_whole(run)
    assert server.jobs.submitted == 1


def test_submission_that_never_came_is_made_again(
    started: Any, server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = started(judge=None)
    assert batch_ledger.make_job(load_plan(run.pk)) == (True, "")
    BatchJob.objects.filter(run=run).update(tried_at=Now())
    steps(run)
    assert server.jobs.submitted == 0, "it may only not be listed yet"
    monkeypatch.setattr(batches, "LISTED_AFTER", 0)
    finish(run)
    check_whole(run)
    assert server.jobs.submitted == 1


def test_each_item_has_its_own_error(started: Any, server: Any) -> None:
    run = started(judge=None)
    plan = load_plan(run.pk)
    versions = [item.item_version for item in run.work_items.select_related("item_version__item")]
    names = [model_replies.digest(texts.model_texts(plan, one).user) for one in versions]
    server.jobs.faulty = {names[0]: 3, names[1]: 8}
    server.jobs.mute = {names[2]}
    steps(run, 3)
    items = [run.work_items.get(item_version=one) for one in versions]
    assert [(one.state, one.error_class) for one in items[:3]] == [
        ("failed", "bad_request"), ("waiting", "rate_limit"), ("waiting", "lost"),
    ]  # fmt: skip
    assert {one.state for one in items[3:]} == {"done"}
    server.jobs.faulty, server.jobs.mute = {}, set()
    finish(run)
    assert run.state == "done"
    assert run.work_items.filter(state="done").count() == ITEMS - 1
    assert server.jobs.submitted == 2


@pytest.mark.parametrize("end", ["EXPIRED", "FAILED"])
def test_job_that_ends_without_replies_is_made_again(started: Any, server: Any, end: str) -> None:
    server.jobs.end = end
    run = started(judge=None)
    steps(run, 3)
    assert set(run.work_items.values_list("state", flat=True)) == {"waiting"}
    server.jobs.end = "SUCCEEDED"
    finish(run)
    check_whole(run)
    assert server.jobs.submitted == 2


def test_expired_job_of_a_strict_run_leaves_unknown_items(started: Any, server: Any) -> None:
    server.jobs.end = "EXPIRED"
    run = started(judge=None, strict=True)
    finish(run)
    assert set(run.work_items.values_list("state", flat=True)) == {"unknown"}
    assert server.jobs.submitted == 1


def test_refused_submissions_are_tried_later_or_fail(started: Any, server: Any) -> None:
    server.jobs.refusals = [429, 503]
    run = started(judge=None)
    steps(run, 2)
    assert BatchJob.objects.get(run=run).tried_at is None
    finish(run)
    check_whole(run)
    server.jobs.refusals = [400]
    other = started(judge=None)
    finish(other)
    assert other.state == "failed"
    assert set(other.work_items.values_list("error_class", flat=True)) == {"bad_request"}
    assert other.spent == other.reserved == 0


def test_refused_key_pauses_the_run(started: Any, server: Any) -> None:
    server.jobs.refusals = [403]
    run = started(judge=None)
    steps(run)
    assert run.state == "paused" and "403" in run.state_reason


def test_pause_and_cancel_cancel_the_job(started: Any, server: Any, admin_user: Any) -> None:
    server.jobs.polls = 100
    run = started(judge=None)
    steps(run)
    pause_run(run=run, by=admin_user)
    steps(run)
    assert server.jobs.cancelled == 1
    steps(run, 2)
    assert set(run.work_items.values_list("state", flat=True)) == {"waiting"}
    resume_run(run=run, by=admin_user)
    pump(run.pk)
    steps(run)
    assert server.jobs.submitted == 2
    cancel_run(run=run, by=admin_user)
    assert run.state == "cancelling"
    steps(run, 2)
    sweep()
    run.refresh_from_db()
    assert run.state == "cancelled" and run.reserved == 0
    assert server.jobs.cancelled == 2


def test_job_that_was_not_submitted_when_the_run_was_paused_costs_nothing(
    started: Any, server: Any, admin_user: Any
) -> None:
    run = started(judge=None)
    assert batch_ledger.make_job(load_plan(run.pk)) == (True, "")
    pause_run(run=run, by=admin_user)
    steps(run)
    assert server.jobs.submitted == 0
    assert set(run.work_items.values_list("state", flat=True)) == {"waiting"}
    assert run.spent == run.reserved == 0


def test_budget_bounds_the_jobs(started: Any, server: Any) -> None:
    run = started(judge=None, budget=Decimal("0.0009"))
    finish(run)
    assert run.spent + run.reserved <= run.budget
    while run.state == "running":
        steps(run)  # the whole would cost 0.00102
    assert run.state == "paused" and "budget" in run.state_reason
    assert 0 < Prediction.objects.filter(run=run).count() < ITEMS


def test_page_says_since_when(started: Any, client_for: Any, admin_user: Any) -> None:
    run = started(judge=None)
    steps(run)
    page = client_for(admin_user).get(f"/runs/{run.pk}/").content.decode()
    assert "In batch, since " in page and "6 items in 1 job" in page


def test_only_gemini_is_asked_in_batches(contestant: Contestant, queued: Any) -> None:
    contestant.provider.dialect = "openai_compatible"
    contestant.provider.save()
    with pytest.raises(RunRefused, match="only Gemini"):
        queued(videos=1, judge=None)


def test_a_full_clip_store_pauses_the_run_before_the_job_is_sent(
    filmed: Any, queued: Any, server: Any, admin_user: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clips were cut, one was purged, and there is no room to cut it again."""
    run = queued(benchmark=filmed, condition="video", judge=None)
    pump(run.pk)
    real, full = stimulus.load, [True]

    def load(*given: Any) -> Any:
        if full:
            full.pop()
            raise StoreFull
        return real(*given)

    monkeypatch.setattr(stimulus, "load", load)
    steps(run, 2)
    assert run.state == "paused" and "cache is full" in run.state_reason
    assert server.jobs.submitted == 0
    waiting = run.work_items.filter(stage="predict")
    assert set(waiting.values_list("state", "faults")) == {("waiting", 0)}
    resume_run(run=run, by=admin_user)
    finish(run)
    assert run.state == "done"
    assert run.predictions.filter(outcome="answered").count() == 2


def test_clip_travels_inside_the_job(filmed: Any, queued: Any, server: Any) -> None:
    run = queued(benchmark=filmed, condition="video", judge=None)
    pump(run.pk)
    finish(run)
    assert run.state == "done"
    assert server.counted.media["video/mp4"] == 2
    assert all(row.clip_sha256 for row in Prediction.objects.filter(run=run))
