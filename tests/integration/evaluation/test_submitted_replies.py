"""Replies of a submission on their way into the store, batch by batch."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from evaluation.judging import hand_to_judge
from evaluation.models import Prediction, WorkItem
from evaluation.queries.asked_items import items_with_keys
from evaluation.submitted_replies import Reply, read_reply_to, store_replies
from tests import evaluation_factories as make
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def release() -> Any:
    return factories.release(factories.small_benchmark(slug="bench", videos=3))


def test_stored_replies_are_as_the_models_own_saving_leaves_them(release: Any) -> None:
    run = make.run(release, origin="submission")
    rows = list(release.release_items.order_by("position"))
    replies = [
        Reply(rows[0].item_version_id, "answered", "B", 2, 1.0, [1, 0, 3, 2]),
        Reply(rows[1].item_version_id, "answered", "Gas “above” it.\n%s"),
    ]
    store_replies(run, replies)
    store_replies(run, [replies[0]._replace(text="another")])
    first, second = Prediction.objects.filter(run=run).order_by("pk")
    assert (first.raw_reply, first.answer_text, first.chosen, first.score) == ("B", "B", 2, 1.0)
    assert first.shown_order == [1, 0, 3, 2] and second.shown_order is None
    assert (second.answer_text, second.score, second.extra) == ("Gas “above” it.\n%s", None, {})
    saved = make.prediction(run, rows[2].item_version, 1)
    assert abs((saved.created_at - first.created_at).total_seconds()) < 60
    given = {"id", "run", "item_version", "outcome", "raw_reply", "answer_text", "chosen"}
    for field in Prediction._meta.concrete_fields:  # a new column stands at its default
        if field.name not in given | {"shown_order", "score", "created_at"}:
            assert getattr(first, field.attname) == field.get_default(), field.name


def test_items_are_found_by_their_keys_in_one_query(release: Any) -> None:
    keys = list(release.benchmark.items.values_list("key", flat=True))
    with CaptureQueriesContext(connection) as seen:
        found = items_with_keys(release, [*keys, "no/such/0"])
    assert len(seen) == 1 and set(found) == set(keys)
    other = factories.release(factories.small_benchmark(slug="other", videos=1))
    assert not items_with_keys(other, keys)
    mcq = next(item for item in found.values() if item.kind == "mcq")
    place = mcq.shown_order.index(mcq.key_index)
    assert read_reply_to("ABCD"[place], mcq).score == 1.0
    assert read_reply_to("Answer: " + "ABCD"[place - 1], mcq).score == 0.0
    assert read_reply_to("Z", mcq).outcome == "abstained"


def test_a_judge_gets_its_work_in_batches(release: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evaluation.judging.BATCH", 2)
    run = make.run(release, origin="submission", state="draft")
    free = [i for i in items_with_keys(release, _keys(release)).values() if i.kind == "free"]
    store_replies(run, [read_reply_to("Gas.", item) for item in free])
    assert hand_to_judge(run, make.contestant("Judge", can_judge=True), budget=1) == len(free) == 3
    assert WorkItem.objects.filter(run=run, stage="judge").count() == 3
    assert run.extra["free_answers"] == 3


def _keys(release: Any) -> list[str]:
    return list(release.benchmark.items.values_list("key", flat=True))
