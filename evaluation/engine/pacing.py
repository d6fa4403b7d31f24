"""A simple limit of requests per minute: calls start evenly spread."""

import asyncio
import time


class Pace:
    """Spreads the starts of calls; 0 requests per minute means no limit of ours."""

    def __init__(self, per_minute: float) -> None:
        self._gap = 60.0 / per_minute if per_minute else 0.0
        self._next = 0.0

    async def wait(self) -> None:
        """Wait for the next start."""
        if not self._gap:
            return
        now = time.monotonic()
        start = max(now, self._next)
        self._next = start + self._gap
        if start > now:
            await asyncio.sleep(start - now)
