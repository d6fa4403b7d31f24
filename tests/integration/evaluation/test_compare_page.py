"""The comparison of two entries: figures for everybody, single items for maintainers alone."""

import csv
import io
import re
from typing import Any

import pytest
from django.test import Client

from evaluation.actions.entries import publish_entry
from evaluation.leaderboard import compute_entry
from evaluation.models import Run
from tests import evaluation_factories as make
from tests import factories

pytestmark = pytest.mark.django_db
CANARY = "CANARYbird"
VIDEOS = 6


@pytest.fixture
def runs() -> list[Run]:
    """Two models on six sources: A has every MCQ right, B every second one."""
    bench = factories.benchmark(slug="bench", name="Bench")
    for number in range(VIDEOS):
        vid = factories.video(bench)
        options = (f"{CANARY} key", "Slide.", "Freeze.")
        stem = f"{CANARY} stem {number}"
        factories.kept(factories.mcq_item(vid, stem=stem, options=options, ground_truth=CANARY))
        factories.kept(factories.free_item(vid, stem=stem, reference_answer=CANARY))
    release = factories.release(bench)
    return [
        published(release, "Seer", lambda place: 1),
        published(release, "Guesser", lambda place: place % 2),
    ]


def published(release: Any, name: str, score: Any) -> Run:
    run = make.run(release, name=name)
    rows = release.release_items.select_related("item_version__item").order_by("position")
    for place, row in enumerate(rows):
        value = score(place // 2)
        make.prediction(run, row.item_version, value, raw_reply=f"{CANARY} reply of {name}")
    publish_entry(entry=compute_entry(run), by="import")
    return run


def url(runs: list[Run], more: str = "") -> str:
    return f"/b/bench/compare/?a={runs[0].pk}&b={runs[1].pk}{more}"


def test_the_two_best_are_compared_without_being_asked_for(runs: list[Run], client: Client) -> None:
    page = client.get("/b/bench/compare/").content.decode()
    assert "+50.0" in page and "Seer" in page and "Guesser" in page
    assert "only A right" in page


def test_swapped_the_sign_turns(runs: list[Run], client: Client) -> None:
    assert "−50.0" in client.get(url(runs[::-1])).content.decode()


def test_the_public_sees_no_single_item(runs: list[Run], client: Client, client_for: Any) -> None:
    outsider = client_for(factories.account(role=""))
    reviewer = client_for(factories.account(role="reviewer"))
    item = runs[0].predictions.first().item_version_id
    for visitor in (client, outsider, reviewer):
        page = visitor.get(url(runs, f"&item={item}&show=only-a&kind=free")).content.decode()
        assert CANARY not in page and "cmp-row" not in page
        found = visitor.get(f"/b/bench/compare.csv?a={runs[0].pk}&b={runs[1].pk}")
        assert CANARY not in found.content.decode()


def test_a_slice_of_few_items_is_for_maintainers(
    runs: list[Run], client: Client, client_for: Any, maintainer: Any
) -> None:
    bench = runs[0].benchmark
    bench.videos.filter(pk=bench.videos.first().pk).update(category="Rare")
    for run in runs:
        publish_entry(entry=compute_entry(run), by="import")
    for visitor, shown in ((client, False), (client_for(maintainer), True)):
        assert ("Rare" in visitor.get(url(runs)).content.decode()) is shown
        rows = visitor.get(f"/b/bench/compare.csv?a={runs[0].pk}&b={runs[1].pk}").content.decode()
        assert ("Rare" in rows) is shown


def test_a_maintainer_opens_items_where_a_is_right_and_b_wrong(
    runs: list[Run], client_for: Any, maintainer: Any
) -> None:
    page = client_for(maintainer).get(url(runs)).content.decode()
    assert len(re.findall('class="cmp-row"', page)) == VIDEOS // 2
    assert "CANARYbird reply of Seer" in page and "CANARYbird reply of Guesser" in page
    assert "1 of 1" in page and "0 of 1" in page
    free = client_for(maintainer).get(url(runs, "&kind=free&show=any")).content.decode()
    assert len(re.findall('class="cmp-row"', free)) == VIDEOS
    assert "As the reference says." in free


@pytest.mark.parametrize(
    "more",
    ["&page=99&item=7&kind=x&show=y&type=z", "&type=%00&page=-1&item=1e9", "&item=" + "9" * 40],
)
def test_nonsense_in_the_query_is_borne(
    runs: list[Run], client_for: Any, maintainer: Any, more: str
) -> None:
    assert client_for(maintainer).get(url(runs, more)).status_code == 200


@pytest.mark.parametrize("a", ["999999", "x", "-1", "9" * 30])
def test_an_entry_that_is_not_published_is_not_there(
    runs: list[Run], client: Client, a: str
) -> None:
    assert client.get(f"/b/bench/compare/?a={a}&b={runs[1].pk}").status_code == 404
    assert client.get(f"/b/bench/compare.csv?a={a}").status_code == 404


def test_with_one_entry_the_page_says_what_it_needs(client: Client) -> None:
    release = factories.release(factories.small_benchmark(slug="bench"))
    published(release, "Alone", lambda place: 1)
    assert "Two published entries" in client.get("/b/bench/compare/").content.decode()
    assert client.get("/b/bench/compare.csv").status_code == 404


def test_its_queries_do_not_grow(
    runs: list[Run], client: Client, client_for: Any, maintainer: Any,
    django_assert_max_num_queries: Any,
) -> None:  # fmt: skip
    with django_assert_max_num_queries(7):
        client.get(url(runs))
    signed_in = client_for(maintainer)
    with django_assert_max_num_queries(12):  # one tells how many threads wait for the reader
        signed_in.get(url(runs))


def test_the_csv_has_no_formula(runs: list[Run], client: Client) -> None:
    runs[0].contestant.name = "=HYPERLINK(1)"
    runs[0].contestant.save()
    text = client.get(f"/b/bench/compare.csv?a={runs[0].pk}&b={runs[1].pk}").content.decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert rows[0]["a"] == "'=HYPERLINK(1)"
    assert float(rows[0]["a_minus_b"]) == pytest.approx(0.5)


def test_a_letter_of_another_order_is_told(
    runs: list[Run], client_for: Any, maintainer: Any
) -> None:
    row = runs[0].predictions.filter(item_version__item__kind="mcq").first()
    order = row.item_version.shown_order
    row.chosen, row.shown_order, row.raw_reply = order[2], order[::-1], "Answer: A"
    row.save()
    page = client_for(maintainer).get(url(runs, "&show=any")).content.decode()
    assert "<strong>C. " in page and "shown to the model as A" in page
    assert page.count("shown to the model as") == 1
