"""How long a run still takes, from what its ledger says."""

import math
from dataclasses import dataclass

LEAST_WINDOW, WINDOW = 0.5, 60.0  # seconds
WAVES = 4  # long calls, after which those in flight are at every stage of their way


@dataclass(frozen=True)
class Latency:
    """Mean and mean square of the latencies of a run's calls, in seconds."""

    mean: float = 0.0
    mean_square: float = 0.0

    @property
    def long(self) -> float:
        """Return what few calls exceed: two standard deviations above the mean."""
        return self.mean + 2 * math.sqrt(max(0.0, self.mean_square - self.mean**2))


@dataclass(frozen=True)
class Moment:
    """A run under way. `settled` steps ended within the last `window` seconds; `from_start`: that
    is all the time since its first call. `left` steps are still to end, `in_flight` of them under
    way, the youngest for `age` seconds; `chained`: a step that has not begun is followed by
    another one, as an answer by its verdict. `retry_in` are the seconds until the last retry.
    """

    settled: int
    window: float
    from_start: bool
    left: int
    in_flight: int
    age: float = 0.0
    chained: bool = False
    retry_in: float | None = None
    latency: Latency = Latency()

    @property
    def speed(self) -> float:
        """Return steps a second.

        From the start on, those in flight are half done on average; in a later window as many
        were half done when it began.
        """
        ended = self.settled + (self.in_flight / 2 if self.from_start and self.settled else 0)
        return ended / max(self.window, LEAST_WINDOW)


def is_whole(running: float, latency: Latency) -> bool:
    """Say whether the speed is taken over all the time since the first call, `running` seconds
    ago, or over the last WINDOW."""
    return running <= max(WINDOW, WAVES * latency.long)


def seconds_left(now: Moment) -> float | None:
    """Return how long the run still takes; None where nothing can be said.

    The slots are kept full until the last step begins; the run ends with the longest of the
    calls that are then in flight, and with the verdict that one of them may ask for.
    """
    if not now.left:
        return 0.0
    if not now.speed:
        return None
    latency = now.latency
    until_last_begins = max(0, now.left - now.in_flight) / now.speed
    drained = latency.long
    if not until_last_begins:
        drained = max(latency.long - now.age, now.left / now.speed)
    total = until_last_begins + drained + (latency.mean if now.chained else 0.0)
    retried = latency.mean + now.retry_in if now.retry_in is not None else 0.0
    return max(total, retried, latency.mean / 2 if now.in_flight else 0.0)
