"""The repair assistant over HTTP: proposals, one by one, together, taken back."""

from typing import Any

import pytest

from annotation.actions.items import edit_item
from annotation.actions.length_repairs import propose_length
from annotation.actions.repairs import request_repairs
from annotation.models import BulkAction, Item, KeySight, Repair, RepairSearch, ShortcutAudit
from annotation.repairing import find_repairs, find_waiting
from tests import factories

pytestmark = pytest.mark.django_db
URL = "/b/phantom/repairs/"
UNEVEN = ("Slide.", "Freeze", "Tilt.", "Press.")


@pytest.fixture
def bench() -> Any:
    """Three kept MCQs whose key alone lacks a full stop, one even, one dropped, one short."""
    bench = factories.benchmark(slug="phantom", name="Phantom")
    vid = factories.video(bench, start=0, end=60)
    for _ in range(3):
        factories.kept(factories.mcq_item(vid, options=UNEVEN, key_index=1, window=(5, 9)))
    factories.kept(factories.mcq_item(vid, window=(5, 9)))
    factories.kept(factories.mcq_item(vid, options=UNEVEN, window=(5, 9)), keep=False)
    factories.kept(factories.free_item(vid, window=(20, 20.5)))
    return bench


@pytest.fixture
def searched(bench: Any) -> Any:
    request_repairs(benchmark=bench, by="system")
    find_repairs(bench.pk)
    return bench


def kinds(bench: Any, state: str = "open") -> list[str]:
    found = Repair.objects.filter(benchmark=bench, state=state)
    return sorted(found.values_list("kind", flat=True))


def test_proposals_are_made_for_kept_items_and_change_nothing(searched: Any) -> None:
    assert kinds(searched) == ["punctuation"] * 3 + ["short-window"]
    assert all(item.current.number == 1 for item in Item.objects.select_related("current"))


def test_a_search_that_nobody_asked_for_does_nothing(searched: Any) -> None:
    ids = list(Repair.objects.values_list("pk", flat=True))
    find_waiting()
    assert list(Repair.objects.values_list("pk", flat=True)) == ids


def test_the_page_shows_words_that_come_and_figures_of_audits(
    client_for: Any, adjudicator: Any, searched: Any
) -> None:
    report = {
        "learned": {"accuracy": 0.875, "ci": [0.8, 0.9], "p": 0.01, "n": 4},
        "held_out": {"accuracy": 0.5, "ci": [None, None], "n": 4},
    }
    ShortcutAudit.objects.create(
        benchmark=searched, state="done", report=report, finished_at="2026-11-30T12:00:00Z"
    )
    html = client_for(adjudicator).get(URL).content.decode()
    assert "Full stop added where it is missing" in html
    assert "<ins>.</ins>" in html
    for text in ("87.5 %", "80.0 to 90.0", "50.0 %"):
        assert text in html


def test_one_is_accepted_as_a_version_that_keeps_its_decision(
    client_for: Any, adjudicator: Any, searched: Any
) -> None:
    repair = Repair.objects.filter(kind="punctuation").first()
    assert repair is not None
    client = client_for(adjudicator)
    client.post(f"{URL}{repair.pk}/accept/")
    item = Item.objects.select_related("current").get(pk=repair.item_id)
    assert (item.current.number, item.current.options[1], item.keep) == (2, "Freeze.", True)
    assert item.current.reason == "Repair: Full stop added where it is missing"
    again = client.post(f"{URL}{repair.pk}/accept/", follow=True).content.decode()
    assert "decided on this proposal already" in again


def test_a_proposal_for_an_older_version_is_refused(
    client_for: Any, adjudicator: Any, searched: Any
) -> None:
    repair = Repair.objects.filter(kind="punctuation").first()
    assert repair is not None
    edit_item(
        item_id=repair.item_id, base_version=1, changes={"stem": "Another?"}, reason="clearer",
        by=adjudicator,
    )  # fmt: skip
    html = client_for(adjudicator).post(f"{URL}{repair.pk}/accept/", follow=True)
    assert "changed since" in html.content.decode()
    repair.refresh_from_db()
    assert repair.state == "open"


def test_a_rejected_one_is_not_proposed_again_unless_taken_back(
    client_for: Any, adjudicator: Any, searched: Any
) -> None:
    repair = Repair.objects.filter(kind="short-window").get()
    client = client_for(adjudicator)
    client.post(f"{URL}{repair.pk}/reject/")
    request_repairs(benchmark=searched, by=adjudicator)
    find_repairs(searched.pk)
    assert kinds(searched) == ["punctuation"] * 3
    client.post(f"{URL}{repair.pk}/again/")
    assert kinds(searched) == ["punctuation"] * 3 + ["short-window"]


def take_back(client: Any, repair: Repair, answer: str) -> Item:
    """Press the button that the page offers for `repair`; return the item as it is then."""
    address = f"{URL}{repair.pk}/{answer}/"
    assert f'action="{address}"' in client.get(f"{URL}?kind={repair.kind}").content.decode()
    client.post(address)
    return Item.objects.select_related("current").get(pk=repair.item_id)


