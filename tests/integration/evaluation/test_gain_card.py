"""Gain over blind by question type, on the page of a benchmark."""

import pytest

from evaluation.actions.entries import publish_entry
from evaluation.leaderboard import compute_entry
from tests import evaluation_factories as make
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def release():
    bench = factories.benchmark()
    for number in range(6):
        kind = "Type1_ActionGoalReasoning" if number % 2 else "Type2_ArtifactResolution"
        factories.kept(factories.mcq_item(factories.video(bench), question_type=kind))
    return factories.release(bench)


def published(release, model, condition, scores):
    run = make.scored_run(release, scores, contestant=model, condition=condition)
    publish_entry(entry=compute_entry(run), by="import")


def card(client, release) -> str:
    return client.get(f"/b/{release.benchmark.slug}/gain/").content.decode()


def test_gain_is_told_for_all_and_by_type(release, client_for, reviewer):
    client, model = client_for(reviewer), make.contestant("Seer")
    assert "not known" in card(client, release)
    published(release, model, "video", [1, 1, 1, 0, 1, 1])
    assert "not known" in card(client, release), "without a text-only entry there is no gain"
    published(release, model, "blind", [0, 1, 0, 0, 1, 1])
    found = card(client, release)
    assert "+33.3" in found  # of all: 2 of 6
    assert "+66.7" in found and "T2" in found  # of the three of type 2: 2 more are right
    assert found.count("n 3") == 2 and "n 6" in found


def test_the_benchmarks_page_fetches_it(release, client_for, reviewer):
    page = client_for(reviewer).get(f"/b/{release.benchmark.slug}/").content.decode()
    assert f'data-html-include="/b/{release.benchmark.slug}/gain/"' in page
    assert "ui/benchmark.js" in page


def test_a_benchmark_without_a_release_has_none(client_for, reviewer):
    bench = factories.benchmark()
    answer = client_for(reviewer).get(f"/b/{bench.slug}/gain/")
    assert answer.status_code == 200 and "not known" in answer.content.decode()
