"""What accounts and their programs do on the API: keys, runs, predictions, submissions, votes."""

import base64
import json
import uuid
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client

from annotation.models import Item, ItemVersion, Review
from evaluation.actions.entries import publish_entry
from evaluation.leaderboard import compute_entry
from evaluation.models import Judgement, Submission
from evaluation.submissions import check_waiting
from tests import evaluation_factories as make
from tests import factories

pytestmark = pytest.mark.django_db
ROOT = "/api/v1"
HERE = f"{ROOT}/benchmarks/bench/releases/r1"
LINES = "application/x-ndjson"


@pytest.fixture
def bench() -> Any:
    made = factories.small_benchmark(slug="bench", videos=3)
    factories.release(made)
    return made


@pytest.fixture
def sender(client_for: Any) -> Client:
    return client_for(factories.account("sender", role=""))


def lines(bench: Any) -> str:
    """A right answer to each kept item."""
    rows = []
    for version in ItemVersion.objects.filter(release_items__release__benchmark=bench):
        options = [version.options[n] for n in version.shown_order]
        right = "ABCD"[version.shown_order.index(version.key_index)] if options else "It does."
        rows.append(json.dumps({"item": version.item.key, "prediction": right}))
    return "\n".join(rows) + "\n"


def send(client: Client, body: str | bytes, kind: str = LINES, **said: str) -> Any:
    query = urlencode({"model": "Own Model", "condition": "video"} | said)
    return client.post(f"{HERE}/submissions/?{query}", body, content_type=kind)


def test_keys_are_for_those_who_may_take_them_out(
    bench: Any, client_for: Any, reviewer: Any, maintainer: Any
) -> None:
    assert client_for(reviewer).get(f"{HERE}/keys/").status_code == 403
    answer = client_for(maintainer).get(f"{HERE}/keys/")
    assert "private" in answer["Cache-Control"]
    for row in answer.json()["results"]:
        version = factories.current(Item.objects.get(pk=row["id"]))
        if row["kind"] == "mcq":
            assert row["options"][row["key"]] == version.options[version.key_index]
        else:
            assert (row["key"], row["reference_answer"]) == ("", version.reference_answer)


def test_predictions_of_a_run_with_verdicts(bench: Any, client_for: Any, maintainer: Any) -> None:
    release = bench.releases.get()
    run = make.run(release, name="Seer")
    for row in release.release_items.select_related("item_version").order_by("position"):
        make.prediction(run, row.item_version, 1, raw_reply="B, I think")
    client = client_for(maintainer)
    assert client.get(f"{ROOT}/runs/{run.pk}/").json()["model"] == "Seer"
    rows = client.get(f"{ROOT}/runs/{run.pk}/predictions/").json()["results"]
    assert len(rows) == 6 and {row["raw_reply"] for row in rows} == {"B, I think"}
    for row in rows:
        version = ItemVersion.objects.get(item__key=row["item"])
        if version.options:
            assert (row["score"], row["verdicts"]) == (1, [])
            assert version.shown_order["ABCD".index(row["chosen"])] == version.key_index
        else:
            assert row["chosen"] == "" and row["verdicts"][0]["score"] == 1
    assert "raw_reply" not in rows[0]["verdicts"] and Judgement.objects.exists()
    assert client.get(f"{ROOT}/runs/{10**30}/predictions/").status_code == 404


def test_every_version_of_an_entry_stays_there(bench: Any, client: Client) -> None:
    release = bench.releases.get()
    run = make.scored_run(release, [1] * 6, name="Seer")
    publish_entry(entry=compute_entry(run), by="import")
    run.predictions.filter(item_version__key_index__isnull=False).update(score=0)
    publish_entry(entry=compute_entry(run), by="import", note="a mistake was mended")
    found = client.get(f"{HERE}/entries/").json()["results"]
    assert [(one["version"], one["mcq"]["share"], one["note"]) for one in found] == [
        (2, 0.0, "a mistake was mended"), (1, 1.0, ""),
    ]  # fmt: skip
    (stands,) = client.get(f"{HERE}/leaderboard/").json()["results"]
    assert stands["entry"]["hash"] == found[0]["hash"]


def test_a_submission_is_sent_followed_and_withdrawn(bench: Any, sender: Client) -> None:
    made = send(sender, lines(bench) + '{"item": "no such", "prediction": "A"}\n')
    assert made.status_code == 201, made.content
    here = f"{ROOT}/submissions/{made.json()['id']}/"
    assert (made.json()["state"], made.json()["place"], made.json()["mcq"]) == ("received", 1, None)
    check_waiting()
    found = sender.get(here).json()
    assert (found["state"], found["mcq"]["share"], found["mcq"]["n"]) == ("scored", 1.0, 3)
    assert "line 7" in json.dumps(found["report"])
    assert sender.post(f"{here}withdraw/").json()["state"] == "withdrawn"
    again = sender.post(f"{here}withdraw/")
    assert (again.status_code, again["Content-Type"]) == (409, "application/problem+json")


def test_the_original_layout_is_sent_as_json(bench: Any, sender: Client) -> None:
    rows = [json.loads(line) for line in lines(bench).splitlines()]
    assert send(sender, json.dumps(rows), "application/json").status_code == 201
    assert Submission.objects.get().files[0]["name"] == "predictions.json"


@pytest.mark.parametrize(
    ("body", "kind", "said", "status"),
    [
        ("", LINES, {}, 411),
        ("x", "text/csv", {}, 415),
        ("x", LINES, {"model": ""}, 400),
        ("x", LINES, {"model": "a\x00b"}, 400),
        ("x", LINES, {"model": "x" * 121}, 400),
        ("x", LINES, {"condition": "telepathy"}, 400),
        ("x", LINES, {"open_weights": "perhaps"}, 400),
    ],
)
def test_what_cannot_be_taken_says_why(
    bench: Any, sender: Client, body: str, kind: str, said: dict[str, str], status: int
) -> None:
    answer = send(sender, body, kind, **said)
    assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json")
    assert not Submission.objects.exists()


