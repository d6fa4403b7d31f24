"""A reader who answers first is sent nothing that tells the key, by any address of the site."""

import json
import re
import uuid
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.actions.answers import give_answer
from annotation.actions.items import edit_item
from annotation.actions.returns import return_item
from annotation.actions.reviews import cast_vote
from annotation.actions.threads import open_thread
from annotation.models import Answer, Item, ItemVersion, KeySight, Turn
from tests import evaluation_factories as make
from tests import factories
from tests.integration.test_permissions import TABLE

pytestmark = pytest.mark.django_db
CANARY = "CANARYbird"
LINK = re.compile(r'(?:href|action|src|data-[a-z-]+)="(/[^"]*|\?[^"]*)"')
SKIPPED = ("/static/", "//", "/accounts/", "/admin/", "/media/")


@pytest.fixture
def item(reviewer: Any, reviewer_2: Any, adjudicator: Any) -> Item:
    """An MCQ whose secrets all carry the canary; others have voted, edited, asked back."""
    bench = factories.benchmark(slug="phantom", name="Phantom")
    video = factories.video(bench)
    made = factories.mcq_item(video, ground_truth=f"{CANARY} truth", window=(20.0, 30.0))
    factories.free_item(
        video,
        reference_answer=f"{CANARY} reference",
        ground_truth=f"{CANARY} truth",
        window=(40.0, 50.0),
    )
    factories.event(video, start=22, end=26, action=f"{CANARY} at the time")
    factories.event(video, start=55, end=58, interpretation=f"So {CANARY} truth.")
    factories.event(video, start=0, end=4, action="The probe is placed.")
    for other in bench.items.all():
        factories.kept(other)
    release = factories.release(bench)
    for condition in ("video", "blind"):
        run = make.run(release, name=f"Seer {condition}", condition=condition)
        make.prediction(run, factories.current(made), 1, raw_reply=f"{CANARY} reply")
    edit_item(
        item_id=made.pk,
        base_version=1,
        changes={"question_type": "Type2_ArtifactResolution"},
        reason=f"{CANARY} why",
        by=reviewer_2,
    )
    return_item(item_id=made.pk, version_number=2, question=f"{CANARY} ask", by=adjudicator)
    cast_vote(
        review_id=uuid.uuid4(),
        item_id=made.pk,
        version_number=3,
        verdict="drop",
        reasons=[2],
        comment=f"{CANARY} comment",
        by=reviewer_2,
    )
    open_thread(
        thread_id=uuid.uuid4(),
        item_id=made.pk,
        text=f"{CANARY} thread",
        asked=[reviewer.pk],
        by=adjudicator,
    )
    return Item.objects.get(pk=made.pk)


@pytest.fixture
def reader(reviewer: Any) -> Any:
    reviewer.answers_first = True
    reviewer.save()
    return reviewer


def starts(item: Item) -> list[str]:
    """Every address of the site that is read, with this item in it where one has a place."""
    places = {
        "slug": item.benchmark.slug,
        "item_id": item.pk,
        "video_id": item.video_id,
        "tag": "r1",
        "ms": 0,
        "pk": 0,
    }
    found = []
    for name, row in TABLE.items():
        if row.method == "get" and set(row.places) <= set(places):
            found.append(reverse(name, kwargs={key: places[key] for key in row.places}))
    review = reverse("annotation:review", args=[item.benchmark.slug, item.pk])
    return [*found, f"{review}?q=operator", f"{review}history/?old=1&new=3"]


def crawl(client: Any, item: Item) -> dict[str, str]:
    """Return all that this reader is sent by reading, by path."""
    seen: dict[str, str] = {}
    waiting = starts(item)
    while waiting and len(seen) < 90:
        path = waiting.pop()
        if path in seen or path.startswith(SKIPPED):
            continue
        response = client.get(path, follow=True)
        body = b"".join(response) if response.streaming else response.content
        seen[path] = body.decode("utf-8", "replace")
        if response.headers.get("Content-Type", "").startswith("text/html"):
            for link in LINK.findall(seen[path]):
                target = link.replace("&amp;", "&").split("#")[0]
                waiting.append(path.split("?")[0] + target if target[:1] == "?" else target)
    return seen


def told(pages: dict[str, str]) -> dict[str, str]:
    """The pages without what differs from one answer of the server to the next."""
    changing = (
        r'[0-9a-f]{8}-[0-9a-f-]{27}|nonce="[^"]*"'
        r'|name="csrfmiddlewaretoken" value="[^"]*"|"csrf[^,]*'
    )
    return {path: re.sub(changing, "", body) for path, body in pages.items()}


