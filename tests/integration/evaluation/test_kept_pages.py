"""Public pages that a process keeps: never out of date, never somebody's own."""

import re
from typing import Any

import pytest
from django.test import Client

from evaluation.actions.entries import publish_entry, withdraw_entry
from evaluation.leaderboard import compute_entry
from evaluation.models import Contestant, LeaderboardEntry
from evaluation.views import kept_pages
from tests import evaluation_factories as make
from tests import factories

pytestmark = pytest.mark.django_db
BOARD = "/b/bench/leaderboard/"


@pytest.fixture(autouse=True)
def none_kept(monkeypatch: Any) -> Any:
    pages = type(kept_pages._pages)()
    monkeypatch.setattr(kept_pages, "_pages", pages)
    return pages


@pytest.fixture
def bench() -> Any:
    made = factories.small_benchmark(slug="bench", videos=3)
    release = factories.release(made)
    for name, right in (("Seer", 1), ("Other", 0)):
        run = make.scored_run(release, [right] * 6, name=name)
        publish_entry(entry=compute_entry(run), by="import")
    factories.benchmark(slug="second")
    return made


def pages() -> dict[str, str]:
    entry = LeaderboardEntry.objects.filter(run__contestant__name="Seer").latest("version")
    model = f"/b/bench/models/{entry.run.contestant.slug}/"
    return {
        "board": BOARD,
        "model": model,
        "entry": f"/b/bench/entry/{entry.hash}/",
        "compare": "/b/bench/compare/",
        "home": "/",
    }


def read(url: str, client: Client | None = None) -> str:
    return (client or Client()).get(url).content.decode()


def without_token(page: str) -> str:
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", page)


def test_a_kept_page_is_the_page(bench: Any, none_kept: Any) -> None:
    for name, url in pages().items():
        first, again = read(url), read(url)
        assert without_token(first) == without_token(again), name
        assert len(none_kept) > 0 and first != again, "each visitor gets a token of their own"
    assert len(none_kept) == len(pages())


def test_forms_of_a_kept_page_are_taken(bench: Any) -> None:
    read(BOARD)
    client = Client(enforce_csrf_checks=True)
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', read(BOARD, client))[1]
    answer = client.post("/account/theme/", {"theme": "light", "csrfmiddlewaretoken": token})
    assert answer.status_code == 204
    assert 'data-theme="light"' in read(BOARD, client)
    assert 'data-theme="light"' not in read(BOARD)


def test_nothing_kept_is_out_of_date(bench: Any) -> None:
    def seen() -> dict[str, str]:
        return {name: without_token(read(url)) for name, url in addresses.items()}

    addresses = pages()
    before = seen()
    run = LeaderboardEntry.objects.get(run__contestant__name="Seer").run
    third = make.scored_run(run.release, [1, 0] * 3, name="Third")
    entry = publish_entry(entry=compute_entry(third), by="import")
    with_third = seen()
    assert "Third" in with_third["board"] and "Third" in with_third["compare"]
    withdraw_entry(entry=entry, by="import", note="gone")
    assert seen() == before
    Contestant.objects.filter(name="Seer").update(name="Renamed", note="A new note.")
    renamed = seen()
    for name in ("board", "model", "entry", "compare"):
        assert "Renamed" in renamed[name] and "Seer" not in renamed[name], name
    bench.name, bench.description = "Another name", "Other words."
    bench.save()
    renamed = seen()
    for name, page in renamed.items():
        assert "Another name" in page, name
    run.predictions.filter(item_version__key_index__isnull=False).update(score=0)
    publish_entry(entry=compute_entry(run), by="import", note="mended here")
    assert "mended here" in seen()["model"]
    factories.release(bench, "r2")
    assert "r2" in seen()["board"]
    bench.is_public = False
    bench.save()
    assert Client().get(BOARD).status_code == 404


def test_what_an_account_sees_is_never_kept(
    bench: Any, none_kept: Any, client_for: Any, admin_user: Any
) -> None:
    for url in pages().values():
        assert admin_user.username in read(url, client_for(admin_user))
    assert not none_kept
    for url in pages().values():
        assert admin_user.username not in read(url)


def test_a_page_that_was_overtaken_while_it_was_made_is_not_kept(
    bench: Any, none_kept: Any, monkeypatch: Any
) -> None:
    from evaluation.views import models

    url = pages()["model"]
    entry = LeaderboardEntry.objects.get(run__contestant__name="Seer")
    real = models.entries_of

    def late(*args: Any) -> Any:
        found = real(*args)
        withdraw_entry(entry=entry, by="import", note="gone")
        return found

    monkeypatch.setattr(models, "entries_of", late)
    read(url)
    assert not none_kept
    monkeypatch.setattr(models, "entries_of", real)
    assert entry.hash[:8] not in read(url)


def test_only_so_much_is_kept(bench: Any, none_kept: Any, monkeypatch: Any) -> None:
    size = len(read(BOARD)) + 20_000
    monkeypatch.setattr(kept_pages, "MOST", size)
    for number in range(5):
        read(f"{BOARD}?anything={number}")
    assert sum(page.size for page in none_kept.values()) <= size
