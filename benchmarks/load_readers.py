"""Clinicians as a load: each on a connection of its own, acting at random times.

Not a measurement itself: `review_load.py` stands on it.
"""

import asyncio
import contextlib
import random
import time
import uuid
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import httpx2

ACTIONS = {"look": 45, "vote": 35, "edit": 10, "search": 10}  # per cent
WORDS = ("shown", "item 17", "item 333", "item 4321", "next", "probe")
TIMEOUT = 30.0
KEPT_ALIVE = 20.0  # seconds; the server keeps a connection longer
CONFLICT = 409
REASON = "race"  # of the edits that race


@dataclass
class Measured:
    """Seconds of each request, by what it was; and what went wrong, in words."""

    reads: list[float] = field(default_factory=list)
    saves: list[float] = field(default_factory=list)
    by_name: dict[str, list[float]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    actions: Counter[str] = field(default_factory=Counter)
    votes: int = 0
    edits: int = 0
    conflicts: int = 0


class Clinician:
    """One signed-in reader. `items` are ids, `versions` is what this reader saw of each last."""

    def __init__(
        self, base: str, slug: str, session: str, items: list[int], into: Measured, seed: int
    ) -> None:
        limits = httpx2.Limits(max_connections=2, keepalive_expiry=KEPT_ALIVE)
        self.client = httpx2.AsyncClient(base_url=base, timeout=TIMEOUT, limits=limits)
        self.client.cookies.set("sessionid", session, domain="127.0.0.1")
        self.slug, self.items, self.into = slug, items, into
        self.draw = random.Random(seed)
        self.place = self.draw.randrange(len(items))
        self.versions: dict[int, int] = {}

    @property
    def item(self) -> int:
        return self.items[self.place % len(self.items)]

    async def ask(self, name: str, method: str, url: str, body: Any = None) -> httpx2.Response:
        """Send one request and note how long it took; a status of 400 and more but 409 is an
        error, and so is an answer that does not come."""
        save = method != "GET"
        headers = {"Accept": "application/json"} if save else {}
        if save:
            headers["X-CSRFToken"] = self.client.cookies.get("csrftoken") or ""
        start = time.perf_counter()
        try:
            answer = await self.client.request(method, url, json=body, headers=headers)
        except httpx2.HTTPError as error:
            self.into.errors.append(f"{name}: {error!r}")
            raise
        seconds = time.perf_counter() - start
        (self.into.saves if save else self.into.reads).append(seconds)
        self.into.by_name.setdefault(name, []).append(seconds)
        if answer.status_code >= 300 and answer.status_code != CONFLICT:
            self.into.errors.append(f"{name}: {answer.status_code} {answer.text[:120]}")
        return answer

    async def look(self) -> None:
        """Open the page of the next item, as a browser does, and its data."""
        self.place += 1
        page = f"/b/{self.slug}/review/{self.item}/"
        await self.ask("page", "GET", page)
        found = await self.ask("item data", "GET", f"/api/v1/items/{self.item}/")
        if found.status_code == 200:
            self.versions[self.item] = found.json()["version"]

    async def vote(self) -> None:
        """Vote; the column comes anew with the evidence, then what lies inside it."""
        if self.item not in self.versions:
            await self.look()
        drop = self.draw.random() < 0.3
        body = {
            "version": self.versions[self.item],
            "verdict": "drop" if drop else "keep",
            "reasons": [self.draw.randint(1, 9)] if drop else [],
            "active_seconds": 12.5,
        }
        url = f"/api/v1/items/{self.item}/votes/{uuid.uuid4()}/"
        answer = await self.ask("vote", "PUT", url, body)
        if answer.status_code == CONFLICT:  # edited by somebody meanwhile: read it again
            self.into.conflicts += 1
            self.versions[self.item] = answer.json()["current"]["version"]
            return
        self.into.votes += 1
        await self.ask("column", "GET", f"/b/{self.slug}/review/{self.item}/item/")

    async def edit(self) -> None:
        if self.item not in self.versions:
            await self.look()
        words = f"What is shown here, to reader {uuid.uuid4()}?"
        await self.save(self.item, {"stem": words}, "clearer")

    async def save(self, item: int, changes: dict[str, Any], reason: str) -> None:
        """Save an edit; on a conflict again on top of what stands now, until it is taken."""
        while True:
            body = {"base_version": self.versions[item], "changes": changes, "reason": reason}
            answer = await self.ask("edit", "POST", f"/api/v1/items/{item}/versions/", body)
            if answer.status_code != CONFLICT:
                if answer.status_code == 201:
                    self.versions[item] = answer.json()["version"]
                    self.into.edits += 1
                return
            self.into.conflicts += 1
            self.versions[item] = answer.json()["current"]["version"]

    async def search(self) -> None:
        word = self.draw.choice(WORDS).replace(" ", "+")
        await self.ask("search queue", "GET", f"/b/{self.slug}/review/{self.item}/?q={word}")
        await self.ask("find", "GET", f"/b/{self.slug}/items/?q={word}")

    async def work(self, seconds: float, every: float) -> None:
        """Act at random times, `every` seconds on average, for so many seconds."""
        end = time.monotonic() + seconds
        names, weights = list(ACTIONS), list(ACTIONS.values())
        while True:
            await asyncio.sleep(self.draw.expovariate(1 / every))
            if time.monotonic() > end:
                return
            (name,) = self.draw.choices(names, weights)
            self.into.actions[name] += 1
            with contextlib.suppress(httpx2.HTTPError):  # noted where it happened
                await getattr(self, name)()

    async def edit_again_and_again(self, items: list[int], edits: int) -> None:
        """Make `edits` edits of `items`, each under words of its own, as fast as it goes."""
        for number in range(edits):
            item = items[(number + self.place) % len(items)]
            self.versions.setdefault(item, 1)
            await self.save(item, {"stem": f"Edit {number} of {id(self)}: {uuid.uuid4()}?"}, REASON)

    async def leave(self) -> None:
        await self.client.aclose()