def test_the_page_takes_back_what_was_decided(
    client_for: Any, adjudicator: Any, searched: Any
) -> None:
    client = client_for(adjudicator)
    mark, wide = (
        Repair.objects.filter(kind=kind).first() for kind in ("punctuation", "short-window")
    )
    assert mark is not None
    assert wide is not None
    for repair in (mark, wide):
        client.post(f"{URL}{repair.pk}/accept/")
    item = take_back(client, mark, "undo")
    assert (item.current.number, item.current.options[1], item.keep) == (3, "Freeze", True)
    item = take_back(client, wide, "undo")
    assert (item.current.number, item.start, item.end, item.keep) == (3, 20, 20.5, None)
    page = client.get(f"{URL}?kind=punctuation").content.decode()
    assert "Changed since" in page and f"{mark.pk}/undo/" not in page
    again = client.post(f"{URL}{mark.pk}/undo/", follow=True).content.decode()
    assert "its history holds the earlier wording" in again
    other = Repair.objects.filter(kind="punctuation", state="open").first()
    assert other is not None
    client.post(f"{URL}{other.pk}/reject/")
    take_back(client, other, "again")
    assert kinds(searched) == ["punctuation"] * 2


def test_wording_of_a_text_model_goes_with_the_version_that_it_was_for(
    client_for: Any, adjudicator: Any, searched: Any
) -> None:
    repair = Repair.objects.filter(kind="punctuation").first()
    assert repair is not None
    even = ["Slide it.", "Freeze", "Tilt it.", "Press."]
    propose_length(version=repair.item_version, options=even, words="By a model", by=adjudicator)
    client = client_for(adjudicator)
    assert "By a model" in client.get(f"{URL}?kind=length").content.decode()
    client.post(f"{URL}{repair.pk}/accept/")
    page = client.get(f"{URL}?kind=length").content.decode()
    assert "By a model" not in page and "0 proposed" in page
    assert kinds(searched).count("length") == 1
    client.post(f"{URL}find/")
    find_repairs(searched.pk)
    assert kinds(searched).count("length") == 0


def test_all_of_a_kind_are_accepted_together_and_taken_back_as_one(
    client_for: Any, adjudicator: Any, searched: Any
) -> None:
    client = client_for(adjudicator)
    page = client.post(f"{URL}accept/", {"kind": "punctuation"}, follow=True)
    bulk = BulkAction.objects.get()
    assert "3 items" in page.content.decode()
    assert kinds(searched, "accepted") == []
    client.post(f"/b/phantom/items/bulk/{bulk.pk}/apply/")
    assert kinds(searched, "accepted") == ["punctuation"] * 3
    texts = [item.current.options[1] for item in Item.objects.filter(keep=True, kind="mcq")]
    assert "Freeze" not in texts
    client.post(f"/b/phantom/items/bulk/{bulk.pk}/undo/")
    items = Item.objects.filter(keep=True, kind="mcq").select_related("current")
    assert [item.current.options[1] for item in items].count("Freeze") == 3
    assert all(item.keep for item in items)


def test_an_item_that_is_to_be_answered_first_is_left_with_a_sentence(
    client_for: Any, adjudicator: Any, searched: Any
) -> None:
    repair = Repair.objects.filter(kind="punctuation").first()
    assert repair is not None
    factories.review_round(searched, [repair.item], [adjudicator], mode="answer")
    client = client_for(adjudicator)
    page = client.get(URL).content.decode()
    assert page.count("what would change tells its key") == 1
    assert page.count("Full stop added") == page.count("Option 2, key") == 2
    assert set(KeySight.objects.values_list("reader", "item")) == {
        (adjudicator.pk, other.item_id)
        for other in Repair.objects.filter(kind="punctuation").exclude(pk=repair.pk)
    }, "an answer given after this page is no blind one"
    page = client.post(f"{URL}{repair.pk}/accept/", follow=True)
    assert "Answer this item first; its key" in page.content.decode()
    client.post(f"{URL}accept/", {"kind": "punctuation"})
    bulk = BulkAction.objects.get()
    page = client.post(f"/b/phantom/items/bulk/{bulk.pk}/apply/", follow=True)
    assert "Answer this item first" in page.content.decode()
    bulk.refresh_from_db()
    assert (bulk.state, bulk.tally["done"], bulk.tally["refused"]) == ("done", 2, 1)
    assert kinds(searched, "accepted") == ["punctuation"] * 2


def test_what_asks_differently_is_not_accepted_together(
    client_for: Any, adjudicator: Any, searched: Any
) -> None:
    client = client_for(adjudicator)
    for kind in ("short-window", "nothing", ""):
        page = client.post(f"{URL}accept/", {"kind": kind}, follow=True)
        assert page.status_code == 200
    assert not BulkAction.objects.exists()


def test_a_bulk_action_of_repairs_cannot_be_asked_for_on_the_find_page(
    client_for: Any, adjudicator: Any, searched: Any
) -> None:
    item = Item.objects.first()
    asked = {"kind": "repair", "words": "why", "seen": "0", "item": [item.pk if item else 0]}
    client_for(adjudicator).post("/b/phantom/items/bulk/", asked)
    assert not BulkAction.objects.exists()


@pytest.mark.parametrize("query", ["kind=x", "page=x", "page=99", "kind=%00"])
def test_the_page_bears_any_query(
    client_for: Any, adjudicator: Any, searched: Any, query: str
) -> None:
    assert client_for(adjudicator).get(f"{URL}?{query}").status_code == 200


def test_before_the_first_search_the_page_says_what_repairs_do(
    client_for: Any, adjudicator: Any, bench: Any
) -> None:
    client = client_for(adjudicator)
    assert "Nothing looked for yet" in client.get(URL).content.decode()
    client.post(f"{URL}find/")
    assert RepairSearch.objects.get().waiting


def test_readers_and_others_benchmarks_are_kept_apart(
    client_for: Any, reviewer: Any, adjudicator: Any, searched: Any
) -> None:
    repair = Repair.objects.first()
    assert repair is not None
    assert client_for(reviewer).get(URL).status_code == 403
    factories.benchmark(slug="other", name="Other")
    answer = client_for(adjudicator).post(f"/b/other/repairs/{repair.pk}/accept/")
    assert answer.status_code == 404
