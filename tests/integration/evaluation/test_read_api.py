"""The read API: what strangers and accounts get, page by page, and nothing that leaks a key."""

from typing import Any

import pytest
from django.test import Client

from annotation.models import ItemVersion
from evaluation.actions.entries import publish_entry
from evaluation.leaderboard import compute_entry
from evaluation.models import Submission
from tests import evaluation_factories as make
from tests import factories

pytestmark = pytest.mark.django_db
CANARY = "CANARYbird"
ROOT = "/api/v1"
HERE = f"{ROOT}/benchmarks/bench/releases/r1"


@pytest.fixture
def bench() -> Any:
    made = factories.small_benchmark(slug="bench", videos=3)
    ItemVersion.objects.update(reference_answer=CANARY, ground_truth=CANARY)
    release = factories.release(made)
    run = make.run(release, name="Seer")
    for row in release.release_items.select_related("item_version"):
        make.prediction(run, row.item_version, 1, raw_reply=CANARY, answer_text=CANARY)
    publish_entry(entry=compute_entry(run), by="import")
    return made


def test_a_stranger_reads_benchmarks_releases_items_and_entries(bench: Any, client: Client) -> None:
    assert client.get(f"{ROOT}/benchmarks/").json()["results"][0]["slug"] == "bench"
    releases = client.get(f"{ROOT}/benchmarks/bench/releases/").json()["results"]
    assert (releases[0]["tag"], releases[0]["kept_mcq"]) == ("r1", 3)
    entry = client.get(f"{HERE}/leaderboard/").json()["results"][0]
    assert (entry["model"], entry["mcq"]["n"], entry["mcq"]["share"]) == ("Seer", 3, 1.0)
    assert entry["self_reported"] is False and entry["entry"]["version"] == 1
    assert sum(one["n"] for one in entry["mcq"]["by_type"].values()) == 3
    blind = client.get(f"{HERE}/leaderboard/?condition=blind").json()["results"]
    assert blind == []


def test_items_have_no_key_and_no_answer(bench: Any, client: Client) -> None:
    answer = client.get(f"{HERE}/items/")
    rows = answer.json()["results"]
    assert len(rows) == 6 and CANARY not in answer.content.decode()
    for row in rows:
        assert set(row) == {
            "item", "kind", "question_type", "question", "options", "video", "start", "end",
        }  # fmt: skip
    version = factories.current(bench.items.filter(kind="mcq").first())
    shown = next(row for row in rows if row["item"] == version.item.key)["options"]
    assert shown == dict(
        zip("ABCD", (version.options[n] for n in version.shown_order), strict=True)
    )


def test_no_answer_of_the_api_holds_a_canary(bench: Any, client: Client, client_for: Any) -> None:
    outsider = client_for(factories.account(role=""))
    for path in ("benchmarks/", "benchmarks/bench/releases/", "runs/", "submissions/", "schema/"):
        for visitor in (client, outsider):
            assert CANARY not in visitor.get(f"{ROOT}/{path}").content.decode()
    for path in ("items/", "entries/", "leaderboard/", ""):
        body = client.get(f"{HERE}/{path}").content.decode()
        assert CANARY not in body and "per_item" not in body and "clusters" not in body


def test_a_closed_benchmark_is_closed(bench: Any, client: Client, client_for: Any) -> None:
    bench.is_public = False
    bench.save()
    assert client.get(f"{ROOT}/benchmarks/").json()["results"] == []
    for path in ("items/", "entries/", "leaderboard/", ""):
        answer = client.get(f"{HERE}/{path}")
        assert answer.status_code == 404
        assert answer["Content-Type"] == "application/problem+json"
    assert client_for(factories.account(role="reviewer")).get(f"{HERE}/items/").status_code == 200


def test_pages_follow_a_cursor(bench: Any, client: Client, monkeypatch: Any) -> None:
    monkeypatch.setattr("sonovqa.cursors.InOrder.page_size", 4)
    first = client.get(f"{HERE}/items/").json()
    second = client.get(first["next"]).json()
    keys = [row["item"] for row in first["results"] + second["results"]]
    assert len(keys) == len(set(keys)) == 6 and second["next"] is None
    assert client.get(f"{HERE}/items/?cursor=nonsense").status_code == 404


def test_what_has_not_changed_is_not_sent_again(bench: Any, client: Client) -> None:
    tag = client.get(f"{HERE}/items/")["ETag"]
    assert client.get(f"{HERE}/items/", headers={"If-None-Match": tag}).status_code == 304


def test_too_many_requests_are_told_when_to_come_back(
    bench: Any, client: Client, monkeypatch: Any
) -> None:
    monkeypatch.setattr("evaluation.api_base.StrangerThrottle.rate", "2/min")
    answers = [client.get(f"{ROOT}/benchmarks/") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert int(answers[2]["Retry-After"]) > 0
    assert answers[2]["Content-Type"] == "application/problem+json"


def test_each_account_reads_its_own_submissions(
    bench: Any, client: Client, client_for: Any
) -> None:
    own, other = factories.account(role=""), factories.account(role="")
    made = Submission.objects.create(
        benchmark=bench, release=bench.releases.get(), sender=own, model_name="Seer",
        condition="video", uploaded="0" * 64, report={"refused": []},
    )  # fmt: skip
    assert client.get(f"{ROOT}/submissions/").status_code == 401
    assert client_for(own).get(f"{ROOT}/submissions/{made.pk}/").json()["state"] == "received"
    assert client_for(other).get(f"{ROOT}/submissions/{made.pk}/").status_code == 404
    assert client_for(other).get(f"{ROOT}/submissions/").json()["results"] == []


def test_runs_are_for_those_who_may_see_them(
    bench: Any, client: Client, client_for: Any, maintainer: Any, reviewer: Any
) -> None:
    assert client.get(f"{ROOT}/runs/").status_code == 401
    assert client_for(reviewer).get(f"{ROOT}/runs/").status_code == 403
    assert client_for(maintainer).get(f"{ROOT}/runs/").json()["results"][0]["model"] == "Seer"


def test_its_description_and_page(client: Client, db: None, capsys: Any) -> None:
    found = client.get(f"{ROOT}/schema/").json()
    assert found["openapi"].startswith("3.") and f"{ROOT}/runs/" in found["paths"]
    page = client.get(f"{ROOT}/docs/").content.decode()
    assert "Items of a release, without their keys" in page and "question_type" in page
    assert "<script>" not in page and "style=" not in page
    assert "Warning" not in capsys.readouterr().err


@pytest.mark.parametrize("role", ["", "maintainer"])
def test_lists_ask_a_bounded_number_of_queries(
    bench: Any, client_for: Any, role: str, django_assert_max_num_queries: Any
) -> None:
    visitor = client_for(factories.account(role=role))
    for path in (f"{HERE}/items/", f"{HERE}/entries/", f"{ROOT}/runs/", f"{ROOT}/submissions/"):
        with django_assert_max_num_queries(8):
            visitor.get(path)


@pytest.mark.parametrize("asked", ["?format=xml", "", "nowhere/?format=xml"])
def test_a_wrong_token_that_asks_for_another_format_is_no_fault_of_ours(
    bench: Any, client: Client, asked: str
) -> None:
    client.raise_request_exception = False
    said = {"Authorization": "Bearer snq_gone", "Accept": "text/csv" if not asked else "*/*"}
    answer = client.get(f"{ROOT}/benchmarks/{asked}", headers=said)
    assert answer.status_code == (404 if asked else 406)
    assert answer["Cache-Control"] == "private, no-cache"
