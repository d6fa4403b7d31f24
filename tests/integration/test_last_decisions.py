"""The last ten decisions: one's own alone, the newest first, each taken back from the list."""

import uuid

import pytest

from annotation.actions.bulk import apply_bulk, ask_bulk
from annotation.actions.bulk_work import advance
from annotation.actions.decisions import adjudicate
from annotation.models import Item, Review, Revision
from annotation.queries.last_decision import last_decision
from annotation.queries.last_decisions import last_decisions
from tests import factories
from tests.unit.annotation.queries.voting import vote

pytestmark = pytest.mark.django_db


@pytest.fixture
def bench():
    bench = factories.benchmark()
    video = factories.video(bench)
    for _ in range(12):
        factories.mcq_item(video)
    return bench


def post(client, bench, kind, key):
    answer = client.post(f"/b/{bench.slug}/decisions/undo/?panel=1", {"kind": kind, "key": key})
    assert answer.status_code == 200
    return answer.content.decode()


def test_ten_of_ones_own_the_newest_first(client_for, bench, reviewer, reviewer_2):
    items = list(bench.items.order_by("pk"))
    for item in items:
        vote(item, reviewer, "skip" if item is items[-1] else "keep")
    vote(items[0], reviewer_2, "drop", comment="Not yours.")

    taken = last_decisions(reviewer, bench)
    assert [one.item_id for one in taken] == [item.pk for item in items[:1:-1]]
    assert [one.did for one in taken[:2]] == ["Skipped", "Voted keep"]
    text = client_for(reviewer).get(f"/b/{bench.slug}/decisions/").content.decode()
    assert text.count("data-undo-entry") == 10
    assert "Voted drop" not in text
    assert not last_decisions(reviewer, factories.benchmark())


def test_each_kind_is_taken_back(client_for, bench, adjudicator):
    first, second, third, fourth = bench.items.order_by("pk")[:4]
    cast = vote(first, adjudicator, "keep")
    adjudicate(item_id=second.pk, version_number=1, keep=False, reason="x", by=adjudicator)
    bulk = ask_bulk(
        benchmark=bench,
        kind="drop",
        words="Twice.",
        seen=10**9,
        picked=[third.pk, fourth.pk],
        by=adjudicator,
    )
    apply_bulk(bulk_id=bulk.pk, by=adjudicator)
    advance(bulk.pk)
    client = client_for(adjudicator)

    taken = last_decisions(adjudicator, bench)
    assert [one.kind for one in taken] == ["bulk", "decision", "vote"]
    assert taken[0].did == "Dropped: 2 items"
    decision = Revision.objects.get(verb="adjudicate", request_id="")
    assert last_decision(adjudicator, bench).revision_id == decision.pk  # not one of the bulk's
    for one in taken:
        assert "Taken back." in post(client, bench, one.kind, one.key)
    assert not last_decisions(adjudicator, bench)
    assert set(Item.objects.values_list("state", flat=True)) == {"todo"}
    assert Review.objects.get(pk=cast.pk).undone_at is not None
    assert "none of your last decisions" in post(client, bench, "vote", uuid.uuid4())
    assert "taken back, and once" in post(client, bench, "bulk", bulk.pk)


def test_what_is_not_ones_own_stays(client_for, bench, reviewer, reviewer_2, adjudicator):
    item, other = bench.items.order_by("pk")[:2]
    cast = vote(item, reviewer_2, "keep")
    adjudicate(item_id=other.pk, version_number=1, keep=True, reason="x", by=adjudicator)
    revision = Revision.objects.get(verb="adjudicate")
    client = client_for(reviewer)

    for kind, key in (
        ("vote", cast.pk),
        ("decision", revision.pk),
        ("bulk", 1),
        ("vote", "x"),
        ("vote", "9" * 36),
        ("vote", "-" * 36),
        ("vote", 7),
        ("decision", "9" * 18),
        ("decision", cast.pk),
        ("decision", "\x00"),
        ("", ""),
    ):
        assert "none of your last decisions" in post(client, bench, kind, key)
    assert set(Item.objects.filter(pk__in=[item.pk, other.pk]).values_list("keep")) == {(True,)}
