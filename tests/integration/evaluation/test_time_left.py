"""The time left of a run that works at an even pace, at several moments of its life.

The ledger is written as it would stand at that moment; nothing waits.
"""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotation.actions.trail import SYSTEM, record
from annotation.models import Revision
from evaluation.models import Call, Run, WorkItem
from evaluation.queries.run_progress import progress
from tests import evaluation_factories as made
from tests import factories

pytestmark = pytest.mark.django_db
ITEMS, SECONDS_A_CALL = 60, 1.0  # half of the items go to a judge too


@pytest.fixture
def run(db: None) -> Run:
    release = factories.release(factories.small_benchmark(videos=ITEMS // 2))
    judge = made.contestant(can_judge=True)
    run = made.run(release, origin="engine", condition="blind", state="running", judge=judge)
    run.extra = {"answers": ITEMS, "free_answers": ITEMS // 2}
    run.save()
    return run


def write(run: Run, calls: int, *, silent: int = 0) -> float:
    """Write the ledger after so many calls, every second one a verdict while there are any;
    `silent` free responses have no answer. Return the seconds that are truly left."""
    now = timezone.now()
    run.started_at = now - timedelta(seconds=calls * SECONDS_A_CALL)
    run.save()
    todo: list[tuple[Any, str]] = []
    rows = run.release.release_items.order_by("position").select_related("item_version__item")
    for row in rows:
        todo.append((row.item_version, "predict"))
        is_free = row.item_version.item.kind == "free"
        if is_free and silent > 0:
            silent -= 1
            todo[-1] = (row.item_version, "silent")
        elif is_free:
            todo.append((row.item_version, "judge"))
    for number, (version, stage) in enumerate(todo):
        is_done = number < calls
        at = run.started_at + timedelta(seconds=(number + 1) * SECONDS_A_CALL)
        if stage == "judge" and not is_done:
            continue  # asked for once its response is there
        step = WorkItem.objects.create(
            run=run, item_version=version, stage="judge" if stage == "judge" else "predict",
            state="done" if is_done else "waiting", attempt=int(is_done),
            finished_at=at if is_done else None,
        )  # fmt: skip
        if is_done:
            call = Call.objects.create(work_item=step, attempt=1, state="settled", settled_at=at)
            begun = at - timedelta(seconds=SECONDS_A_CALL)
            Call.objects.filter(pk=call.pk).update(started_at=begun)
            if stage == "silent":
                made.prediction(run, version, None, outcome="refused")
    return (len(todo) - calls) * SECONDS_A_CALL


@pytest.mark.parametrize("share", [0.1, 0.3, 0.6, 0.9])
@pytest.mark.parametrize("silent", [0, 8])
def test_time_left_is_right_within_a_fifth(run: Run, share: float, silent: int) -> None:
    calls = round(share * 1.5 * ITEMS)
    true = write(run, calls, silent=silent)
    found = progress(run).seconds_left
    assert found is not None and abs(found - true) <= true / 5 + 1


def test_a_pause_does_not_slow_the_run(run: Run) -> None:
    true = write(run, 45)
    pause = timedelta(hours=2)
    Run.objects.filter(pk=run.pk).update(started_at=run.started_at - pause)
    record(by=SYSTEM, verb="resume_run", target_kind="run", target_id=run.pk)
    Revision.objects.filter(target_id=run.pk).update(at=run.started_at)
    run.refresh_from_db()
    found = progress(run).seconds_left
    assert found is not None and abs(found - true) <= true / 5 + 1


def test_answers_taken_over_are_no_speed(run: Run) -> None:
    true = write(run, 30)
    Call.objects.filter(work_item__pk__in=run.work_items.values("pk")[:10]).delete()
    run.work_items.filter(calls__isnull=True, state="done").update(
        attempt=0, finished_at=timezone.now()
    )
    found = progress(run)
    assert found.seconds_left is not None and found.seconds_left > true
