"""The pages of rounds, over HTTP: making one, leading it, and what its readers are told."""

import uuid
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.actions.reviews import cast_vote
from annotation.actions.round_claims import claim_next
from annotation.models import Round, Turn
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def bench():
    bench = factories.benchmark()
    vid = factories.video(bench)
    for _ in range(6):
        factories.mcq_item(vid)
    return bench


def url(name, bench, *args):
    return reverse(f"annotation:{name}", args=[bench.slug, *args])


def new_round(**said):
    return {
        "name": "First",
        "mode": "judge",
        "order": "shuffled",
        "votes_wanted": "1",
        "repeats": "0",
        "which": "all",
        "intent": "open",
    } | said


def vote(item_id, by, verdict="keep"):
    return cast_vote(
        review_id=uuid.uuid4(), item_id=item_id, version_number=1, verdict=verdict, by=by
    )


def test_a_round_is_made_and_opened_from_its_form(client_for, bench, adjudicator, reviewer):
    client = client_for(adjudicator)
    answer = client.post(url("new_round", bench), new_round(readers=[reviewer.pk]))
    made = Round.objects.get()
    assert answer.url == url("round", bench, made.pk)
    assert (made.state, made.size, made.readers.count()) == ("open", 6, 1)
    page = client.get(answer.url).content.decode()
    assert "of 6" in page
    assert reviewer.get_username() in page


def test_the_form_tells_what_a_round_takes_and_makes_nothing(client_for, bench, adjudicator):
    said = new_round(votes_wanted="2", repeats="50", part="estimate")
    page = client_for(adjudicator).post(url("new_round", bench), said).content.decode()
    assert "<dd>18 <span" in page  # 6 items, 2 votes, half of them again
    assert "assumed" in page
    assert not Round.objects.exists()


@pytest.mark.parametrize(
    "wrong",
    [
        {"votes_wanted": "9"},
        {"repeats": "51"},
        {"repeats": "nan"},
        {"repeats": "1e999"},
        {"mode": "x"},
        {"seed": str(2**31)},
        {"name": ""},
        {"name": "a\x00b"},
        {"which": "listed", "listed": "no such item"},
        {"which": "listed", "listed": ""},
        {"readers": ["999999999"]},
        {"readers": [str(2**63)]},
        {"readers": ["9" * 5_000]},
        {"readers": ["\u0663"]},
        {"readers": ["a\x00b"]},
        {"type": "no such type"},
        {"intent": "open"},
    ],
)
def test_a_form_that_cannot_be_understood_makes_nothing(client_for, bench, adjudicator, wrong):
    answer = client_for(adjudicator).post(url("new_round", bench), new_round(**wrong))
    assert answer.status_code == 200
    assert not Round.objects.exists()


def test_items_are_chosen_by_a_list_of_keys_and_ids(client_for, bench, adjudicator):
    first, second, *_ = bench.items.all()
    listed = f"{first.key}\n {second.pk} \n{first.key}\n"
    said = new_round(which="listed", listed=listed, intent="draft")
    client_for(adjudicator).post(url("new_round", bench), said)
    assert set(Round.objects.get().items.values_list("item", flat=True)) == {first.pk, second.pk}


def test_a_round_is_led_from_its_page(client_for, bench, adjudicator, reviewer, reviewer_2):
    client = client_for(adjudicator)
    client.post(url("new_round", bench), new_round(intent="draft"))
    made = Round.objects.get()
    item = bench.items.first()

    def change(what, **said):
        return client.post(url("change_round", bench, made.pk, what), said, follow=True)

    change("add-readers", readers=[reviewer.pk, reviewer_2.pk])
    change("train", item=item.key, expected_verdict="drop", feedback="See the caliper.")
    assert made.items.get(is_training=True).item == item
    change("open")
    change("edit", name="Second", votes_wanted="2", repeats="10", instructions="Slowly.")
    made.refresh_from_db()
    assert (made.name, made.votes_wanted, made.repeat_share) == ("Second", 2, 0.1)
    change("remove-reader", reader=reviewer_2.pk)
    assert made.readers.count() == 1
    assert "draft" in change("stop-training", item=item.pk).content.decode()
    change("close")
    made.refresh_from_db()
    assert made.state == "closed"
    assert client.post(url("change_round", bench, made.pk, "explode")).status_code == 404
    other = factories.benchmark()
    assert client.post(url("change_round", other, made.pk, "open")).status_code == 404


