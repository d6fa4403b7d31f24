"""The way to one side of a run, the contestant or the judge: its client, its pace, its health,
and how many of its calls are in flight."""

import time

from evaluation.engine import calls
from evaluation.engine.health import Health
from evaluation.engine.pacing import Pace
from evaluation.engine.plan import Side
from evaluation.engine.work import CLIP_ERROR, Result


class Channel:
    """Made and used in one event loop."""

    def __init__(self, side: Side, *, connections: int) -> None:
        self.side = side
        self.model = calls.open_model(side, connections=connections)
        self.pace = Pace(side.requests_per_minute / side.pumps)
        self.health = Health()
        self.in_flight = 0
        self.last_trouble = ""

    def room(self) -> int:
        """Return how many more calls may begin now."""
        return max(0, self.health.allowed(time.monotonic()) - self.in_flight)

    def note(self, result: Result) -> None:
        """Take in what became of a call, for the health of the provider."""
        failure = result.failure
        if failure is not None and failure.error_class == CLIP_ERROR:
            return
        error_class, message = (failure.error_class, failure.message) if failure else ("", "")
        self.last_trouble = message or self.last_trouble
        self.health.note(error_class, message, time.monotonic())

    async def close(self) -> None:
        """Close the connections."""
        await self.model.close()
