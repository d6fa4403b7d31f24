"""The one thread in which a pump speaks to the database, and its patience with it."""

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from django.db import Error, connections

from evaluation.engine import refusals, trouble

P = ParamSpec("P")
T = TypeVar("T")
log = logging.getLogger(__name__)
FIRST, LONGEST, GROWTH = 1.0, 10.0, 1.3  # seconds between two tries to reach a database that fails
HELD_FOR = 600.0  # seconds for which replies are held that the database refuses


class LedgerThread:
    """`holds` says whether the pump has calls in flight or replies that are not stored."""

    def __init__(self, run_id: int, holds: Callable[[], bool]) -> None:
        self.run_id, self.holds = run_id, holds
        self.pause, self.refused_at = FIRST, 0.0
        self.threads = ThreadPoolExecutor(1, "ledger")

    async def do(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do `work` in the thread."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.threads, lambda: work(*args, **kwargs))

    async def surely(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do what may be done twice, as soon as the database allows it: calls in flight and
        replies in hand do not die with it. Raises what `wait_after` raises."""
        while True:
            try:
                return await self.do(work, *args, **kwargs)
            except Error as error:
                await self.wait_after(error)

    def heard(self) -> None:
        """Note that the ledger was written."""
        self.pause, self.refused_at = FIRST, 0.0

    async def wait_after(self, error: Error) -> None:
        """Wait before the next try, ever longer.

        Where waiting does not help the run is paused. What is paid for is still held for a
        while, because it can be stored as soon as a person has mended the database. Raises
        `error` when that time is over, or at once where nothing is held.
        """
        await self.do(connections.close_all)
        if refusals.fault_of(error).passes:
            log.warning("run %s: the ledger cannot be written: %s", self.run_id, error)
            await self.do(trouble.tell, self.run_id, f"{error}")
        else:
            await self._refused(error)
        await asyncio.sleep(self.pause)
        self.pause = min(self.pause * GROWTH, LONGEST)

    async def _refused(self, error: Error) -> None:
        now = time.monotonic()
        if not self.holds() or (self.refused_at and now - self.refused_at > HELD_FOR):
            raise error
        if not self.refused_at:
            self.refused_at = now
            await self.do(refusals.stop_for, self.run_id, error)

    async def close(self) -> None:
        """Close the connections and end the thread."""
        await self.do(connections.close_all)
        self.threads.shutdown()
