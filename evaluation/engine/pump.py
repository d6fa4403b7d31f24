"""The pump: keeps the calls of one run in flight, and refills a free slot at once.

Calls wait for the network in one event loop; the database is spoken to by one thread, turn
by turn. A slot is free when its reply is committed, and the turn that commits it claims the
next item: a worker that dies repeats no more calls than it had slots.
"""

import asyncio
import os
import secrets
import socket
import threading
import time
from collections import deque
from collections.abc import Sequence

from django.conf import settings
from django.db import Error

from evaluation.engine import calls, finish, intents, places, reading, refusals
from evaluation.engine.channel import Channel
from evaluation.engine.ledger_thread import LedgerThread
from evaluation.engine.media_threads import MediaThreads
from evaluation.engine.places import Place
from evaluation.engine.plan import Plan, Side, load_plan
from evaluation.engine.stopping import pause_for, start_running
from evaluation.engine.turn import Turned, Wanted, turn
from evaluation.engine.versions import Versions
from evaluation.engine.work import STORE_FULL, Claimed, Result, Room, Unread
from evaluation.models import Run
from evaluation.models.run import RunState, Stage
from sonovqa.logs import telling_of

TEND = 1.0  # seconds between two looks at what the providers allow
IDLE = 0.5  # seconds between two looks at a run that has nothing to claim
GAP = 0.02  # seconds within which a stored reply is read, by the next turn if one comes
STAGGER = 0.001  # seconds between the starts of two calls
CLIPS_AT_ONCE = 4 * (os.cpu_count() or 1)  # one a core is cut, others are fetched or kept already
LOADED_AT_ONCE = 2  # clips and stills that are read for a call
stopping = threading.Event()  # set when the worker is asked to stop
_pumping: set[int] = set()
_pumping_lock = threading.Lock()


def pump(run_id: int) -> bool:
    """Work on a run until nothing of it is left to do; False where no place was free.

    One pump a run in each process: a second one would only share its event loop's core.
    """
    with _pumping_lock:
        if run_id in _pumping:
            return False
        _pumping.add(run_id)
    try:
        with telling_of(run=run_id), refusals.stopping_for(run_id):
            return _pump(run_id)
        return True
    finally:
        with _pumping_lock:
            _pumping.discard(run_id)


def _pump(run_id: int) -> bool:
    run = Run.objects.select_related("contestant__provider").filter(pk=run_id).first()
    if run is None or run.state not in (RunState.QUEUED, RunState.RUNNING):
        return False
    token = secrets.token_hex(16)
    place = places.take(run, token=token, worker=f"{socket.gethostname()}:{os.getpid()}")
    if place is None:
        return False
    try:
        start_running(run_id)
        asyncio.run(Pump(load_plan(run_id), place).work())
    except ValueError as error:  # parameters, key or dialect that cannot be asked
        pause_for(run_id, f"{error}")
    finally:
        places.leave(place)
    finish.settle(run_id)
    return True


