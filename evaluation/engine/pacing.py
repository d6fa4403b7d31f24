"""Lets calls start as the requests and tokens per minute of a key allow.

Calls that wait are granted together: the more wait, the more each question to Redis brings,
so a limit costs next to nothing a call. Without a limit nothing is asked.
"""

import asyncio
import logging
import time
from collections import deque

from evaluation.engine.bucket import TROUBLE, Bucket, Limits

log = logging.getLogger(__name__)
MOST_AT_ONCE = 256
LEAST_SLEEP = 0.02  # seconds; what adds up meanwhile is granted together
LONGEST_SLEEP = 2.0  # seconds; limits may have been changed meanwhile


class Pace:
    """The start line of one channel. Made and used in one event loop.

    `sharers` is how many workers use the key; it counts only while Redis is away.
    """

    def __init__(self, bucket: Bucket) -> None:
        self.limits = Limits()
        self.sharers = 1
        self._bucket = bucket
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()
        self._server: asyncio.Task[None] | None = None
        self._owed = 0
        self._next_alone = 0.0

    def room(self) -> int:
        """Return how many more calls should be claimed: few more than may start soon."""
        if not self.limits:
            return MOST_AT_ONCE
        soon = 2 * int(self.limits.rates[1]) if self.limits.requests else 16
        return max(0, max(2, soon) - len(self._waiting))

    async def wait(self, tokens: int) -> None:
        """Wait until a call of so many tokens may start."""
        if not self.limits:
            return
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((tokens, ready))
        if self._server is None or self._server.done():
            self._server = asyncio.create_task(self._serve())
        await ready

    def settle(self, taken: int, used: int) -> None:
        """Take in what a call really used; the next question tells the others."""
        if self.limits.tokens:
            self._owed += used - taken

    async def _serve(self) -> None:
        while self._waiting:
            tokens = [need for need, _ in self._waiting][:MOST_AT_ONCE]
            owed, self._owed = self._owed, 0
            try:
                granted, wait = await self._bucket.take(self.limits, tokens, owed=owed)
                self._next_alone = 0.0
            except TROUBLE as error:
                self._owed += owed
                granted, wait = self._alone(tokens[0], error)
            for _ in range(min(granted, len(self._waiting))):
                _, ready = self._waiting.popleft()
                if not ready.done():
                    ready.set_result(None)
            if self._waiting and wait:
                await asyncio.sleep(min(max(wait, LEAST_SLEEP), LONGEST_SLEEP))

    def _alone(self, tokens: int, error: BaseException) -> tuple[int, float]:
        """Keep to this worker's share of the limit, evenly spaced, beginning with a wait."""
        now = time.monotonic()
        r_rate, _, t_rate, _ = self.limits.rates
        gap = max(1 / r_rate if r_rate else 0.0, tokens / t_rate if t_rate else 0.0)
        gap *= self.sharers / 1000
        if not self._next_alone:
            log.warning("no shared limit, so each worker keeps to its share: %r", error)
            self._next_alone = now + gap
        if now < self._next_alone:
            return 0, self._next_alone - now
        self._next_alone = max(now, self._next_alone) + gap
        return 1, gap

    def close(self) -> None:
        """Wait for nothing any more."""
        if self._server is not None:
            self._server.cancel()