def test_a_body_over_the_bound_is_not_read(bench: Any, sender: Client, settings: Any) -> None:
    settings.SUBMISSION_MEGABYTES = 1
    assert send(sender, b"x" * 1_048_577).status_code == 413
    odd = sender.generic("POST", f"{HERE}/submissions/?model=m&condition=video", b"x", LINES,
                         CONTENT_LENGTH="9" * 5000)  # fmt: skip
    assert odd.status_code == 413
    assert not Submission.objects.exists()


def test_nobody_else_follows_or_withdraws_it(
    bench: Any, sender: Client, client_for: Any, maintainer: Any
) -> None:
    made = send(sender, lines(bench)).json()["id"]
    other = client_for(factories.account(role=""))
    assert other.get(f"{ROOT}/submissions/{made}/").status_code == 404
    assert other.post(f"{ROOT}/submissions/{made}/withdraw/").status_code == 404
    assert client_for(maintainer).post(f"{ROOT}/submissions/{made}/withdraw/").status_code == 409


def test_a_reader_finds_items_votes_and_takes_back(
    bench: Any, client_for: Any, reviewer: Any, maintainer: Any
) -> None:
    client = client_for(reviewer)
    found = client.get(f"{ROOT}/benchmarks/bench/items/").json()["results"]
    assert len(found) == bench.items.count() and "key_index" not in found[0]
    url = f"{ROOT}/items/{found[0]['id']}/votes/{uuid.uuid4()}/"
    body = {"version": found[0]["version"], "verdict": "keep"}
    assert client.put(url, body, content_type="application/json").status_code == 200
    (own,) = client.get(f"{ROOT}/reviews/").json()["results"]
    assert (own["item"], own["verdict"], own["undone_at"]) == (found[0]["id"], "keep", None)
    assert client_for(maintainer).get(f"{ROOT}/reviews/").json()["results"] == []
    client.delete(url)
    assert client.get(f"{ROOT}/reviews/").json()["results"][0]["undone_at"]


def test_own_votes_come_page_by_page(bench: Any, client_for: Any, reviewer: Any, monkeypatch: Any):
    monkeypatch.setattr("sonovqa.cursors.LatestFirst.page_size", 2)
    for item in bench.items.all():
        Review.objects.create(
            item=item, item_version=factories.current(item), reviewer=reviewer, verdict="keep"
        )
    client, url, seen = client_for(reviewer), f"{ROOT}/reviews/", []
    while url:
        page = client.get(url).json()
        seen += [row["id"] for row in page["results"]]
        url = page["next"]
    assert len(seen) == len(set(seen)) == bench.items.count()


LISTS = [
    f"{ROOT}/benchmarks/", f"{ROOT}/benchmarks/bench/releases/", f"{HERE}/items/",
    f"{HERE}/entries/", f"{HERE}/keys/", f"{ROOT}/runs/", f"{ROOT}/submissions/",
    f"{ROOT}/reviews/", f"{ROOT}/benchmarks/bench/items/",
]  # fmt: skip


@pytest.mark.parametrize(
    "cursor", ["p=abc", "p=1e9", f"p={10**30}", "p=%00", "p=%F0%28", "o=-1", "o=9999999", "r=1&p=",
               "p=2026-13-45 00:00:00+00:00", "p=%ED%A0%80"],
)  # fmt: skip
def test_no_cursor_is_an_error_of_the_server(bench: Any, client_for: Any, admin_user: Any, cursor):
    client = client_for(admin_user, raise_request_exception=False)
    sent = base64.b64encode(cursor.encode()).decode()
    for path in LISTS:
        for text in (sent, cursor, "%00", "\udcff"):
            answer = client.get(path, {"cursor": text.encode("utf-8", "surrogatepass")})
            assert answer.status_code in (200, 404), (path, answer.status_code)


def test_every_refusal_is_a_problem(bench: Any, client: Client, sender: Client) -> None:
    refused = {
        404: client.get(f"{ROOT}/nothing/at/all/"),
        405: client.delete(f"{HERE}/items/"),
        406: client.get(f"{HERE}/items/", headers={"Accept": "text/csv"}),
        401: client.get(f"{ROOT}/runs/"),
        403: sender.get(f"{ROOT}/runs/"),
    }
    for status, answer in refused.items():
        assert answer.status_code == status
        assert answer["Content-Type"] == "application/problem+json"
        assert set(answer.json()) >= {"type", "title", "status", "detail"}
    assert refused[405]["Allow"] and client.get(f"{ROOT}/").status_code == 404
    assert client.get(f"{ROOT}/benchmarks").status_code == 301


def test_what_an_account_got_is_for_it_alone(bench: Any, client: Client, sender: Client) -> None:
    assert "public" in client.get(f"{HERE}/items/")["Cache-Control"]
    own = sender.get(f"{HERE}/items/")
    assert "private" in own["Cache-Control"] and "Authorization" in own["Vary"]


def test_our_own_fault_is_a_problem_too(bench: Any, monkeypatch: Any) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr("evaluation.api.board_of", fail)
    monkeypatch.setattr("evaluation.views.leaderboard.board_of", fail)
    client = Client(raise_request_exception=False)
    answer = client.get(f"{HERE}/leaderboard/")
    assert (answer.status_code, answer["Content-Type"]) == (500, "application/problem+json")
    assert "a fault of ours" not in answer.content.decode()
    page = client.get("/b/bench/leaderboard/")
    assert page.status_code == 500 and page["Content-Type"].startswith("text/html")
