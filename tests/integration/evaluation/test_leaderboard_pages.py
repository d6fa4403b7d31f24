"""The public pages over HTTP: what they show, to whom, how often they are made anew."""

import csv
import io
import re
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from evaluation.actions.entries import publish_entry
from evaluation.baselines import settle_references
from evaluation.leaderboard import compute_entry
from evaluation.queries import board
from tests import evaluation_factories as make
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def release() -> Any:
    bench = factories.small_benchmark(videos=6, slug="phantom", name="Phantom")
    release = factories.release(bench)
    settle_references(release)
    scores = [1, 2] * 5 + [0, 1]
    publish_entry(entry=compute_entry(make.scored_run(release, scores, name="Seer")), by="import")
    return release


URL = "/b/phantom/leaderboard/"


def test_home_goes_to_the_only_benchmark_and_lists_more(client: Client, release: Any) -> None:
    assert client.get("/").headers["Location"] == URL
    factories.benchmark(name="Second")
    page = client.get("/")
    assert page.status_code == 200
    assert b"Second" in page.content


def test_those_who_may_review_are_led_to_it(
    client: Client, client_for: Any, reviewer: Any, outsider: Any, release: Any
) -> None:
    factories.benchmark(name="Second", slug="second")
    link = b'href="/b/phantom/review/"'
    for path in ("/", URL):
        assert link in client_for(reviewer).get(path).content
        assert link not in client_for(outsider).get(path).content
        assert link not in client.get(path).content
    bare = client_for(reviewer).get("/b/second/leaderboard/").content
    assert bare.count(b'href="/b/second/review/"') >= 2


def test_home_without_a_benchmark_says_so(client: Client, db: None) -> None:
    assert b"No benchmark is public here yet." in client.get("/").content


def test_the_page_shows_models_references_and_links(client: Client, release: Any) -> None:
    html = client.get(URL).content.decode()
    for text in ("Seer", "Always A", "83.3", "12</strong>", "none failed", "no blind run"):
        assert text in html
    assert "style=" not in html.split("</head>")[1]
    assert 'href="/b/phantom/leaderboard.csv?release=r1"' in html


def test_the_page_asks_at_most_eight_queries(
    client: Client, client_for: Any, reviewer: Any, release: Any, django_assert_max_num_queries: Any
) -> None:
    """Also where its board is built and a look of the account is noted by the same request."""
    for signed_in in (client_for(reviewer), client):
        board._boards.clear()
        with django_assert_max_num_queries(8):
            signed_in.get(URL)


@pytest.mark.parametrize("query", ["?condition=blind", "?condition=gain", "?condition=frames"])
def test_a_view_without_models_says_so(client: Client, release: Any, query: str) -> None:
    html = client.get(URL + query).content.decode()
    assert "published on this release" in html or "No model has both" in html


def test_a_benchmark_without_a_release_says_so(client: Client, db: None) -> None:
    factories.benchmark(slug="phantom")
    assert b"has no release yet" in client.get(URL).content
    assert client.get("/b/phantom/leaderboard.json").json()["entries"] == []
    assert client.get("/b/phantom/leaderboard.csv").status_code == 200


def test_the_sort_stands_in_the_url(client: Client, release: Any) -> None:
    html = client.get(f"{URL}?sort=model").content.decode()
    assert 'aria-sort="ascending"' in html
    assert html.index("Always A") < html.index("Seer") < html.index("Shortest option")
    assert client.get(f"{URL}?sort=%3Cscript%3E&condition=x").status_code == 200


def test_a_permalink_names_the_release(client: Client, release: Any) -> None:
    assert client.get(f"{URL}r1/").status_code == 200
    assert client.get(f"{URL}r9/").status_code == 404
    assert client.get(f"{URL}?release=r9").status_code == 404


def test_an_unchanged_page_is_not_sent_again(client: Client, release: Any, maintainer: Any) -> None:
    client.get(URL)  # gives the cookie of the form token
    first = client.get(URL)
    assert first.headers["Cache-Control"] == "private, no-cache"
    again = client.get(URL, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    run = make.scored_run(release, [1, 2] * 6, name="Newcomer")
    publish_entry(entry=compute_entry(run), by=maintainer)
    changed = client.get(URL, headers={"If-None-Match": first.headers["ETag"]})
    assert changed.status_code == 200
    assert b"Newcomer" in changed.content


def test_files_may_be_kept_for_a_minute_by_anyone(client: Client, release: Any) -> None:
    for name in ("leaderboard.json", "leaderboard.csv"):
        found = client.get(f"/b/phantom/{name}")
        assert found.headers["Cache-Control"] == "public, max-age=60"
        tag = found.headers["ETag"]
        again = client.get(f"/b/phantom/{name}", headers={"If-None-Match": tag})
        assert again.status_code == 304


def test_files_hold_the_same_figures(client: Client, release: Any) -> None:
    entries = client.get("/b/phantom/leaderboard.json").json()["entries"]
    seer = next(entry for entry in entries if entry["model"] == "Seer")
    assert (seer["mcq"]["correct"], seer["mcq"]["n"], seer["free"]["points"]) == (5, 6, 11)
    text = client.get("/b/phantom/leaderboard.csv").content.decode()
    rows = {row["model"]: row for row in csv.DictReader(io.StringIO(text))}
    assert (rows["Seer"]["mcq_correct"], rows["Seer"]["free_points"]) == ("5", "11")
    assert len(entries) == len(rows) == 6


def test_a_closed_benchmark_is_for_reviewers(
    client: Client, client_for: Any, reviewer: Any, outsider: Any, release: Any
) -> None:
    release.benchmark.is_public = False
    release.benchmark.save()
    for path in (URL, "/b/phantom/leaderboard.json", "/b/phantom/leaderboard.csv"):
        assert client.get(path).status_code == 404
        assert client_for(outsider).get(path).status_code == 404
        found = client_for(reviewer).get(path)
        assert found.status_code == 200
        assert "private" in found.headers["Cache-Control"]


def test_pages_refuse_to_be_posted_to(client: Client, release: Any) -> None:
    for path in ("/", URL, "/method/", "/b/phantom/leaderboard.json"):
        assert client.post(path).status_code == 405


def test_how_ranks_are_made_is_told(client: Client, db: None) -> None:
    assert b"How ranks are made" in client.get("/method/").content


def test_the_citation_names_release_and_hash(client: Client, release: Any) -> None:
    html = client.get(URL).content.decode()
    assert "@misc{phantom-r1," in html
    assert release.hash[:16] in html


def test_hostile_names_are_escaped(client: Client, release: Any) -> None:
    name = "<script>alert(1)</script>"
    run = make.scored_run(release, [1, 2] * 6, name=name, condition="video")
    publish_entry(entry=compute_entry(run), by="import")
    assert name not in client.get(URL).content.decode()


def test_the_command_prints_a_table_and_json(release: Any, capsys: Any) -> None:
    import json

    call_command("leaderboard", "phantom")
    table = capsys.readouterr().out
    assert "83.3 % of 6" in table
    assert re.search(r"ref +[\d.]+ % expected .*Chance", table)
    call_command("leaderboard", "phantom", "--release", "r1", "--condition", "video", "--json")
    found = json.loads(capsys.readouterr().out)
    assert found["benchmark"] == "phantom"
    assert {e["reference"] for e in found["entries"]} == {True, False}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["nowhere"], "No benchmark"), (["phantom", "--release", "r9"], "has no release")],
)
def test_the_command_says_what_it_does_not_find(
    release: Any, arguments: list[str], words: str
) -> None:
    with pytest.raises(CommandError, match=words):
        call_command("leaderboard", *arguments)
