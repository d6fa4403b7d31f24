"""Who may change a run's state, from which state to which, and how fast it takes effect."""

import threading
import time

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connection

from annotation.models import Revision
from evaluation.actions.run_checks import RunRefused
from evaluation.actions.runs import cancel_run, pause_run, resume_run, retry_failed, start_run
from evaluation.engine.pump import pump
from evaluation.engine.sweep import sweep_run
from evaluation.models import Prediction, Run, WorkItem
from tests.standins.model_script import Fault, Script

pytestmark = pytest.mark.django_db(transaction=True)


def pump_aside(run: Run) -> threading.Thread:
    def work() -> None:
        pump(run.pk)
        connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    return thread


def wait_for(condition, seconds: float = 60.0) -> float:
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < seconds, "waited in vain"
        time.sleep(0.02)
    return time.monotonic() - began


def test_pause_takes_effect_within_seconds_and_resume_goes_on(queued, server, admin_user):
    server.script(Script(latency=0.5))
    run = queued(videos=60)
    thread = pump_aside(run)
    wait_for(lambda: server.counted.calls >= 20)

    pause_run(run=run, by=admin_user)
    thread.join(60)
    assert not thread.is_alive(), "the pump still works"
    asked = server.counted.calls
    assert asked < 180, "it went on to the end"
    time.sleep(0.5)
    assert server.counted.calls == asked
    assert not WorkItem.objects.filter(run=run, state="claimed").exists()
    stored = (
        Prediction.objects.filter(run=run).count()
        + run.work_items.filter(stage="judge", state="done").count()
    )
    assert stored == asked, "a call in flight was thrown away"

    server.script(Script())
    resume_run(run=run, by=admin_user)
    pump(run.pk)
    run.refresh_from_db()
    assert run.state == "done"
    assert asked + server.counted.calls == 180


def test_cancel_takes_effect_within_seconds_and_is_final(queued, server, admin_user):
    server.script(Script(latency=0.5))
    run = queued(videos=60)
    thread = pump_aside(run)
    wait_for(lambda: server.counted.calls >= 20)

    cancel_run(run=run, by=admin_user, reason="wrong prompt")
    thread.join(60)
    assert not thread.is_alive()
    assert server.counted.calls < 180, "it went on to the end"
    run.refresh_from_db()
    assert (run.state, run.state_reason) == ("cancelled", "wrong prompt")
    with pytest.raises(RunRefused):
        resume_run(run=run, by=admin_user)
    assert Prediction.objects.filter(run=run).exists(), "what was answered stays"


def test_paused_queue_is_cancelled_at_once(queued, admin_user):
    run = queued(videos=1)
    pause_run(run=run, by=admin_user)
    cancel_run(run=run, by=admin_user)
    assert run.state == "cancelled"
    assert run.finished_at is not None


def test_cancelling_run_of_a_dead_worker_comes_to_rest(queued, admin_user):
    run = queued(videos=1)
    WorkItem.objects.filter(run=run).update(
        state="claimed", token="x" * 32, lease_until="2020-01-01T00:00:00+00:00"
    )
    cancel_run(run=run, by=admin_user)
    assert run.state == "cancelling"
    sweep_run(run.pk)
    run.refresh_from_db()
    assert run.state == "cancelled"


def test_retry_asks_again_what_failed_and_nothing_else(queued, server, admin_user):
    server.script(Script(faults=[Fault("bad_request", share=1.0, match="in step 1?")]))
    run = queued(videos=3)
    pump(run.pk)
    first = run.entries.get()
    assert first.figures["scored"] == 5

    server.script(Script())
    assert retry_failed(run=run, by=admin_user) == 1
    pump(run.pk)
    run.refresh_from_db()
    assert run.state == "done"
    assert server.counted.calls == 1
    newest = run.entries.order_by("-version").first()
    assert newest.version == 2
    assert newest.figures["scored"] == 6


def test_failed_judgements_are_retried_without_paying_the_model_again(queued, server, admin_user):
    server.script(Script(faults=[Fault("nonsense", share=1.0, match="ANSWER TO MARK")]))
    run = queued(videos=2)
    pump(run.pk)
    server.script(Script())
    assert retry_failed(run=run, by=admin_user) == 2
    pump(run.pk)
    assert server.counted.calls == 2
    assert run.entries.order_by("-version").first().figures["free"]["scored"] == 2


def test_every_item_failed_makes_a_failed_run(queued, server):
    server.script(Script(faults=[Fault("truncated_json", share=1.0)]))
    run = queued(videos=1)
    pump(run.pk)
    run.refresh_from_db()
    assert run.state == "failed"
    assert not run.entries.exists()


@pytest.mark.parametrize("change", [start_run, resume_run, retry_failed])
def test_change_that_does_not_fit_the_state_is_refused(queued, admin_user, change):
    run = queued(videos=1)
    with pytest.raises(RunRefused):
        change(run=run, by=admin_user)


@pytest.mark.parametrize("change", [start_run, pause_run, resume_run, cancel_run, retry_failed])
def test_reviewer_changes_nothing(queued, reviewer, change):
    run = queued(videos=1, start=False)
    with pytest.raises(PermissionDenied):
        change(run=run, by=reviewer)
    run.refresh_from_db()
    assert run.state == "draft"


def test_every_change_is_in_the_trail_with_its_author(queued, admin_user):
    run = queued(videos=1)
    pause_run(run=run, by=admin_user, reason="lunch")
    resume_run(run=run, by=admin_user)
    cancel_run(run=run, by=admin_user)
    rows = Revision.objects.filter(target_kind="run", target_id=run.pk).order_by("pk")
    assert [row.verb for row in rows] == [
        "create_run", "start_run", "pause_run", "resume_run", "cancel_run",
    ]  # fmt: skip
    assert {row.actor for row in rows} == {admin_user.pseudonym}
    assert rows[2].reason == "lunch"


def test_run_refuses_what_does_not_fit(queued, contestant):
    with pytest.raises(RunRefused, match="cannot be run here"):
        queued(videos=1, condition="dreamt")
    contestant.parameters = {"temprature": 1}
    contestant.save()
    with pytest.raises(RunRefused, match="temprature"):
        queued(videos=1, contestant=contestant)