def test_no_page_tells_the_key_before_the_answer(client_for: Any, reader: Any, item: Item) -> None:
    """No canary, and every page is the same whichever option is the key."""
    client = client_for(reader)
    pages = crawl(client, item)
    assert len(pages) > 30
    assert {path for path, body in pages.items() if CANARY in body} == set()
    assert any("Answer from the clip alone." in body for body in pages.values())
    assert any("The probe is placed." in body for body in pages.values()), "the rest of the log"
    assert not KeySight.objects.filter(reader=reader).exists()
    before = told(pages)
    ItemVersion.objects.filter(item=item).update(key_index=2)
    after = told(crawl(client, item))
    assert before.keys() == after.keys()
    assert {path for path in before if before[path] != after[path]} == set()


def test_no_write_tells_the_key_before_the_answer(client_for: Any, reader: Any, item: Item) -> None:
    client = client_for(reader)
    api = f"/api/v1/items/{item.pk}"
    restore = reverse("annotation:restore_version", args=["phantom", item.pk])
    box = {"base_version": 1, "item": item.pk, "roi": {"x": 0, "y": 0, "w": 0.5, "h": 0.5}}
    calls = [
        ("put", f"{api}/votes/{uuid.uuid4()}/", {"version": 3, "verdict": "keep"}),
        ("put", f"{api}/votes/{uuid.uuid4()}/", {"version": 1, "verdict": "keep"}),
        ("put", f"{api}/votes/{uuid.uuid4()}/", {"version": 1, "verdict": "skip"}),
        ("put", f"{api}/answers/{uuid.uuid4()}/", {"version": 1, "option_index": 0}),
        ("post", f"{api}/versions/", {"base_version": 1, "changes": {"stem": "x"}, "reason": "y"}),
        ("put", f"{api}/decision/", {"version": 1, "keep": True}),
        ("post", f"/api/v1/videos/{item.video_id}/roi/", box),
        ("post", restore, {"number": 1, "base_version": 3, "reason": "x"}),
    ]
    for method, url, body in calls:
        answer = getattr(client, method)(url, json.dumps(body), content_type="application/json")
        assert answer.status_code in (302, 403, 409), url
        assert CANARY not in answer.content.decode(), url
        assert "key_index" not in answer.content.decode(), url


def test_the_answer_opens_its_own_item_and_no_other(
    client_for: Any, reader: Any, item: Item
) -> None:
    client = client_for(reader)
    url = f"/b/phantom/review/{item.pk}/"
    body = {"version": 3, "option_index": 1, "active_seconds": 4}
    put = client.put(
        f"/api/v1/items/{item.pk}/answers/{uuid.uuid4()}/",
        json.dumps(body),
        content_type="application/json",
    )
    assert put.status_code == 200 and "key" not in put.content.decode()
    column = client.get(f"{url}item/").content.decode()
    shown = factories.current(item).shown_order
    mine, key = ("ABCD"[shown.index(index)] for index in (1, 0))
    assert f"You chose {mine}; the key is {key}." in " ".join(column.split())
    assert f"{CANARY} at the time" in column, "the log about its time opens"
    assert f"So {CANARY} truth." not in column, "it tells the other item"
    assert f"{CANARY} reference" not in column
    assert f"{CANARY} comment" not in column, "evidence waits for the vote"
    assert KeySight.objects.get(reader=reader).item_id == item.pk
    other = Item.objects.get(kind="free")
    assert (
        f"{CANARY} reference" not in client.get(f"/b/phantom/review/{other.pk}/").content.decode()
    )


def test_after_the_vote_others_answers_stand_at_their_options(
    client_for: Any, reader: Any, reviewer_2: Any, item: Item
) -> None:
    others = [factories.account() for _ in range(3)]
    for other, option in zip(others, (0, 0, 2), strict=True):
        answer(item, other, option_index=option)
    answer(item, factories.account(), could_not_tell=True)
    answer(item, reader, option_index=0)
    client, url = client_for(reader), f"/b/phantom/review/{item.pk}/item/"
    assert "2 readers" not in client.get(url).content.decode()
    cast_vote(review_id=uuid.uuid4(), item_id=item.pk, version_number=3, verdict="keep", by=reader)
    html = " ".join(client.get(url).content.decode().split())
    assert "Right: " in html and "2 readers</span>" in html and "1 reader</span>" in html
    assert "<strong>2 / 4</strong> right from the clip alone" in html
    assert "(chance is 1 in 4)" in html and "1 could not tell" in html


def answer(item: Item, by: Any, **said: Any) -> Answer:
    number = factories.current(item).number
    return give_answer(
        answer_id=uuid.uuid4(), item_id=item.pk, version_number=number, **said, by=by
    )


# The API


