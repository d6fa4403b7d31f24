"""Runs that are asked how sure the model is: from the prompt to the public page."""

from typing import Any

import pytest
from django.test import Client

from evaluation.actions.entries import publish_entry
from evaluation.domain import prompts
from evaluation.engine.plan import load_plan
from evaluation.engine.texts import model_texts
from evaluation.leaderboard import compute_entry
from tests import evaluation_factories as make
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("asked", [True, False])
def test_it_is_asked_and_told(client: Client, asked: bool) -> None:
    bench = factories.small_benchmark(slug="bench", videos=4)
    release = factories.release(bench)
    asking = {"parameters": {"ask_confidence": asked}, "prompt_version": prompts.CURRENT}
    run = make.run(release, condition="blind", **asking)
    rows = list(release.release_items.select_related("item_version__item").order_by("position"))
    for number, row in enumerate(rows):
        is_mcq = row.item_version.key_index is not None
        said = f"Answer: B\nConfidence: {100 if number else 50} %"
        make.prediction(run, row.item_version, 1 if is_mcq else 2, raw_reply=said)
    texts = model_texts(load_plan(run.pk), rows[0].item_version).user
    assert ("Confidence" in texts) is asked
    entry = compute_entry(run)
    page = "Brier score"
    if not asked:
        assert "confidence" not in entry.figures
    else:
        found = entry.figures["confidence"]
        assert (found["n"], found["ece"], found["brier"]) == (4, 0.125, 0.0625)
    publish_entry(entry=entry, by="import")
    shown: Any = client.get(f"/b/bench/entry/{entry.hash[:16]}/").content.decode()
    assert (page in shown) is asked
