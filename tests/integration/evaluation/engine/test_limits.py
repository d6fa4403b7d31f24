"""The limits of a key, shared by all workers through a real Redis, and without one."""

import asyncio
import threading
import time
from typing import Any

import pytest
import redis
from django.db import connections

from evaluation.engine import breaker
from evaluation.engine.bucket import Bucket, Limits
from evaluation.engine.pacing import Pace
from evaluation.engine.pump import pump
from evaluation.models import Provider
from tests.standins.model_script import Fault, Script

KEY = "a-key-of-the-test-1234"


def with_bucket(url: str, work: Any, key: str = KEY) -> Any:
    async def run() -> Any:
        bucket = Bucket(url, "", key)
        try:
            return await work(bucket)
        finally:
            await bucket.close()

    return asyncio.run(run())


def test_bucket_begins_empty_and_fills_at_the_rate(broker: str) -> None:
    async def work(bucket: Bucket) -> tuple[tuple[int, float], tuple[int, float]]:
        limits = Limits(requests=600)
        first = await bucket.take(limits, [1] * 50)
        await asyncio.sleep(0.35)
        return first, await bucket.take(limits, [1] * 50)

    (at_once, wait), (later, _) = with_bucket(broker, work)
    assert at_once == 0
    assert 0.09 < wait < 0.12
    assert 3 <= later <= 50


def test_no_more_is_saved_up_than_a_second_is_worth(broker: str) -> None:
    async def work(bucket: Bucket) -> int:
        limits = Limits(requests=600)
        await bucket.take(limits, [1])
        client = redis.Redis.from_url(broker)
        (name,) = client.keys("sonovqa:*bucket")
        client.hset(name, "at", 1_000)  # as if it had stood still for years
        return (await bucket.take(limits, [1] * 100))[0]

    assert with_bucket(broker, work) == 10


