"""The ledger alone: claims, fences, leases, money, without any call."""

import threading
from decimal import Decimal

import pytest
from django.db import connection, transaction

from evaluation.engine import claims, places, replies, statements, sweep
from evaluation.engine.plan import load_plan
from evaluation.engine.statements import lock
from evaluation.engine.turn import Wanted, turn
from evaluation.engine.versions import Versions
from evaluation.engine.work import Failure, Result, Room
from evaluation.models import Call, Prediction, Run, WorkItem
from evaluation.models.run import RunState, Stage
from sonovqa.adapters.asking import Reply

pytestmark = pytest.mark.django_db(transaction=True)
ONE, OTHER = "1" * 32, "2" * 32
REPLY = Reply("Answer: B", tokens_in=300, tokens_out=20, latency=0.1, model_version="m-1")


def running(run: Run) -> Run:
    Run.objects.filter(pk=run.pk).update(state=RunState.RUNNING)
    run.refresh_from_db()
    return run


def claim(run: Run, count: int, token: str = ONE) -> tuple:
    with transaction.atomic():
        plan = load_plan(run.pk)
        return claims.claim(
            plan, lock(run.pk), Versions(plan), Room(count, count, count), token=token, lease=30
        ).claimed


def store(run: Run, results: list, token: str = ONE) -> list:
    with transaction.atomic():
        return replies.store(load_plan(run.pk), lock(run.pk), results, token=token)


def let_leases_run_out(run: Run) -> None:
    WorkItem.objects.filter(run=run, state="claimed").update(
        lease_until="2020-01-01T00:00:00+00:00"
    )


def test_intent_and_money_are_committed_with_the_claim(queued):
    run = running(queued(budget=Decimal(1)))
    (claimed,) = claim(run, 1)

    call = Call.objects.get()
    assert (call.work_item_id, call.state, call.attempt) == (claimed.work_item_id, "intent", 1)
    run.refresh_from_db()
    assert run.reserved == call.reserved > 0


@pytest.mark.postgres
@pytest.mark.parametrize("off", [(), ("hashjoin", "mergejoin", "hashagg", "sort", "material")])
def test_no_plan_of_the_database_claims_more_than_there_is_room_for(queued, off):
    """A planner that asks for the due items once a row used to claim them all: the rows that a
    transaction has locked itself are skipped like those of others, and the next are taken."""
    run = running(queued(videos=20))
    with transaction.atomic():
        with connection.cursor() as cursor:
            for way in off:
                cursor.execute(f"SET LOCAL enable_{way} = off")
        taken = statements.take(run.pk, Stage.PREDICT, 2, token=ONE, lease=30)
    assert len(taken) == 2
    assert WorkItem.objects.filter(run=run, state="claimed").count() == 2


