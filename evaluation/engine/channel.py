"""The way to one side of a run, the contestant or the judge: its client, its pace, its health,
and how many of its calls are in flight."""

import asyncio
import logging
import time

from django.conf import settings

from evaluation.engine import breaker, calls, places
from evaluation.engine.bucket import TROUBLE, Bucket
from evaluation.engine.health import Health
from evaluation.engine.pacing import Pace
from evaluation.engine.plan import Side
from evaluation.engine.work import CLIP_ERROR, STORE_FULL, Result

log = logging.getLogger(__name__)


class Channel:
    """Made and used in one event loop; `token` is the pump's."""

    def __init__(self, side: Side, *, connections: int, token: str) -> None:
        self.side, self.token = side, token
        self.model = calls.open_model(side, connections=connections)
        self.bucket = Bucket(settings.REDIS_URL, side.base_url, side.key)
        self.pace = Pace(self.bucket)
        self.health = Health()
        self.in_flight = 0
        self.last_trouble = ""
        self._hold_asked = 0.0
        self._knows = False
        self._talk: asyncio.Task[None] | None = None

    def room(self) -> int:
        """Return how many more calls may begin now."""
        allowed = self.health.allowed(time.monotonic()) - self.in_flight
        return max(0, min(allowed, self.pace.room()))

    @property
    def has_news(self) -> bool:
        """Say whether something came up that the other workers should know soon."""
        answers_again = self.health.is_open and self.health.replied
        fails = self.health.tripped and (self.health.may_probe or not self.health.is_open)
        return answers_again or fails or self._hold_asked > 0

    def note(self, result: Result) -> None:
        """Take in what became of a call, for the health of the provider."""
        failure, reply = result.failure, result.reply
        if failure is not None and failure.error_class in (CLIP_ERROR, STORE_FULL):
            return
        now = time.monotonic()
        error_class, message = (failure.error_class, failure.message) if failure else ("", "")
        self.last_trouble = message or self.last_trouble
        before = self.health.hold_until
        self.health.note(error_class, message, now, hold=failure.retry_after if failure else None)
        if reply is not None:
            self.pace.settle(result.claimed.tokens, reply.tokens_in + reply.tokens_out)
            if reply.used_up_for > 0:
                self.health.hold_until = max(before, now + reply.used_up_for)
        if self.health.hold_until > before:
            self._hold_asked = self.health.hold_until - now

    def learn(self) -> None:
        """Read what the database says of the provider, and tell it what this pump has seen."""
        health, provider = self.health, self.side.provider_id
        if health.replied and health.is_open:
            breaker.close(provider)
        elif health.tripped:
            breaker.trip(provider, self.token, self.last_trouble)
            health.failures = 0
        health.replied = False
        found = breaker.look(provider, self.token)
        health.is_open, health.may_probe = found.is_open, found.may_probe
        share = places.share(provider)
        health.limit, self.pace.sharers = share.calls, share.pumps
        self.pace.limits = share.limits

    def talk(self) -> None:
        """Begin to exchange holds and windows with the other workers; never waits for Redis."""
        if self._talk is None or self._talk.done():
            self._talk = asyncio.create_task(self._exchange())

    async def meet(self) -> None:
        """Take up what other workers have learned, before the first call."""
        await self._exchange()

    async def _exchange(self) -> None:
        asked, self._hold_asked = self._hold_asked, 0.0
        try:
            if asked:
                await self.bucket.hold(asked)
            left, share = await self.bucket.look()
            if left:
                self.health.hold_until = max(self.health.hold_until, time.monotonic() + left)
            if not self._knows and share is not None:
                self.health.begin_with(share)
            elif self.health.is_settled and self.health.share != share:
                await self.bucket.remember(self.health.share)
        except TROUBLE as error:
            log.debug("nothing exchanged with the other workers: %r", error)
        self._knows = True

    async def close(self) -> None:
        """Leave word for runs to come and close the connections."""
        self.pace.close()
        if self._talk is not None:
            self._talk.cancel()
        await self._exchange()
        await self.bucket.close()
        await self.model.close()
