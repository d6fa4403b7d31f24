"""Threads over HTTP: on the item, on the adjudication page, and where the reader is asked."""

import uuid

import pytest
from django.urls import reverse

from annotation.models import Comment, Thread
from tests import factories
from tests.unit.annotation.queries.voting import vote

pytestmark = pytest.mark.django_db


@pytest.fixture
def item():
    return factories.mcq_item(factories.video(factories.benchmark()), stem="Why <i>here</i>?")


def send(client, name, *places, **fields):
    fields = {"id": uuid.uuid4(), **fields}
    return client.post(reverse(f"annotation:{name}", args=places), fields)


def start(client, item, text="Is <b>this</b> right?", **fields):
    return send(client, "open_thread", item.benchmark.slug, item.pk, text=text, **fields)


def page(client, name, *places, **query):
    return client.get(reverse(f"annotation:{name}", args=places), query).content.decode()


def test_asked_answered_and_settled(client_for, item, reviewer, reviewer_2, adjudicator):
    vote(item, reviewer, "keep")
    asking, asked, other = map(client_for, (adjudicator, reviewer_2, reviewer))
    start(asking, item, asked=[reviewer_2.pk], back="/questions/")
    slug = item.benchmark.slug

    assert "Questions" in page(asked, "questions")
    assert "nav-count" in page(asked, "review", slug, item.pk), "counted in the bar"
    assert "nav-count" not in page(other, "review", slug, item.pk)
    text = page(asked, "review", slug, item.pk)
    assert "Is &lt;b&gt;this&lt;/b&gt; right?" in text and "Asks you" in text
    assert "Is &lt;b&gt;this" in page(other, "review", slug, item.pk), "after the own vote"

    thread = Thread.objects.get()
    send(asked, "comment", thread.pk, text="I think so.")
    assert "nav-count" not in page(asked, "questions")
    listed = page(asking, "adjudication", slug, show="threads")
    assert "I think so." in listed and "reviewer-2" in listed and "1 open thread" in listed
    send(asking, "settle_thread", thread.pk, resolved="yes")
    assert "No thread is open" in page(asking, "adjudication", slug, show="threads")


def test_before_the_vote_others_threads_are_not_sent(client_for, item, reviewer, reviewer_2):
    start(client_for(reviewer), item, text="A telling remark.")
    slug = item.benchmark.slug
    for name in ("review", "item_column"):
        assert "A telling remark." not in page(client_for(reviewer_2), name, slug, item.pk)
    thread = Thread.objects.get()
    refused = send(client_for(reviewer_2), "comment", thread.pk, text="x")
    assert refused.status_code == 403
    assert (
        send(client_for(reviewer_2), "settle_thread", thread.pk, resolved="yes").status_code == 403
    )


@pytest.mark.parametrize(
    "fields",
    [
        {"id": "x"},
        {"text": ""},
        {"text": "x" * 4_001},
        {"text": "nul \x00"},
        {"asked": ["x"]},
        {"asked": [10**30]},
    ],
)
def test_hostile_fields_are_told_and_store_nothing(client_for, item, adjudicator, fields):
    client = client_for(adjudicator)
    client.defaults["HTTP_ACCEPT"] = "application/json"
    answer = start(client, item, **{"text": "ok", **fields})
    assert answer.status_code == 400 and answer.json()["detail"]
    assert not Thread.objects.exists()


def test_a_script_is_answered_and_the_same_id_is_stored_once(client_for, item, reviewer):
    client = client_for(reviewer)
    client.defaults["HTTP_ACCEPT"] = "application/json"
    for _ in range(2):
        assert start(client, item, id="8c3b1b7e-6c1a-4d53-8f4e-2d6b8f0a9c11").status_code == 200
    assert Comment.objects.count() == 1


def test_a_form_leads_nowhere_else(client_for, item, reviewer):
    client = client_for(reviewer)
    for place in ("https://example.org/", "//example.org/", "javascript:alert(1)", ""):
        assert start(client, item, back=place)["Location"] == reverse("annotation:questions")