def test_the_queue_of_a_round_says_what_is_true(client_for, bench, reviewer, reviewer_2):
    items = list(bench.items.all()[:2])
    round_ = factories.review_round(bench, items, [reviewer, reviewer_2])
    client = client_for(reviewer)
    done = url("review_done", bench)
    held = claim_next(round_id=round_.pk, by=reviewer_2)
    first = client.get(url("review_next", bench))
    mine = int(first.url.rstrip("/").split("/")[-1])
    assert mine != held.round_item.item_id
    theirs = client.get(url("review", bench, held.round_item.item_id)).content.decode()
    assert "reviewer-2 holds it until" in theirs
    assert "data-taken" in theirs
    page = client.get(first.url).content.decode()
    assert 'data-round-state="held"' in page
    vote(mine, reviewer)
    assert client.get(url("review_next", bench)).url == done
    page = client.get(done).content.decode()
    assert 'data-rest="held"' in page
    assert "held by reviewer-2" in page
    Turn.objects.filter(pk=held.pk).update(lease_until=timezone.now() - timedelta(hours=1))
    assert 'data-rest="open"' in client.get(done).content.decode()
    vote(held.round_item.item_id, reviewer_2)
    assert 'data-rest="done"' in client.get(done).content.decode()
    round_.state = "closed"
    round_.save()
    page = client.get(done).content.decode()
    assert 'data-rest="closed"' in page


def test_without_a_round_the_queue_is_the_whole_benchmark(client_for, bench, reviewer, reviewer_2):
    factories.review_round(bench, bench.items.all(), [reviewer_2])
    client = client_for(reviewer)
    first = client.get(url("review_next", bench)).url
    assert first == url("review", bench, bench.items.first().pk)
    assert not Turn.objects.exists()
    assert "No round has you" in client.get(url("review_done", bench)).content.decode()


def test_a_browser_that_looks_ahead_claims_nothing(client_for, bench, reviewer):
    factories.review_round(bench, bench.items.all(), [reviewer])
    answer = client_for(reviewer).get(
        url("review_next", bench), headers={"Sec-Purpose": "prefetch;prerender"}
    )
    assert answer.status_code == 204
    assert not Turn.objects.exists()


def test_hold_release_and_claim_by_the_api(client_for, bench, reviewer, reviewer_2):
    first, second, *_ = bench.items.all()
    round_ = factories.review_round(bench, [first, second], [reviewer, reviewer_2])
    mine, theirs = client_for(reviewer), client_for(reviewer_2)
    hold, release = (f"/api/v1/items/{first.pk}/{name}/" for name in ("hold", "release"))
    assert mine.post(hold).status_code == 200
    refused = theirs.post(hold)
    assert (refused.status_code, refused.json()["type"]) == (409, "urn:sonovqa:not-your-turn")
    assert theirs.post(release).status_code == 200  # of what is not theirs: nothing
    assert mine.post(hold).status_code == 200
    answer = theirs.post(f"/api/v1/rounds/{round_.pk}/claim/").json()
    assert answer["item"] == second.pk
    assert theirs.post(f"/api/v1/rounds/{round_.pk + 99}/claim/").status_code == 404
    assert mine.post(f"/api/v1/items/{second.pk + 999}/hold/").status_code == 409


def test_pages_of_a_round_ask_as_many_queries_for_more_items(
    client_for, bench, reviewer, adjudicator, django_assert_max_num_queries
):
    vid = bench.videos.get()
    for _ in range(30):
        factories.mcq_item(vid)
    round_ = factories.review_round(bench, bench.items.all(), [reviewer], repeat_share=0.2)
    for _ in range(12):
        turn = claim_next(round_id=round_.pk, by=reviewer)
        vote(turn.round_item.item_id, reviewer)
    client = client_for(reviewer)
    page = client.get(url("review_next", bench)).url
    with django_assert_max_num_queries(40):
        client.get(page)
    with django_assert_max_num_queries(25):
        client.get(url("review_next", bench))
    leader = client_for(adjudicator)
    for name, args, most in (("rounds", [], 12), ("round", [round_.pk], 16)):
        with django_assert_max_num_queries(most):
            assert leader.get(url(name, bench, *args)).status_code == 200


def test_a_second_look_is_blind_over_http(client_for, bench, reviewer):
    item = bench.items.first()
    round_ = factories.review_round(bench, [item], [reviewer], repeat_share=0.5)
    vote(item.pk, reviewer)
    place = round_.items.get()
    Turn.objects.filter(repeat=1).delete()
    Turn.objects.create(round=round_, round_item=place, reader=reviewer, repeat=1)
    client = client_for(reviewer)
    assert client.get(url("review_next", bench)).url == url("review", bench, item.pk)
    page = client.get(url("review", bench, item.pk)).content.decode()
    assert "data-evidence" not in page
    assert "Done, the newest first" not in page
    assert client.get(f"/api/v1/items/{item.pk}/").json()["own_vote"] is None
    vote(item.pk, reviewer, "unsure")
    page = client.get(url("review", bench, item.pk)).content.decode()
    assert "This was a second look." in page
    assert "You said unsure now and keep before" in page
