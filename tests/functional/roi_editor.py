"""How tests work with the ROI editor."""

from typing import Any

from playwright.sync_api import Page, expect

from annotation.models import Item
from tests.functional.conftest import FRAME


def open_editor(page: Page, live_server: Any, item: Item) -> None:
    page.goto(f"{live_server.url}/b/{item.benchmark.slug}/review/{item.pk}/roi/")
    expect(page.locator("[data-still]")).to_be_visible()
    page.wait_for_function("() => document.querySelector('[data-still]').naturalWidth > 0")


def pixels(page: Page) -> list[int]:
    """The box as the number fields show it."""
    fields = (page.locator(f'input[data-name="{side}"][data-unit="px"]') for side in "xywh")
    return [int(field.input_value()) for field in fields]


def scale_of(page: Page) -> float:
    """How many CSS pixels a pixel of the source is."""
    width = page.locator("[data-still]").evaluate("(one) => one.getBoundingClientRect().width")
    return width / FRAME[0]


def middle(page: Page, selector: str) -> tuple[float, float]:
    """The middle of a part, in CSS pixels of the window."""
    box = page.locator(selector).bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Page, selector: str, dx: float, dy: float) -> None:
    """Drag by pixels of the source, wherever and however large the picture stands."""
    scale = scale_of(page)
    x, y = middle(page, selector)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + dx * scale / 2, y + dy * scale / 2, steps=3)
    page.mouse.move(x + dx * scale, y + dy * scale, steps=3)
    page.mouse.up()


def colour(page: Page, x: float, y: float) -> list[int]:
    """The colour of the preview at a share of its size."""
    return page.locator("[data-crop]").evaluate(
        """(canvas, [x, y]) => [...canvas.getContext("2d").getImageData(
            Math.floor(canvas.width * x), Math.floor(canvas.height * y), 1, 1).data].slice(0, 3)""",
        [x, y],
    )


def type_into(page: Page, name: str, unit: str, text: str) -> Any:
    field = page.locator(f'input[data-name="{name}"][data-unit="{unit}"]')
    field.fill(text)
    field.press("Enter")
    return field


def offset(page: Page) -> list[float]:
    """How far the drawn box is from where the picture says it should be, CSS pixels."""
    return page.evaluate(
        """() => {
            const still = document.querySelector("[data-still]").getBoundingClientRect();
            const edge = document.querySelector(".roi-inside").getBoundingClientRect();
            const share = (name) => Number(document.querySelector(
                `input[data-name="${name}"][data-unit="px"]`).value);
            return [edge.left - still.left - (share("x") / 640) * still.width,
                edge.top - still.top - (share("y") / 360) * still.height,
                edge.width - (share("w") / 640) * still.width,
                edge.height - (share("h") / 360) * still.height];
        }"""
    )