def test_threads_never_claim_an_item_twice(queued):
    run = running(queued(videos=20))
    found: list[int] = []

    def work(token: str) -> None:
        while mine := claim(run, 3, token):
            found.extend(one.work_item_id for one in mine)
        connection.close()

    threads = [threading.Thread(target=work, args=(str(n) * 32,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == len(set(found)) == 40


def test_result_of_a_lost_lease_is_dropped_and_the_other_one_kept(queued):
    run = running(queued(budget=Decimal(1)))
    (first,) = claim(run, 1)
    let_leases_run_out(run)
    assert sweep.reclaim(run.pk) == 1
    WorkItem.objects.filter(run=run, attempt=0).update(state="done")  # the same one comes next
    (second,) = claim(run, 1, OTHER)
    assert (second.work_item_id, second.attempt) == (first.work_item_id, 2)

    assert store(run, [Result(first, reply=Reply("Answer: A"))]) == []
    assert len(store(run, [Result(second, reply=REPLY)], OTHER)) == 1

    assert Prediction.objects.get().raw_reply == "Answer: B"
    run.refresh_from_db()
    assert run.reserved == 0
    assert run.spent == sum(Call.objects.values_list("cost", flat=True))


def test_lost_call_counts_at_the_most_it_may_have_cost(queued):
    run = running(queued(budget=Decimal(1)))
    (claimed,) = claim(run, 1)
    let_leases_run_out(run)
    sweep.reclaim(run.pk)
    run.refresh_from_db()
    assert (run.spent, run.reserved) == (claimed.reserved, 0)
    assert Call.objects.get().state == "lost"


def test_strict_run_never_repeats_and_still_takes_a_late_result(queued):
    run = running(queued(strict=True, budget=Decimal(1)))
    (claimed,) = claim(run, 1)
    let_leases_run_out(run)
    sweep.reclaim(run.pk)
    item = WorkItem.objects.get(pk=claimed.work_item_id)
    assert item.state == "unknown"

    assert len(store(run, [Result(claimed, reply=REPLY)])) == 1
    item.refresh_from_db()
    assert item.state == "done"
    run.refresh_from_db()
    assert (run.spent, run.reserved) == (Decimal("0.000340"), 0)


@pytest.mark.parametrize(
    ("failure", "state"),
    [
        (Failure("timeout", "", retryable=True, may_be_billed=True), "unknown"),
        (Failure("rate_limit", "", retryable=True, blameless=True), "waiting"),
        (Failure("bad_request", ""), "failed"),
    ],
)
def test_strict_run_repeats_only_what_was_surely_not_billed(queued, failure, state):
    run = running(queued(strict=True))
    (claimed,) = claim(run, 1)
    store(run, [Result(claimed, failure=failure)])
    assert WorkItem.objects.get(pk=claimed.work_item_id).state == state


def test_rate_limit_does_not_count_against_the_cap(queued):
    run = running(queued())
    for attempt in range(1, 8):
        WorkItem.objects.filter(run=run).update(not_before=None)
        claimed = claim(run, 100)[0]
        assert claimed.attempt == attempt
        assert claimed.faults == 0
        throttled = Failure("rate_limit", "", retryable=True, blameless=True, retry_after=1)
        store(run, [Result(claimed, failure=throttled)])
        WorkItem.objects.filter(run=run, state="claimed").update(state="done")


def test_item_is_not_due_before_its_time(queued):
    run = running(queued(videos=1))
    (claimed, _other) = claim(run, 2)
    throttled = Failure("rate_limit", "", retryable=True, blameless=True, retry_after=60)
    store(run, [Result(claimed, failure=throttled)])
    assert claim(run, 5) == ()


def test_item_beyond_the_budget_was_never_tried(queued):
    run = running(queued(videos=1, budget=Decimal("0.005")))
    assert len(claim(run, 2)) == 1
    assert set(WorkItem.objects.values_list("state", "attempt")) == {("claimed", 1), ("waiting", 0)}
    assert Call.objects.count() == 1


def test_turn_claims_nothing_of_a_paused_run(queued):
    run = queued(videos=1)
    place = places.take(run, token=ONE, worker="here")
    Run.objects.filter(pk=run.pk).update(state=RunState.PAUSED)
    plan = load_plan(run.pk)
    turned = turn(plan, place, Versions(plan), Wanted(room=Room(5, 5, 5)))
    assert (turned.claimed, turned.working) == ((), False)


def test_place_is_held_by_one_and_free_after_its_lease(queued):
    run = queued(videos=1)
    assert places.take(run, token=ONE, worker="here")
    assert places.take(run, token=OTHER, worker="there") is None
    run.pumps.update(lease_until="2020-01-01T00:00:00+00:00")
    assert places.take(run, token=OTHER, worker="there")
    assert run.pumps.get().token == OTHER


def test_item_that_kills_its_workers_is_given_up(queued):
    run = running(queued(videos=1))
    for number in range(sweep.LOST_ALLOWED):
        claim(run, 1, f"{number}" * 32)
        let_leases_run_out(run)
        sweep.reclaim(run.pk)
        WorkItem.objects.filter(run=run, attempt=0).update(state="done")
    item = WorkItem.objects.get(run=run, attempt__gt=0)
    assert (item.state, item.error_class) == ("failed", "lost")