def put(client: Any, item: Item, answer_id: Any = None, **body: Any) -> Any:
    url = f"/api/v1/items/{item.pk}/answers/{answer_id or uuid.uuid4()}/"
    return client.put(url, json.dumps({"version": 3} | body), content_type="application/json")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"option_index": 99},
        {"option_index": "B"},
        {"option_index": True, "could_not_tell": True},
        {"option_index": -1},
        {"option_index": 2**70},
        {"text": ["x"]},
        {"text": "x" * 4_001},
        {"text": "nul \x00"},
        {"could_not_tell": "perhaps"},
        {"option_index": 0, "active_seconds": 1e9},
        {"option_index": 0, "unknown": 1},
        {"option_index": 0, "version": 2**40},
    ],
)
def test_a_bad_answer_is_400_and_stores_nothing(
    client_for: Any, reader: Any, item: Item, body: Any
) -> None:
    response = put(client_for(reader), item, **body)
    assert response.status_code == 400 and response.json()["type"] == "urn:sonovqa:invalid"
    assert not Answer.objects.exists()


@pytest.mark.parametrize(
    "raw", ["", "{", "[]", '{"version": 3, "option_index": 0, "active_seconds": NaN}',
            '{"version": 3, "text": "\\ud800"}', '{"version": 3, "option_index": 1e999}']
)  # fmt: skip
def test_a_body_that_is_no_answer_is_refused(
    client_for: Any, reader: Any, item: Item, raw: str
) -> None:
    url = f"/api/v1/items/{item.pk}/answers/{uuid.uuid4()}/"
    response = client_for(reader).put(url, raw, content_type="application/json")
    assert response.status_code in (400, 428) and not Answer.objects.exists()


def test_sent_twice_it_is_one_and_told_alike(client_for: Any, reader: Any, item: Item) -> None:
    answer_id = uuid.uuid4()
    client = client_for(reader)
    first, again = (put(client, item, answer_id, option_index=1).json() for _ in range(2))
    first.pop("saved_at"), again.pop("saved_at")
    assert first == again and Answer.objects.count() == 1


def test_refusals_have_their_names(
    client_for: Any, reader: Any, reviewer_2: Any, item: Item
) -> None:
    client, answer_id = client_for(reader), uuid.uuid4()
    assert put(client, item, version=1, option_index=1).json()["type"] == "urn:sonovqa:stale"
    assert put(client, item, reader=reviewer_2.pk, option_index=1).status_code == 409
    put(client, item, answer_id, option_index=1)
    assert put(client, item, option_index=1).json()["type"] == "urn:sonovqa:answered"
    other = client_for(reviewer_2)
    assert put(other, item, answer_id, option_index=1).json()["type"] == "urn:sonovqa:id-taken"
    url = f"/api/v1/items/{item.pk}/answers/{answer_id}/"
    assert other.delete(url).status_code == 404
    client.get(f"/b/phantom/review/{item.pk}/item/")  # shows the key
    assert client.delete(url).json()["type"] == "urn:sonovqa:key-shown"


def test_undo_by_http(client_for: Any, reader: Any, item: Item) -> None:
    client, answer_id = client_for(reader), uuid.uuid4()
    put(client, item, answer_id, option_index=1)
    response = client.delete(f"/api/v1/items/{item.pk}/answers/{answer_id}/")
    assert response.json()["undone"] is True
    assert client.get(f"/api/v1/items/{item.pk}/").json()["sealed"] is True


# The switch


def test_the_switch_is_kept_with_the_account(client_for: Any, reviewer: Any) -> None:
    client, url = client_for(reviewer), reverse("annotation:answers_first")
    back = client.post(url, {"wanted": "on", "next": "/b/x/review/1/"})
    reviewer.refresh_from_db()
    assert back.url == "/b/x/review/1/" and reviewer.answers_first
    assert client.post(url, {"wanted": "off", "next": "//evil.example/"}).url == "/review/"
    assert client.post(url, {"wanted": "both"}).status_code == 400
    reviewer.refresh_from_db()
    assert not reviewer.answers_first


def test_a_second_look_is_told_nothing_of_the_first(
    client_for: Any, item: Item, reviewer: Any
) -> None:
    given = give_answer(
        answer_id=uuid.uuid4(), item_id=item.pk, version_number=3, option_index=2, by=reviewer
    )
    client, where = client_for(reviewer), f"/api/v1/items/{item.pk}/"
    assert client.get(where).json()["own_answer"]["id"] == str(given.pk)
    round_ = factories.review_round(item.benchmark, [item], [reviewer], mode="answer")
    turn = Turn.objects.create(
        round=round_,
        round_item=round_.items.get(),
        reader=reviewer,
        repeat=1,
        position=0,
        state="held",
        claimed_at=timezone.now(),
        lease_until=timezone.now(),
    )
    assert client.get(where).json()["own_answer"] is None
    Turn.objects.filter(pk=turn.pk).update(state="done", lease_until=None)
    assert client.get(where).json()["own_answer"]["id"] == str(given.pk)
