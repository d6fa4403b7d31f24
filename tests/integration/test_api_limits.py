"""The bounds of the JSON API of reviewing: how much, how deep, how often, and what is no JSON.

Every route below `api/v1/` of the annotation room is asked, also one that is added later.
"""

import json
import uuid

import pytest
from django.urls import reverse
from django.urls.converters import IntConverter
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation import urls
from annotation.models import Item, Review
from sonovqa import json_body
from tests import factories

pytestmark = pytest.mark.django_db
WRITES = ("post", "put", "patch")  # a delete reads no body
# Signs of life and claims: what they do stands in their address.
READ_NO_BODY = {"editing", "hold", "release", "claim", "roi_suggestion"}
ROUTES = [one.name for one in urls.urlpatterns if str(one.pattern).startswith("api/v1/")]
DEEP = 100_000
HOSTILE = {
    "deep lists": b"[" * DEEP + b"]" * DEEP,
    "deep objects": b'{"a":' * DEEP + b"1" + b"}" * DEEP,
    "deep in a field": b'{"version": 1, "verdict": ' + b"[" * 50 + b"]" * 50 + b"}",
    "an endless number": b'{"version": 1e999, "base_version": 1e999}',
    "a long number": b'{"version": ' + b"9" * 5000 + b"}",
    "no number": b'{"version": NaN, "base_version": -Infinity}',
    "NUL": b'{"version": 1, "base_version": 1, "comment": "a\\u0000b", "reason": "\\u0000"}',
    "half a surrogate pair": b'{"version": 1, "verdict": "keep", "comment": "\\ud800"}',
    "a key of half a pair": b'{"version": 1, "base_version": 1, "\\udfff": 1}',
    "the same key twice": b'{"version": 1, "version": 2, "verdict": "keep"}',
    "too many values": b"[" + b"0," * 6000 + b"0]",
    "no UTF-8": b'{"version": 1, "comment": "\xff\xfe"}',
    "UTF-16": '{"version": 1}'.encode("utf-16"),
    "half a body": b'{"version": 1, "verdict": "ke',
    "two bodies": b'{"version": 1}{"version": 1}',
    "blanks": b"   ",
}
NO_OBJECTS = [b"null", b"1", b'"version"', b"[]", b'["version", "base_version"]']


@pytest.fixture
def world(adjudicator, client_for):
    """A client that answers 500 instead of raising, and what the routes name."""
    item = factories.mcq_item(factories.video(factories.benchmark()))
    vote = Review.objects.create(
        item=item, item_version=factories.current(item), reviewer=adjudicator, verdict="keep"
    )
    client = client_for(adjudicator, raise_request_exception=False)
    return client, {"item_id": item.pk, "video_id": item.video_id, "vote_id": vote.pk}


@pytest.fixture
def no_limit(settings):
    settings.API_WRITES_A_MINUTE = settings.API_READS_A_MINUTE = 1_000_000


def urls_of(known, names=ROUTES):
    """Every route with what exists, and with ids that nothing has."""
    for name in names:
        pattern = next(one for one in urls.urlpatterns if one.name == name)
        parts = pattern.pattern.converters
        unknown = {
            place: 10**30 if isinstance(part, IntConverter) else uuid.uuid4()
            for place, part in parts.items()
        }
        there = {place: known.get(place, value) for place, value in unknown.items()}
        yield reverse(f"annotation:{name}", kwargs=there)
        yield reverse(f"annotation:{name}", kwargs=unknown)


READERS = [name for name in ROUTES if name not in READ_NO_BODY]


def ask(client, url, body, kind="application/json"):
    """Send `body` by every method; none may be an error of the server or be taken."""
    for method in WRITES:
        answer = client.generic(method.upper(), url, body, content_type=kind)
        assert answer.status_code < 500, (method, url, body[:80], answer.exc_info)
        yield method, answer


def test_there_are_routes_to_ask():
    assert {"vote", "versions", "decision", "video_roi", "video_report"} <= set(ROUTES)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_body_is_refused_and_nothing_changes(world, no_limit, name):
    client, known = world
    before = Item.objects.values().get(pk=known["item_id"])
    for url in urls_of(known, READERS):
        for method, answer in ask(client, url, HOSTILE[name]):
            if method != "delete":  # which reads no body
                assert answer.status_code in (400, 404, 405), (url, answer.content)
            assert answer["Content-Type"] in (
                "application/problem+json",
                "text/html; charset=utf-8",
            )
    assert Item.objects.values().get(pk=known["item_id"]) == before
    assert not Review.objects.exclude(pk=known["vote_id"]).exists()


