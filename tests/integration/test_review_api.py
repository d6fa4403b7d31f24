"""The API of reviewing, over HTTP: who may, what is refused and how, what stays sealed."""

import json
import uuid

import pytest

from annotation.models import Item, Review
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def item():
    return factories.mcq_item(factories.video(factories.benchmark()))


@pytest.fixture
def client(client_for, reviewer):
    return client_for(reviewer)


def send(client, method, url, body):
    return getattr(client, method)(url, json.dumps(body), content_type="application/json")


def vote_url(item, vote_id=None):
    return f"/api/v1/items/{item.pk}/votes/{vote_id or uuid.uuid4()}/"


def put(client, item, vote_id=None, **body):
    return send(client, "put", vote_url(item, vote_id), {"version": 1, "verdict": "keep"} | body)


def post(client, item, **body):
    url = f"/api/v1/items/{item.pk}/versions/"
    return send(client, "post", url, {"base_version": 1, "reason": "clearer"} | body)


def is_problem(answer, status, kind):
    assert answer.status_code == status, answer.content
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["type"] == f"urn:sonovqa:{kind}"
    return answer.json()


# Votes


def test_a_vote_sent_twice_is_one_vote(client, item):
    vote_id = uuid.uuid4()
    first = put(client, item, vote_id, verdict="drop", reasons=[2], comment="No.")
    again = put(client, item, vote_id, verdict="drop", reasons=[2], comment="No.")
    assert (first.status_code, again.status_code) == (200, 200)
    assert first.json()["id"] == again.json()["id"] == str(vote_id)
    assert again.json()["saved_at"] and Review.objects.count() == 1


def test_a_vote_without_a_version_is_428(client, item):
    answer = send(client, "put", vote_url(item), {"verdict": "keep"})
    is_problem(answer, 428, "version-missing")


def test_a_vote_on_an_old_version_is_409_with_base_current_and_yours(client, item):
    assert post(client, item, changes={"stem": "Why?"}).status_code == 201
    problem = is_problem(put(client, item), 409, "stale")
    assert problem["base"]["version"] == 1
    assert problem["current"]["stem"] == "Why?"
    assert problem["yours"]["verdict"] == "keep"


def test_the_id_of_another_vote_is_409(client, client_for, reviewer_2, item):
    vote_id = uuid.uuid4()
    put(client, item, vote_id)
    is_problem(put(client_for(reviewer_2), item, vote_id), 409, "id-taken")


def test_a_vote_kept_in_a_browser_never_goes_out_as_somebody_elses(
    client_for, reviewer, reviewer_2, item
):
    answer = put(client_for(reviewer_2), item, reader=reviewer.pk)
    is_problem(answer, 409, "other-reader")
    assert not Review.objects.exists()


def test_an_undo_kept_in_a_browser_waits_for_its_own_account(
    client, client_for, reviewer, reviewer_2, maintainer, item
):
    """404 would tell the browser that the vote is gone already, and the undo would be forgotten."""
    vote_id = uuid.uuid4()
    put(client, item, vote_id)
    kept = {"headers": {"X-Reader": str(reviewer.pk)}}
    for other in (reviewer_2, maintainer):  # whatever the role of whoever is signed in
        answer = client_for(other).delete(vote_url(item, vote_id), **kept)
        is_problem(answer, 409, "other-reader")
    assert client.delete(vote_url(item, vote_id), **kept).status_code == 200
    assert Review.objects.get().undone_at is not None


def test_undo(client, item):
    vote_id = uuid.uuid4()
    put(client, item, vote_id)
    answer = client.delete(vote_url(item, vote_id))
    assert answer.status_code == 200 and answer.json()["undone"] is True
    assert client.delete(vote_url(item, vote_id)).status_code == 200
    assert Item.objects.get(pk=item.pk).state == "todo"


def test_undo_of_another_readers_vote_is_404(client, client_for, reviewer_2, item):
    vote_id = uuid.uuid4()
    put(client, item, vote_id)
    is_problem(client_for(reviewer_2).delete(vote_url(item, vote_id)), 404, "not-found")
    assert Item.objects.get(pk=item.pk).state == "kept"


@pytest.mark.parametrize(
    "body",
    [
        {"verdict": "perhaps"},
        {"verdict": "drop"},
        {"verdict": "drop", "reasons": [0]},
        {"verdict": "drop", "reasons": "all"},
        {"verdict": "drop", "reasons": list(range(1, 10)) * 2},
        {"comment": "x" * 4_001},
        {"comment": "nul \x00"},
        {"comment": {"a": 1}},
        {"active_seconds": -1},
        {"active_seconds": 1e9},
        {"version": "first"},
        {"version": 2**40},
        {"unknown": 1},
    ],
)
def test_a_bad_vote_is_400_and_stores_nothing(client, item, body):
    is_problem(put(client, item, **body), 400, "invalid")
    assert not Review.objects.exists()


@pytest.mark.parametrize(
    "raw", ["", "{", "[]", '"x"', '{"version": 1, "verdict": "keep", "active_seconds": NaN}']
)
def test_a_body_that_is_no_vote_is_refused(client, item, raw):
    answer = client.put(vote_url(item), raw, content_type="application/json")
    assert answer.status_code in (400, 428)
    assert answer["Content-Type"] == "application/problem+json"


