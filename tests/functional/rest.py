"""A page whose colours have come to rest: axe measures contrast as it stands at that moment."""

from playwright.sync_api import Page


def at_rest(page: Page) -> Page:
    """Return the page once each transition that ends has ended."""
    page.evaluate("""() => Promise.allSettled(
        document.getAnimations()
            .filter((one) => one.playState === "running")
            .filter((one) => one.effect.getComputedTiming().iterations !== Infinity)
            .map((one) => one.finished)
    )""")
    return page
