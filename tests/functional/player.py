"""How tests look at the player of a review page."""

import itertools
from typing import Any

from playwright.sync_api import Page

from annotation.models import Item

PLAYER = "document.querySelector('[data-stage]').stage?.player"


def open_review(page: Page, live_server: Any, item: Item) -> None:
    page.goto(f"{live_server.url}/b/{item.benchmark.slug}/review/{item.pk}/")


def wait_until(page: Page, condition: str, *, seconds: float = 30) -> None:
    """Wait for a condition on `player`."""
    page.wait_for_function(
        f"() => {{ const player = {PLAYER}; return {condition}; }}", timeout=seconds * 1000
    )


def wait_playing(page: Page) -> None:
    wait_until(page, "player && player.playing")


def look(page: Page, expression: str) -> Any:
    return page.evaluate(f"() => {{ const player = {PLAYER}; return {expression}; }}")


def watch(page: Page, seconds: float) -> list[float]:
    """Return the player's times of each frame for a while."""
    return page.evaluate(
        f"""(ms) => new Promise((done) => {{
            const player = {PLAYER}, seen = [], until = performance.now() + ms;
            const look = () => {{
                seen.push(player.time);
                if (performance.now() < until) requestAnimationFrame(look); else done(seen);
            }};
            requestAnimationFrame(look);
        }})""",
        seconds * 1000,
    )


def loops_in(times: list[float]) -> int:
    """Count the jumps back."""
    return sum(1 for before, after in itertools.pairwise(times) if after < before - 0.15)


def calls(page: Page, name: str) -> list[Any]:
    """Return the arguments of the calls of one method of YouTube's player."""
    return page.evaluate("(name) => YT.calls.filter((call) => call[0] === name)", name)
