"""A model's page, a frozen entry's address, the table for other sites, the badge."""

import re
from typing import Any
from xml.etree import ElementTree

import pytest
from django.test import Client

from evaluation.actions.entries import publish_entry, withdraw_entry
from evaluation.leaderboard import compute_entry
from evaluation.models import LeaderboardEntry
from tests import evaluation_factories as make
from tests import factories

pytestmark = pytest.mark.django_db
PAGE = "/b/phantom/models/seer/"


@pytest.fixture
def release() -> Any:
    return factories.release(factories.small_benchmark(videos=6, slug="phantom", name="Phantom"))


@pytest.fixture
def run(release: Any) -> Any:
    model = make.contestant("Seer", slug="seer", organisation="Somebody", open_weights=True)
    return make.scored_run(release, [1, 2] * 5 + [0, 1], contestant=model)


@pytest.fixture
def entry(run: Any) -> LeaderboardEntry:
    return publish_entry(entry=compute_entry(run), by="import")


def test_the_table_leads_to_the_model_and_its_page_shows_the_figures(
    client: Client, entry: LeaderboardEntry
) -> None:
    assert f'href="{PAGE}"' in client.get("/b/phantom/leaderboard/").content.decode()
    html = client.get(PAGE).content.decode()
    for text in ("83.3 %", "5 right of 6", "11 points over 6", "open weights", entry.hash[:8]):
        assert text in html


def test_the_history_has_a_point_for_each_release_and_a_chart_from_two_on(
    client: Client, entry: LeaderboardEntry, run: Any, maintainer: Any
) -> None:
    assert "MCQ by release" not in client.get(PAGE).content.decode()
    item = run.benchmark.items.filter(kind="mcq").first()
    item.keep = False
    item.save()
    later = factories.release(run.benchmark, tag="r2")
    publish_entry(entry=compute_entry(run, later), by=maintainer)
    html = client.get(PAGE).content.decode()
    assert re.search(r"MCQ by release: r1 83.3 %, .*; r2 ", html)
    assert html.index("r2") < html.index("Published entries")


def test_a_replaced_version_stays_at_its_address_and_says_so(
    client: Client, entry: LeaderboardEntry, run: Any, maintainer: Any
) -> None:
    old = f"/b/phantom/entry/{entry.hash[:16]}/"
    assert "has replaced" not in client.get(old).content.decode()
    run.predictions.filter(item_version__key_index__isnull=False).update(score=0)
    newer = publish_entry(entry=compute_entry(run), by=maintainer)
    html = client.get(old).content.decode()
    assert "Version 2 has replaced" in html
    assert "83.3 %" in html
    new = client.get(f"/b/phantom/entry/{newer.hash[:16]}/").content.decode()
    assert "MCQ 5 → 0 of 6 items" in new


def test_what_is_not_published_has_no_address(
    client: Client, entry: LeaderboardEntry, run: Any, maintainer: Any
) -> None:
    private = compute_entry(make.scored_run(run.release, [1, 2] * 6, name="Hidden"))
    assert client.get(f"/b/phantom/entry/{private.hash[:16]}/").status_code == 404
    assert client.get("/b/phantom/entry/000000000000/").status_code == 404
    withdraw_entry(entry=entry, by=maintainer, note="wrong prompt")
    assert client.get(f"/b/phantom/entry/{entry.hash[:16]}/").status_code == 404
    assert b"No entry of this model is published" in client.get(PAGE).content
    assert client.get("/b/phantom/models/nobody/").status_code == 404


@pytest.mark.parametrize("path", [PAGE, "/b/phantom/embed/", "/b/phantom/badge/seer.svg"])
def test_a_closed_benchmark_tells_strangers_nothing(
    client: Client, client_for: Any, reviewer: Any, entry: LeaderboardEntry, path: str
) -> None:
    benchmark = entry.release.benchmark
    benchmark.is_public = False
    benchmark.save()
    assert client.get(path).status_code == 404
    assert client_for(reviewer).get(path).status_code == 200


def test_only_the_table_for_other_sites_may_be_framed(
    client: Client, entry: LeaderboardEntry
) -> None:
    framed = client.get("/b/phantom/embed/?rows=1&theme=light")
    policy = framed.headers["Content-Security-Policy"]
    assert "frame-ancestors *" in policy
    assert "script-src 'none'" in policy
    assert "X-Frame-Options" not in framed.headers
    assert not framed.cookies
    html = framed.content.decode()
    assert 'data-theme="light"' in html
    assert "Seer" in html
    assert "<script" not in html
    assert "<form" not in html
    for path in ("/b/phantom/leaderboard/", PAGE, "/accounts/login/"):
        other = client.get(path)
        assert "frame-ancestors 'none'" in other.headers["Content-Security-Policy"]
        assert other.headers["X-Frame-Options"] == "DENY"


@pytest.mark.parametrize("query", ["rows=0", "rows=1e9", "rows=²", "theme=x", "condition=gain"])
def test_the_table_for_other_sites_bears_any_query(
    client: Client, entry: LeaderboardEntry, query: str
) -> None:
    assert client.get(f"/b/phantom/embed/?{query}").status_code == 200


def test_the_badge_is_a_picture_with_words(client: Client, entry: LeaderboardEntry) -> None:
    found = client.get("/b/phantom/badge/seer.svg")
    assert found.headers["Content-Type"] == "image/svg+xml; charset=utf-8"
    root = ElementTree.fromstring(found.content)  # noqa: S314 - our own picture
    assert root.attrib["aria-label"].startswith("Phantom r1: rank 1 of 1, MCQ 83.3 % (")
    assert found.headers["Cache-Control"] == "public, max-age=60"
    blind = client.get("/b/phantom/badge/seer.svg?condition=blind").content.decode()
    assert "no published entry" in blind


def test_the_badge_escapes_a_hostile_name(client: Client, entry: LeaderboardEntry) -> None:
    benchmark = entry.release.benchmark
    benchmark.name = '"><script>x</script>&'
    benchmark.save()
    found = client.get("/b/phantom/badge/seer.svg")
    assert ElementTree.fromstring(found.content) is not None  # noqa: S314 - our own picture
    assert b"<script" not in found.content


def test_columns_and_filters_stand_in_the_url(client: Client, entry: LeaderboardEntry) -> None:
    make_closed = make.contestant("Shut", slug="shut", open_weights=False)
    run = make.scored_run(entry.release, [0, 0] * 6, contestant=make_closed)
    publish_entry(entry=compute_entry(run), by="import")
    url = "/b/phantom/leaderboard/"
    whole = client.get(url).content.decode()
    assert "Free response, mean of" in whole
    narrow = client.get(f"{url}?col=mcq&col=date&weights=open").content.decode()
    assert "Free response, mean of" not in narrow
    assert "/models/shut/" not in narrow
    assert "/models/seer/" in narrow
    assert "col=mcq&amp;col=date&amp;weights=open" in narrow  # a heading keeps the narrowing
    listed = client.get("/b/phantom/leaderboard.json?weights=closed").json()["entries"]
    assert [one["model"] for one in listed] == ["Shut"]
    odd = client.get(f"{url}?col=%00&col=nothing&weights=x&references=7")
    assert odd.content.decode().count("Free response, mean of") == 1


def test_a_model_page_asks_few_queries(
    client: Client, entry: LeaderboardEntry, django_assert_max_num_queries: Any
) -> None:
    for path in (PAGE, f"/b/phantom/entry/{entry.hash[:16]}/", "/b/phantom/embed/"):
        with django_assert_max_num_queries(6):
            client.get(path)