def test_a_body_that_is_no_object_is_refused(world, no_limit):
    client, known = world
    for url in urls_of(known, READERS):
        for body in NO_OBJECTS:
            for _, answer in ask(client, url, body):
                assert answer.status_code in (400, 404, 405, 428), (url, answer.content)


def test_other_types_of_body_are_not_read(world, no_limit):
    client, known = world
    for url in urls_of(known, READERS):
        for kind in ("text/xml", "application/x-www-form-urlencoded", "", "a/b; charset=x"):
            for _, answer in ask(client, url, b"<a/>", kind):
                assert answer.status_code in (400, 404, 405, 415, 428)


@pytest.mark.parametrize("bound", [None, 1000], ids=["ours", "that of Django's forms"])
def test_a_body_over_the_bound_is_413(world, no_limit, settings, bound):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = bound
    client, known = world
    body = {"version": 1, "verdict": "keep", "comment": "x" * json_body.SIZE}
    url = reverse("annotation:vote", kwargs={"item_id": known["item_id"], "vote_id": uuid.uuid4()})

    answer = client.put(url, json.dumps(body), content_type="application/json")

    assert answer.status_code == 413, answer.content
    assert answer["Content-Type"] == "application/problem+json"


def test_too_many_writes_are_429_with_the_time_to_wait(world, settings):
    settings.API_WRITES_A_MINUTE, settings.API_READS_A_MINUTE = 3, 5
    client, known = world
    item = f"/api/v1/items/{known['item_id']}/"
    body = json.dumps({"version": 1, "verdict": "keep"})

    def vote():
        url = f"{item}votes/{uuid.uuid4()}/"
        return client.put(url, body, content_type="application/json")

    assert [vote().status_code for _ in range(4)] == [200, 200, 200, 429]
    refused = vote()
    assert refused["Content-Type"] == "application/problem+json"
    assert refused.json()["type"] == "urn:sonovqa:too-many"
    assert 1 <= int(refused["Retry-After"]) <= 60
    reads = [client.get(item).status_code for _ in range(6)]
    assert reads == [200] * 5 + [429], "reads have a count of their own"
    assert Review.objects.count() == 4


def test_one_accounts_haste_is_nobody_elses(world, client_for, reviewer, settings):
    settings.API_READS_A_MINUTE = 1
    client, known = world
    url = f"/api/v1/items/{known['item_id']}/"
    assert [client.get(url).status_code for _ in range(2)] == [200, 429]
    assert client_for(reviewer).get(url).status_code == 200


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(
        ["", "keep", "drop", "skip", "\0", "\ud800", "x" * 5000, "9" * 40, 2**63, 1e308]
    )
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)
GOOD = {
    "version": st.just(1),
    "base_version": st.just(1),
    "verdict": st.sampled_from(["keep", "drop", "unsure", "skip"]),
    "reasons": st.lists(st.integers(0, 10), max_size=3),
    "comment": st.text(max_size=10),
    "active_seconds": st.floats(0, 1e6),
    "changes": st.fixed_dictionaries(
        {},
        optional={
            "stem": VALUES, "options": VALUES, "key_index": VALUES, "start": VALUES, "end": VALUES,
            "reference_answer": VALUES, "question_type": VALUES,
        },
    ),
    "reason": st.text(max_size=10),
    "cosmetic": st.booleans(),
    "keep": st.booleans(),
    "roi": st.fixed_dictionaries({"x": VALUES, "y": VALUES, "w": VALUES, "h": VALUES}),
    "state": st.sampled_from(["ok", "removed", "blocked", "identifier", "other"]),
    "note": st.text(max_size=10),
}  # fmt: skip
BODIES = st.fixed_dictionaries({}, optional={name: good | VALUES for name, good in GOOD.items()})


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_no_body_at_all_is_an_error_of_the_server(world, no_limit, data):
    client, known = world
    there = sorted(url for url in urls_of(known) if str(10**30) not in url)
    url = data.draw(st.sampled_from(there))
    body = json.dumps(data.draw(BODIES)).encode()
    for _ in ask(client, url, body):
        pass
    assert client.get(url).status_code < 500 and client.delete(url).status_code < 500
