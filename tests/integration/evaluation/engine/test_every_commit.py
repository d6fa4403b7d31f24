"""A pump dies before or after any of its commits: the next one makes the run whole."""

import contextlib
from typing import Any

import pytest

from evaluation.engine import pump as pump_module
from evaluation.engine import texts
from evaluation.engine.plan import load_plan
from evaluation.engine.pump import pump
from evaluation.engine.sweep import sweep_run
from evaluation.models import Call, Judgement, Prediction, PumpLease, Run, WorkItem
from tests.standins import model_replies
from tests.standins.model_script import Script

pytestmark = pytest.mark.django_db(transaction=True)
PAST = "2020-01-01T00:00:00+00:00"
SLOTS = 16


class Death(BaseException):
    """Like kill -9: nothing of the pump's own may handle it."""


def die_at(monkeypatch: pytest.MonkeyPatch, number: int, *, committed: bool) -> list[int]:
    """Let the pump die at its turn `number`, before it or right after its commit."""
    real, turns = pump_module.turn, []

    def turn(*args: Any) -> Any:
        turns.append(1)
        if len(turns) == number and not committed:
            raise Death
        done = real(*args)
        if len(turns) == number:
            raise Death
        return done

    monkeypatch.setattr(pump_module, "turn", turn)
    return turns


@pytest.mark.parametrize("committed", [False, True])
@pytest.mark.parametrize("number", [1, 2, 3, 4, 6, 8, 11])
def test_death_at_a_commit(
    queued: Any, server: Any, monkeypatch: pytest.MonkeyPatch, number: int, committed: bool
) -> None:
    server.script(Script(latency=0.02, jitter=0.08))
    run = queued(videos=6)
    with monkeypatch.context() as patched:
        die_at(patched, number, committed=committed)
        with contextlib.suppress(Death):
            pump(run.pk)
    WorkItem.objects.filter(run=run, state="claimed").update(lease_until=PAST)
    PumpLease.objects.filter(run=run).update(lease_until=PAST)

    sweep_run(run.pk)
    while Run.objects.get(pk=run.pk).state == "running":
        pump(run.pk)
        sweep_run(run.pk)
    check_whole(run, server)


def check_whole(run: Run, server: Any) -> None:
    run.refresh_from_db()
    assert run.state == "done"
    assert not run.work_items.exclude(state="done").exists()
    assert not Call.objects.filter(state="intent").exists()
    plan = load_plan(run.pk)
    rows = list(Prediction.objects.filter(run=run).select_related("item_version__item"))
    assert len(rows) == 12
    for row in rows:
        assert row.outcome == "answered"
        prompt = texts.model_texts(plan, row.item_version).user
        assert row.raw_reply == model_replies.answer(prompt)
    assert Judgement.objects.filter(failed=False).count() == 6
    assert Judgement.objects.filter(failed=True).count() == 0
    assert run.entries.order_by("-version").first().figures["scored"] == 12
    assert sum(server.counted.billed.values()) <= 18 + SLOTS
