"""Public pages that are given again without a look at what they show: only to who is unknown,
and only while nothing at all was committed."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from evaluation.actions.entries import publish_entry, withdraw_entry
from evaluation.leaderboard import compute_entry
from evaluation.models import Contestant, LeaderboardEntry
from tests import evaluation_factories as make
from tests import factories
from tests.integration.evaluation.test_kept_pages import BOARD, pages, read, without_token
from tests.quiet import in_a_quiet_moment

pytestmark = pytest.mark.django_db(transaction=True)
API = "/api/v1/benchmarks/bench/releases/r1/leaderboard/"


@pytest.fixture
def bench() -> Any:
    made = factories.small_benchmark(slug="bench", videos=3)
    run = make.scored_run(factories.release(made), [1] * 6, name="Seer")
    publish_entry(entry=compute_entry(run), by="import")
    other = make.scored_run(run.release, [0] * 6, name="Other")
    publish_entry(entry=compute_entry(other), by="import")
    factories.benchmark(slug="second")
    return made


def asked(url: str, client: Client | None = None) -> tuple[str, int]:
    """Return a page, and how many queries it took."""
    with CaptureQueriesContext(connection) as queries:
        page = read(url, client)
    return without_token(page), len(queries)


def test_at_rest_one_query_gives_the_page_and_a_change_is_seen_at_once(bench: Any) -> None:
    addresses = {**pages(), "api": API}
    first = {name: without_token(read(url)) for name, url in addresses.items()}
    for name, url in addresses.items():
        assert in_a_quiet_moment(lambda url=url, name=name: asked(url) == (first[name], 1)), name
    Contestant.objects.filter(name="Seer").update(name="Renamed")
    for name, url in addresses.items():
        page, queries = asked(url)
        assert name == "home" or "Renamed" in page, name
        assert "Seer" not in page and queries > 1, name
    entry = LeaderboardEntry.objects.get(run__contestant__name="Renamed")
    withdraw_entry(entry=entry, by="import", note="gone")
    for name in ("board", "model", "api"):
        assert entry.hash[:8] not in read(addresses[name]), name
    assert Client().get(addresses["entry"]).status_code == 404
    bench.is_public = False
    bench.save()
    status = {name: Client().get(url).status_code for name, url in addresses.items()}
    assert status == dict.fromkeys(addresses, 404) | {"home": 302}, "the other one is open"


def test_only_who_is_unknown_gets_what_others_got(
    bench: Any, client_for: Any, admin_user: Any
) -> None:
    Client().get(BOARD)
    known = client_for(admin_user)
    assert admin_user.username in read(BOARD, known)
    assert admin_user.username not in read(BOARD)
    for name, value in (("sessionid", "forged"), ("messages", "forged")):
        client = Client()
        client.cookies[name] = value
        _, queries = asked(BOARD, client)
        assert queries > 1, f"who brings {name} may be somebody"
    light = Client()
    light.cookies["sonovqa_theme"] = "light"
    assert 'data-theme="light"' in read(BOARD, light)
    assert 'data-theme="light"' not in read(BOARD)
    bench.is_public = False
    bench.save()
    assert known.get(API).status_code == 200
    assert Client().get(API).status_code == 404, "what an account may see is not kept"


def test_a_page_at_rest_is_not_sent_twice(bench: Any) -> None:
    client = Client()
    client.get(BOARD)
    tag = client.get(BOARD)["ETag"]
    assert client.get(BOARD, headers={"If-None-Match": tag}).status_code == 304
    Contestant.objects.filter(name="Seer").update(note="Another note.")
    assert client.get(BOARD, headers={"If-None-Match": tag}).status_code == 200