class Pump:
    """The calls of one run in one process."""

    def __init__(self, plan: Plan, place: Place) -> None:
        self.plan, self.place = plan, place
        self.versions = Versions(plan)
        self.ready: deque[Claimed] = deque()
        self.done: list[Result] = []
        self.unread: list[Unread] = []
        self.tasks: set[asyncio.Task[None]] = set()
        self.held: set[int] = set()  # work items claimed and not stored yet
        self.in_doubt = False  # whether a turn failed that may have been committed
        self.clips_in_flight = 0
        self.slots = 1
        self.working = True
        self.beat_at = self.tend_at = 0.0
        self.channels: dict[str, Channel] = {}
        self.ledger = LedgerThread(plan.run_id, self._holds)

    async def work(self) -> None:
        """Take turns until the run has nothing left for this pump."""
        self.wake, self.launched = asyncio.Event(), asyncio.Event()
        launcher = asyncio.create_task(self._launch())
        self.cuts = MediaThreads(CLIPS_AT_ONCE, "cut")
        self.files = MediaThreads(LOADED_AT_ONCE, "media")
        try:
            await self._open()
            while await self._turn():
                await self._rest()
            while self._has_work():
                await self._turn()
                await self._rest()
        finally:
            launcher.cancel()
            await self._close()

    def _holds(self) -> bool:
        """Say whether anything would be lost with this pump."""
        return bool(self.ready or self.tasks or self.done)

    def _has_work(self) -> bool:
        return self._holds() or bool(self.unread)

    async def _open(self) -> None:
        self.channels[Stage.PREDICT] = self._channel(self.plan.model)
        if self.plan.judge is not None:
            self.channels[Stage.JUDGE] = self._channel(self.plan.judge)
        for channel in self.channels.values():
            await self.ledger.surely(channel.learn)
            await channel.meet()
        self.unread = await self.ledger.surely(reading.unread_of, self.plan)

    def _channel(self, side: Side) -> Channel:
        return Channel(side, connections=settings.ENGINE_SLOTS, token=self.place.token)

    async def _close(self) -> None:
        for task in self.tasks:
            task.cancel()
        for channel in self.channels.values():
            await channel.close()
        await self.ledger.close()
        for threads in (self.cuts, self.files):
            threads.close()

    async def _tend(self) -> None:
        """Look up what this pump may do with its providers, and tell of those in trouble."""
        self.tend_at = time.monotonic() + TEND
        for channel in self.channels.values():
            await self.ledger.surely(channel.learn)
            channel.talk()
        self.slots = int(self.channels[Stage.PREDICT].health.limit)

    async def _turn(self) -> bool:
        """Do one turn; False when the pump has no more to do."""
        if stopping.is_set():
            self.working = False
        if self.in_doubt:
            await self._make_sure()
        began = time.monotonic()
        if began >= self.tend_at or any(one.has_news for one in self.channels.values()):
            await self._tend()
        beat = time.monotonic() >= self.beat_at
        if beat:
            self.beat_at = began + settings.ENGINE_LEASE_SECONDS / 4
        wanted = self._wanted(beat)
        try:
            turned = await self.ledger.do(turn, self.plan, self.place, self.versions, wanted)
        except Error as error:
            await self._keep(wanted, error)
            return True
        self.ledger.heard()
        self.held.difference_update(one.claimed.work_item_id for one in wanted.results)
        self.held.update(one.work_item_id for one in turned.claimed)
        self.unread = list(turned.unread)
        await self._note(turned)
        self._count(turned.claimed, 1)
        self.ready.extend(turned.claimed)
        self.launched.set()
        return self.working and (turned.open or self._has_work())

    def _wanted(self, beat: bool) -> Wanted:
        results, self.done = self.done, []
        unread, self.unread = self.unread, []
        self._count([one.claimed for one in results], -1)
        return Wanted(
            results=results,
            unread=unread,
            room=self._room() if self.working else Room(),
            in_flight=self._calls_in_flight(),
            beat=beat,
        )

    def _room(self) -> Room:
        room = {stage: channel.room() for stage, channel in self.channels.items()}
        return Room(
            calls=self.slots - self._calls_in_flight(),
            predictions=0 if self.plan.in_batch else room[Stage.PREDICT],
            judgements=room.get(Stage.JUDGE, 0),
            clips=CLIPS_AT_ONCE - self.clips_in_flight,
        )

    def _calls_in_flight(self) -> int:
        return sum(channel.in_flight for channel in self.channels.values())

    def _count(self, claimed: Sequence[Claimed], by: int) -> None:
        """Count work in flight up or down. A reply counts until it is committed."""
        for one in claimed:
            if one.stage == Stage.CLIP:
                self.clips_in_flight += by
            else:
                self.channels[one.stage].in_flight += by

    async def _keep(self, wanted: Wanted, error: Error) -> None:
        """Hold on to what a turn could not store (a full disk, a database that restarts): the
        replies are paid for."""
        self.in_doubt = True
        self.done = [*wanted.results, *self.done]
        self.unread = [*wanted.unread, *self.unread]
        self._count([one.claimed for one in wanted.results], 1)
        self.beat_at = 0.0
        await self.ledger.wait_after(error)

    async def _make_sure(self) -> None:
        """After a turn of which nobody knows whether it was committed: give back what it has
        claimed, and take up what it has stored. Results that it has stored are refused when
        they come a second time."""
        run_id, token = self.plan.run_id, self.place.token
        await self.ledger.surely(intents.give_back, run_id, token=token, known=self.held)
        self.unread = await self.ledger.surely(reading.unread_of, self.plan)
        self.in_doubt = False

    async def _note(self, turned: Turned) -> None:
        self.working = self.working and turned.working
        for channel in self.channels.values():
            if channel.health.stop_reason and self.working:
                self.working = False
                await self.ledger.surely(pause_for, self.plan.run_id, channel.health.stop_reason)
        if turned.broke and self.working and not self.tasks:
            self.working = False
            await self.ledger.surely(pause_for, self.plan.run_id, turned.broke)

    async def _launch(self) -> None:
        """Start claimed work a moment apart.

        Started together, calls would advance in step, come back together and so keep every
        slot waiting for the slowest of them.
        """
        while True:
            await self.launched.wait()
            self.launched.clear()
            while self.ready:
                claimed = self.ready.popleft()
                is_clip = claimed.stage == Stage.CLIP
                task = asyncio.create_task(self._cut(claimed) if is_clip else self._ask(claimed))
                self.tasks.add(task)
                task.add_done_callback(self.tasks.discard)
                await asyncio.sleep(STAGGER)

    async def _ask(self, claimed: Claimed) -> None:
        channel, threads = self.channels[claimed.stage], self.files.pool
        await channel.pace.wait(claimed.tokens)
        with telling_of(item=claimed.work_item_id):
            result = await calls.ask(self.plan, channel.side, channel.model, claimed, threads)
        channel.note(result)
        self._put(result)

    async def _cut(self, claimed: Claimed) -> None:
        with telling_of(item=claimed.work_item_id):
            self._put(await calls.cut(self.plan, claimed, self.cuts.pool))

    def _put(self, result: Result) -> None:
        if result.failure is not None and result.failure.error_class == STORE_FULL:
            self.channels[Stage.PREDICT].health.stop_reason = result.failure.message
        self.done.append(result)
        self.wake.set()

    async def _rest(self) -> None:
        """Wait until there is something to tell the ledger, or to ask of it."""
        self.wake.clear()
        if self.done:
            return
        try:
            async with asyncio.timeout(GAP if self.unread else IDLE):
                await self.wake.wait()
        except TimeoutError:
            return
