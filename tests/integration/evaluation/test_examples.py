"""The card of examples: what an admin shows is read by everybody, there and nowhere else."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import Release
from evaluation.actions.entries import publish_entry
from evaluation.leaderboard import compute_entry
from evaluation.models import Judgement, LeaderboardEntry, Prediction
from tests import evaluation_factories as make
from tests import factories
from tests.integration.evaluation.test_nothing_leaks import crawl

pytestmark = pytest.mark.django_db
PAGE = "/b/phantom/compare/"
MARK, CLOSED = "EXAMPLEbird", "CLOSEDbird"
INSIDE = ("reference", "reply", "judge", "<b>")


@pytest.fixture
def release() -> Release:
    """Two models on six sources; one MCQ and one free-response item will be shown."""
    bench = factories.benchmark(slug="phantom", name="Phantom")
    for number in range(6):
        word = CLOSED if number else MARK
        vid = factories.video(bench)
        options = (f"{word} option", "Slide.", "Freeze.")
        more = {"stem": f"{word} stem <b>", "ground_truth": f"{word} truth"}
        factories.kept(factories.mcq_item(vid, options=options, **more))
        factories.kept(factories.free_item(vid, reference_answer=f"{word} reference", **more))
    made = factories.release(bench)
    for name, score in (("Seer", 1), ("Guesser", 0)):
        run = make.run(made, name=name)
        for row in made.release_items.select_related("item_version").order_by("position"):
            word = MARK if MARK in row.item_version.stem else CLOSED
            said = {"raw_reply": f"{word} reply <b>", "error_message": f"{word} error"}
            found = make.prediction(run, row.item_version, score, **said)
            found.judgements.update(explanation=f"{word} judge")
        publish_entry(entry=compute_entry(run), by="import")
    return made


def mark(release: Release, shown: bool = True) -> None:
    release.benchmark.items.filter(text__startswith=MARK).update(is_example=shown)


def read(client: Client | None = None) -> str:
    return (client or Client()).get(PAGE).content.decode()


def test_an_example_is_seen_there_and_nowhere_else(release: Release, client: Client) -> None:
    before = crawl(client)
    assert not any(f"{MARK} {word}" in body for body in before.values() for word in INSIDE)
    mark(release)
    pages = crawl(client)
    for word in ("reference", "reply", "judge"):
        told = {path.split("?")[0] for path, body in pages.items() if f"{MARK} {word}" in body}
        assert told == {PAGE}, word
    for path, body in pages.items():
        assert f"{MARK} truth" not in body and f"{MARK} error" not in body, path
        assert CLOSED not in body or path.endswith(".jsonl"), path
    page = pages[PAGE]
    assert page.count(f"{MARK} reply &lt;b&gt;") == 4 and "<b>" not in page
    assert page.count('class="key"') == 1 and page.count('class="cmp-example"') == 2
    assert "1 of 1" in page and "0 of 2" in page


def test_without_examples_the_page_is_as_before(release: Release) -> None:
    assert "Examples" not in read() and "cmp-example" not in read()


def test_accounts_without_runs_read_them_and_maintainers_have_the_list(
    release: Release, client_for: Any, outsider: Any, maintainer: Any
) -> None:
    mark(release)
    assert "cmp-example" in read(client_for(outsider))
    page = read(client_for(maintainer))
    assert "cmp-row" in page and "cmp-example" not in page


def test_nothing_shown_is_out_of_date(release: Release) -> None:
    plain = read()
    mark(release)
    assert f"{MARK} reference" in read()
    ours = Prediction.objects.filter(item_version__stem__startswith=MARK)
    Judgement.objects.filter(prediction__in=ours).update(explanation="Judged anew.")
    assert "Judged anew." in read() and f"{MARK} judge" not in read()
    ours.update(raw_reply="", outcome="failed", score=None, chosen=None)
    assert f"{MARK} reply" not in read() and f"{MARK} error" not in read()
    video = release.benchmark.items.filter(is_example=True).first().video
    video.quarantined_at = timezone.now()
    video.save()
    assert MARK not in read()
    video.quarantined_at = None
    video.save()
    assert MARK in read()
    release.release_items.filter(item_version__item__is_example=True).update(held_out=True)
    assert MARK not in read()
    release.release_items.update(held_out=False)
    mark(release, shown=False)
    assert MARK not in read() and plain.count("<section") == read().count("<section")


def test_the_same_examples_are_not_sent_again(release: Release) -> None:
    mark(release)
    tag = {"If-None-Match": Client().get(PAGE)["ETag"]}
    assert Client().get(PAGE, headers=tag).status_code == 304
    mark(release, shown=False)
    assert Client().get(PAGE, headers=tag).status_code == 200


def test_an_edited_example_stays_as_its_release_froze_it(release: Release) -> None:
    mark(release)
    item = release.benchmark.items.filter(is_example=True, kind="free").get()
    newer = factories.current(item)
    newer.pk, newer.number, newer.reference_answer = None, 2, "A newer reference"
    newer.save()
    item.current = newer
    item.save()
    assert f"{MARK} reference" in read() and "A newer reference" not in read()


def test_beside_people_none_is_shown(release: Release) -> None:
    mark(release)
    entry = LeaderboardEntry.objects.filter(run__contestant__name="Guesser").get()
    entry.run.contestant.is_human = True
    entry.run.contestant.save()
    page = read()
    assert "cmp-top" in page and "Guesser" in page and "cmp-example" not in page


def test_its_queries_do_not_grow_with_examples(release: Release) -> None:
    read()
    counts = []
    for shown in (2, 10):
        keys = release.benchmark.items.values_list("pk", flat=True)[:shown]
        release.benchmark.items.filter(pk__in=list(keys)).update(is_example=True)
        with CaptureQueriesContext(connection) as seen:
            assert read().count('class="cmp-example"') == shown
        counts.append(len(seen))
    assert counts[0] == counts[1] <= 11
