"""Publishing and withdrawing entries over HTTP, and by whom."""

from typing import Any

import pytest
from django.test import Client

from annotation.models import Revision
from evaluation.actions.entries import publish_entry
from evaluation.leaderboard import compute_entry
from tests import evaluation_factories as make
from tests import factories

pytestmark = pytest.mark.django_db
LIST, BOARD = "/b/phantom/entries/", "/b/phantom/leaderboard/"


@pytest.fixture
def entry() -> Any:
    release = factories.release(factories.small_benchmark(videos=3, slug="phantom"))
    return compute_entry(make.scored_run(release, [1, 2] * 3, name="Seer"))


def test_an_entry_is_published_and_withdrawn(client_for: Any, maintainer: Any, entry: Any) -> None:
    client = client_for(maintainer)
    assert b"private" in client.get(LIST).content
    page = client.post(f"{LIST}{entry.pk}/publish/", {"note": ""}, follow=True)
    assert b"The entry stands on the leaderboard." in page.content
    assert b"Seer" in Client().get(BOARD).content
    refused = client.post(f"{LIST}{entry.pk}/withdraw/", {"note": " "}, follow=True)
    assert b"Say why the entry is withdrawn." in refused.content
    client.post(f"{LIST}{entry.pk}/withdraw/", {"note": "Wrong prompt"})
    assert b"Seer" not in Client().get(BOARD).content
    verbs = set(Revision.objects.values_list("verb", flat=True))
    assert verbs >= {"compute_entry", "publish_entry", "withdraw_entry"}


def test_a_change_is_told_in_public(client: Client, maintainer: Any, entry: Any) -> None:
    publish_entry(entry=entry, by=maintainer)
    entry.run.predictions.filter(item_version__item__kind="mcq").update(score=0)
    publish_entry(entry=compute_entry(entry.run), by=maintainer)
    html = client.get(BOARD).content.decode()
    assert "Seer, version 2: MCQ 3 → 0 of 3 items" in html


def test_the_list_shows_a_version_that_waits(client_for: Any, maintainer: Any, entry: Any) -> None:
    publish_entry(entry=entry, by=maintainer)
    entry.run.predictions.filter(item_version__item__kind="mcq").update(score=0)
    compute_entry(entry.run)
    html = client_for(maintainer).get(LIST).content.decode()
    assert "version 1 public" in html


def test_it_is_for_those_who_publish(
    client: Client, client_for: Any, reviewer: Any, adjudicator: Any, outsider: Any, entry: Any
) -> None:
    action = f"{LIST}{entry.pk}/publish/"
    for path, method in ((LIST, "get"), (action, "post")):
        assert getattr(client, method)(path).status_code == 302
        for user in (reviewer, adjudicator, outsider):
            assert getattr(client_for(user), method)(path).status_code == 403
    entry.refresh_from_db()
    assert entry.published_at is None


def test_what_is_unknown_is_not_found(client_for: Any, maintainer: Any, entry: Any) -> None:
    client = client_for(maintainer)
    assert client.get("/b/nowhere/entries/").status_code == 404
    assert client.post(f"{LIST}{entry.pk}/praise/").status_code == 404
    assert client.post(f"{LIST}999999/publish/").status_code == 404
    other = factories.small_benchmark(slug="other")
    assert other.slug == "other"
    assert client.post(f"/b/other/entries/{entry.pk}/publish/").status_code == 404
    assert client.get(f"{LIST}{entry.pk}/publish/").status_code == 405


def test_a_benchmark_without_entries_says_so(client_for: Any, maintainer: Any) -> None:
    factories.benchmark(slug="phantom")
    assert b"No run has been scored" in client_for(maintainer).get(LIST).content
