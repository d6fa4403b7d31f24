"""The time left of runs that are worked off call by call, against what then really remained."""

import heapq
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from evaluation.domain.time_left import WINDOW, Latency, Moment, is_whole, seconds_left

ITEMS, FREE, SLOTS = 657, 280, 64
SHAPES: dict[str, Callable[[random.Random], float]] = {
    "even": lambda chance: chance.uniform(0.3, 1.7),
    "slow": lambda chance: chance.uniform(10.0, 40.0),
    "long tail": lambda chance: chance.lognormvariate(1.5, 0.5),
    "nearly fixed": lambda chance: chance.uniform(0.5, 0.55),
}


@dataclass(frozen=True)
class Call:
    began: float
    ended: float
    asks: bool = False  # whether a verdict follows


def work_off(latency: Callable[[], float]) -> list[Call]:
    """Work off MCQs, then free responses; a verdict goes before the next answer."""
    answers = iter([False] * (ITEMS - FREE) + [True] * FREE)
    verdicts, calls = 0, []
    slots = [(0.0, False)] * SLOTS  # when each is free, and whether a verdict follows
    heapq.heapify(slots)
    while slots:
        now, asked = heapq.heappop(slots)
        verdicts += asked
        asks = False
        if verdicts:
            verdicts -= 1
        elif (following := next(answers, None)) is not None:
            asks = following
        else:
            continue
        calls.append(Call(now, now + latency(), asks))
        heapq.heappush(slots, (calls[-1].ended, asks))
    return calls


def moments(calls: list[Call]) -> Iterator[tuple[float, float, Moment]]:
    """Give share done, seconds that truly remain and what the ledger says, from the first tenth."""
    end = max(call.ended for call in calls)
    moment = sorted(call.ended for call in calls)[len(calls) // 10]
    while moment < end:
        ended = [call for call in calls if call.ended <= moment]
        under_way = [call for call in calls if call.began <= moment < call.ended]
        times = [call.ended - call.began for call in ended]
        latency = Latency(sum(times) / len(times), sum(one * one for one in times) / len(times))
        whole = is_whole(moment, latency)
        since = 0.0 if whole else moment - WINDOW
        to_ask = [call for call in calls if call.asks and call.ended > moment]
        yield len(ended) / len(calls), end - moment, Moment(
            settled=sum(call.ended > since for call in ended),
            window=moment - since,
            from_start=whole,
            left=len(calls) - len(ended),
            in_flight=len(under_way),
            age=moment - max(call.began for call in calls if call.began <= moment),
            chained=bool(to_ask),
            latency=latency,
        )  # fmt: skip
        moment += end / 200


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_right_within_a_fifth_after_the_first_tenth(shape: str, seed: int) -> None:
    chance = random.Random(seed)
    calls = work_off(lambda: SHAPES[shape](chance))
    longest = max(call.ended - call.began for call in calls)
    for share, true, moment in moments(calls):
        told = seconds_left(moment)
        assert told is not None
        near_end = 1.25 * longest if share > 0.8 else 0.0  # nobody knows which call is long
        assert abs(told - true) <= max(true / 5, 2.0, near_end), (share, told, true)


def test_nothing_is_told_before_the_first_reply() -> None:
    assert seconds_left(Moment(0, 5.0, from_start=True, left=9, in_flight=4)) is None


def test_nothing_is_left() -> None:
    assert seconds_left(Moment(9, 5.0, from_start=True, left=0, in_flight=0)) == 0.0


def test_last_retry_is_waited_for() -> None:
    now = Moment(
        90, 9.0, from_start=True, left=1, in_flight=0, retry_in=40.0, latency=Latency(1.0, 1.0)
    )
    assert seconds_left(now) == 41.0
