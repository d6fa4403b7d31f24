"""Evidence in the workspace: sealed before the vote; after it marks stand at the options."""

import uuid
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.actions.reviews import cast_vote
from tests import evaluation_factories as make
from tests import factories

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]
OPTIONS = (
    "Slide the probe over the aorta.",
    "Press harder",
    "Raise the gain.",
    "Freeze the image.",
)


@pytest.fixture
def item() -> Any:
    bench = factories.benchmark(name="Abdominal sweep")
    made = factories.mcq_item(factories.video(bench), options=OPTIONS, key_index=1)
    factories.kept(made)
    release = factories.release(bench)
    for name, score, condition in (
        ("Gemini 3", 1, "video"),
        ("Qwen3.5", 0, "video"),
        ("Gemini 3 blind", 1, "blind"),
    ):
        make.prediction(
            make.run(release, name=name, condition=condition), factories.current(made), score
        )
    return made


def test_marks_of_models_and_rules_stand_at_their_options(
    page: Page, live_server: Any, sign_in: Any, reviewer: Any, item: Any
) -> None:
    sign_in(reviewer)
    page.set_viewport_size({"width": 1440, "height": 900})
    url = f"{live_server.url}/b/{item.benchmark.slug}/review/{item.pk}/"
    page.goto(url)
    expect(page.locator(".sealed")).to_be_visible()
    expect(page.locator("body")).not_to_contain_text("Gemini 3")
    cast_vote(
        review_id=uuid.uuid4(), item_id=item.pk, version_number=1, verdict="keep", by=reviewer
    )
    page.goto(url)
    evidence = page.locator("[data-evidence]")
    expect(evidence).to_contain_text("1 / 1 correct without the video")
    expect(evidence).to_contain_text("Only option without a full stop; shortest option.")
    expect(page.locator('[data-picks="1"]')).to_contain_text("Gemini 3")
    expect(page.locator('[data-picks="1"]')).to_contain_text("No full stop")
    expect(page.locator('[data-picks="2"]')).to_have_text("Qwen3.5")