def test_a_body_that_is_too_large_is_refused(client, item):
    body = json.dumps({"version": 1, "verdict": "keep", "comment": "x" * 1_100_000})
    answer = client.put(vote_url(item), body, content_type="application/json")
    assert 400 <= answer.status_code < 500
    assert not Review.objects.exists()


# Edits


def test_an_edit_makes_a_version(client, item):
    answer = post(client, item, changes={"options": ["One.", "Two."], "key_index": 1})
    assert answer.status_code == 201 and answer.json()["version"] == 2


def test_an_edit_without_its_base_is_428(client, item):
    url = f"/api/v1/items/{item.pk}/versions/"
    is_problem(send(client, "post", url, {"changes": {}}), 428, "version-missing")


def test_a_stale_edit_is_409_and_changes_nothing(client, client_for, reviewer_2, item):
    post(client, item, changes={"stem": "First?"})
    answer = post(client_for(reviewer_2), item, changes={"stem": "Second?"})
    problem = is_problem(answer, 409, "stale")
    assert problem["base"]["stem"] == "What does the operator do next?"
    assert problem["current"]["stem"] == "First?"
    assert problem["yours"] == {"stem": "Second?"}
    assert problem["mergeable"] is False
    assert Item.objects.get(pk=item.pk).text == "First?"


@pytest.mark.parametrize(
    "changes",
    [
        {"stem": ""},
        {"stem": 7},
        {"options": ["only one"]},
        {"options": "A, B"},
        {"key_index": 9},
        {"start": -1},
        {"end": 1e9},
        {"end": 2.0},
        {"ground_truth": "x"},
        [],
    ],
)
def test_a_bad_edit_is_400(client, item, changes):
    is_problem(post(client, item, changes=changes), 400, "invalid")
    assert item.versions.count() == 1


def test_an_edit_without_a_reason_is_400(client, item):
    is_problem(post(client, item, changes={"stem": "Why?"}, reason=""), 400, "invalid")


# Decisions


def test_a_decision_is_the_adjudicators(client, client_for, adjudicator, item):
    url, body = f"/api/v1/items/{item.pk}/decision/", {"version": 1, "keep": False, "reason": "no"}
    is_problem(send(client, "put", url, body), 403, "forbidden")
    is_problem(send(client_for(adjudicator), "put", url, {"keep": True}), 428, "version-missing")
    is_problem(send(client_for(adjudicator), "put", url, body | {"version": 2}), 409, "stale")
    assert send(client_for(adjudicator), "put", url, body).json()["state"] == "dropped"


# Who may


CALLS = [
    ("get", "/api/v1/items/{}/", None),
    ("put", "/api/v1/items/{}/votes/6f2c7d9e-0000-4000-8000-000000000000/", {"version": 1}),
    ("delete", "/api/v1/items/{}/votes/6f2c7d9e-0000-4000-8000-000000000000/", {}),
    ("post", "/api/v1/items/{}/versions/", {"base_version": 1}),
]


@pytest.mark.parametrize(("method", "url", "body"), CALLS)
def test_signed_out_is_401_and_without_a_role_403(
    method, url, body, client_for, outsider, item, django_app_client
):
    target = url.format(item.pk)
    is_problem(send_any(django_app_client, method, target, body), 401, "signed-out")
    is_problem(send_any(client_for(outsider), method, target, body), 403, "forbidden")


def send_any(client, method, url, body):
    return client.get(url) if method == "get" else send(client, method, url, body)


@pytest.fixture
def django_app_client():
    from django.test import Client

    return Client()


def test_a_request_without_the_csrf_token_is_refused(client_for, reviewer, item):
    client = client_for(reviewer, enforce_csrf_checks=True)
    is_problem(put(client, item), 403, "forbidden")
    assert not Review.objects.exists()


@pytest.mark.parametrize(("method", "url", "body"), CALLS)
def test_of_an_unknown_item_is_404(method, url, body, client):
    body = {"version": 1, "verdict": "keep"} if method == "put" else body
    body = {"base_version": 1, "changes": {}, "reason": "x"} if method == "post" else body
    is_problem(send_any(client, method, url.format(0), body), 404, "not-found")


# Blind until voted


def test_others_are_withheld_until_the_own_vote(client, client_for, reviewer_2, item):
    put(client_for(reviewer_2), item, verdict="drop", reasons=[4], comment="out of the box")
    sealed = client.get(f"/api/v1/items/{item.pk}/").json()
    assert sealed["evidence"] == "sealed" and sealed["other_votes"] == []
    assert "out of the box" not in json.dumps(sealed)

    put(client, item)
    opened = client.get(f"/api/v1/items/{item.pk}/").json()
    assert opened["evidence"] == "open"
    assert opened["other_votes"][0]["comment"] == "out of the box"
    assert "reviewer-2" not in json.dumps(opened), "a name may sway"


def test_a_skip_opens_nothing(client, client_for, reviewer_2, item):
    put(client_for(reviewer_2), item)
    put(client, item, verdict="skip")
    assert client.get(f"/api/v1/items/{item.pk}/").json()["evidence"] == "sealed"


def test_an_edit_that_is_not_cosmetic_seals_again(client, client_for, reviewer_2, item):
    put(client, item)
    post(client_for(reviewer_2), item, changes={"stem": "Why?"})
    assert client.get(f"/api/v1/items/{item.pk}/").json()["evidence"] == "sealed"