def test_workers_of_one_key_share_its_bucket_and_another_key_has_its_own(broker: str) -> None:
    limits = Limits(requests=6_000)
    granted: list[int] = []

    async def work(bucket: Bucket) -> None:
        deadline = time.monotonic() + 0.6
        while time.monotonic() < deadline:
            granted.append((await bucket.take(limits, [1] * 20))[0])
            await asyncio.sleep(0.01)

    began = time.monotonic()
    threads = [threading.Thread(target=with_bucket, args=(broker, work)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    passed = time.monotonic() - began
    assert 0 < sum(granted) <= 100 * (passed + 1)

    async def once(bucket: Bucket) -> int:
        await bucket.take(limits, [1])
        await asyncio.sleep(0.1)
        return (await bucket.take(limits, [1]))[0]

    assert with_bucket(broker, once, key="another-key-1234567") == 1
    names = redis.Redis.from_url(broker).keys("sonovqa:*bucket")
    assert len(names) == 2
    assert not any(KEY.encode() in name for name in names)


def test_flushed_redis_is_an_empty_bucket_and_never_the_absence_of_a_limit(broker: str) -> None:
    async def work(bucket: Bucket) -> int:
        limits, granted = Limits(requests=60), 0
        for _ in range(20):
            redis.Redis.from_url(broker).flushall()
            granted += (await bucket.take(limits, [1] * 100))[0]
        return granted

    assert with_bucket(broker, work) == 0


def test_tokens_are_taken_too_and_what_was_used_beyond_them_is_owed(broker: str) -> None:
    limits = Limits(tokens=60_000)

    async def work(bucket: Bucket) -> list[tuple[int, float]]:
        await bucket.take(limits, [100])
        await asyncio.sleep(0.25)
        first = await bucket.take(limits, [100] * 9)
        owing = await bucket.take(limits, [100], owed=5_000)
        return [first, owing]

    (granted, _), (nothing, wait) = with_bucket(broker, work)
    assert 2 <= granted <= 9
    assert nothing == 0
    assert wait > 4


def test_call_larger_than_the_bucket_starts_when_it_is_full(broker: str) -> None:
    async def work(bucket: Bucket) -> tuple[int, float]:
        limits = Limits(tokens=6_000)  # 100 tokens are saved up at most
        await bucket.take(limits, [5_000])
        client = redis.Redis.from_url(broker)
        (name,) = client.keys("sonovqa:*bucket")
        client.hset(name, "tokens", 100)
        return await bucket.take(limits, [5_000, 1])

    granted, wait = with_bucket(broker, work)
    assert granted == 1
    assert wait > 40, "the rest of the call has to be earned first"


def test_hold_stops_every_worker_and_the_longest_stands(broker: str) -> None:
    async def work(bucket: Bucket) -> tuple[tuple[int, float], tuple[float, float | None]]:
        await bucket.hold(600)
        await bucket.hold(2)
        await bucket.remember(0.25)
        return await bucket.take(Limits(requests=6000), [1]), await bucket.look()

    (granted, wait), (left, share) = with_bucket(broker, work)
    assert granted == 0
    assert 500 < wait <= 600
    assert 500 < left <= 600
    assert share == 0.25


def test_without_redis_each_worker_keeps_to_its_share() -> None:
    """600 a minute among 2 workers: 5 a second each, the first after a wait."""
    started: list[float] = []

    async def work(bucket: Bucket) -> None:
        pace = Pace(bucket)
        pace.limits, pace.sharers = Limits(requests=600), 2

        async def call() -> None:
            await pace.wait(1)
            started.append(time.monotonic())

        began = time.monotonic()
        await asyncio.gather(*(call() for _ in range(4)))
        pace.close()
        assert started[0] - began >= 0.19
        assert started[-1] - began >= 4 * 0.19

    with_bucket("unix:///nowhere/valkey.sock", work)


def test_pace_asks_redis_once_for_all_that_wait(broker: str) -> None:
    asked: list[int] = []

    class Counting(Bucket):
        async def take(self, limits: Limits, tokens: Any, *, owed: int = 0) -> Any:
            asked.append(len(tokens))
            return await super().take(limits, tokens, owed=owed)

    async def main() -> None:
        bucket = Counting(broker, "", KEY)
        pace = Pace(bucket)
        pace.limits = Limits(requests=60_000)
        await asyncio.gather(*(pace.wait(1) for _ in range(200)))
        pace.close()
        await bucket.close()

    asyncio.run(main())
    assert len(asked) < 30


# The engine as a whole.


@pytest.mark.django_db(transaction=True)
def test_run_through_redis_keeps_the_providers_limit(queued: Any, server: Any, broker: str) -> None:
    Provider.objects.update(requests_per_minute=1_200)
    began = time.monotonic()
    run = queued(videos=15, judge=None)
    assert pump(run.pk)
    run.refresh_from_db()
    assert run.state == "done"
    assert server.counted.calls == 30
    assert time.monotonic() - began >= 0.4, "30 calls, 20 a second, and as many saved up"
    assert redis.Redis.from_url(broker).keys("sonovqa:*bucket")


@pytest.mark.django_db(transaction=True)
def test_many_429_slow_the_run_down_and_lose_nothing(queued: Any, server: Any, broker: str) -> None:
    """The stand-in takes 6 calls at once and turns the others away."""
    server.script(Script(latency=0.05, most_at_once=6))
    run = queued(videos=30)
    assert pump(run.pk)
    run.refresh_from_db()
    assert run.state == "done"
    assert not run.work_items.exclude(state="done").exists()
    turned_away = server.counted.faults["rate_limit"]
    assert 0 < turned_away < 90, "it went on as if nothing had been said"  # 150 without
    assert server.counted.calls == 90 + turned_away
    client = redis.Redis.from_url(broker)
    assert float(client.get(*client.keys("*window"))) <= 1  # a slow machine may have grown back


@pytest.mark.django_db(transaction=True)
def test_limit_that_a_reply_says_is_used_up_is_waited_for(
    queued: Any, server: Any, broker: str
) -> None:
    server.script(
        Script(headers={"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1m"})
    )
    run = queued(videos=30, judge=None)
    thread = threading.Thread(target=lambda: (pump(run.pk), connections.close_all()))
    thread.start()
    client = redis.Redis.from_url(broker)
    while not client.keys("*hold"):
        assert thread.is_alive()
        time.sleep(0.05)
    assert 20_000 < client.pttl(client.keys("*hold")[0]) <= 60_000
    run.state = "paused"
    run.save(update_fields=["state"])
    thread.join(60)
    assert not thread.is_alive()
    assert server.counted.calls <= 32, "more than what was under way"


# The breaker.


@pytest.mark.django_db(transaction=True)
def test_one_worker_probes_a_resting_provider(contestant: Any) -> None:
    provider = contestant.provider_id
    assert breaker.look(provider, "a") == breaker.Breaker()
    breaker.trip(provider, "a", "503")
    breaker.trip(provider, "b", "503 again")
    assert breaker.look(provider, "a") == breaker.Breaker(is_open=True)
    state = Provider.objects.get(pk=provider).breaker
    assert state["rest"] == breaker.FIRST_REST, "the second worker only noticed the same"

    def rest_is_over() -> None:
        state = Provider.objects.get(pk=provider).breaker
        Provider.objects.update(breaker=state | {"until": "2020-01-01T00:00:00+00:00"})

    rest_is_over()
    found = [breaker.look(provider, token) for token in ("a", "b", "a")]
    assert [one.may_probe for one in found] == [True, False, True]
    breaker.trip(provider, "a", "still 503")
    assert Provider.objects.get(pk=provider).breaker["rest"] == 2 * breaker.FIRST_REST
    assert not breaker.look(provider, "b").may_probe
    rest_is_over()
    assert breaker.look(provider, "b").may_probe
    breaker.close(provider)
    assert breaker.look(provider, "a") == breaker.Breaker()


@pytest.mark.django_db(transaction=True)
def test_probe_of_a_dead_worker_is_given_to_another(contestant: Any) -> None:
    provider = contestant.provider_id
    long_ago = "2020-01-01T00:00:00+00:00"
    Provider.objects.update(
        breaker={"resting": "503", "rest": 5, "until": long_ago, "probe": "dead",
                 "probe_until": long_ago}
    )  # fmt: skip
    assert breaker.look(provider, "b").may_probe
    assert not breaker.look(provider, "c").may_probe


@pytest.mark.django_db(transaction=True)
def test_provider_that_was_down_is_asked_with_one_call_at_a_time(
    queued: Any, server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(breaker, "FIRST_REST", 0.3)
    monkeypatch.setattr(breaker, "LONGEST_REST", 0.3)
    server.script(Script(latency=0.02, faults=[Fault("overload", share=1.0)]))
    run = queued(videos=20)
    thread = threading.Thread(target=lambda: (pump(run.pk), connections.close_all()))
    thread.start()
    while server.counted.in_flight or not Provider.objects.get().breaker.get("probe"):
        assert thread.is_alive()  # a call of before may still be under way
        time.sleep(0.02)
    server.counted.most_in_flight = 0
    before = server.counted.calls
    while server.counted.calls < before + 2:
        time.sleep(0.05)
    assert server.counted.most_in_flight == 1
    server.script(Script())
    thread.join(60)
    run.refresh_from_db()
    assert run.state == "done"
    assert Provider.objects.get().breaker == {}
