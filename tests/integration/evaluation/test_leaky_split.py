import pytest

from annotation.actions.audits import finish_audit, request_audit
from annotation.actions.trail import SYSTEM
from annotation.domain.audit.flags import LEARNED, SHORT_CLIP, ItemFlag
from evaluation.actions.entries import publish_entry
from evaluation.leaderboard import compute_entry
from evaluation.queries.leaky_split import leaky_split
from tests import evaluation_factories as make
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def release():
    """Four kept MCQs of four sources and one free-response item."""
    bench = factories.benchmark(slug="bench")
    for _ in range(4):
        factories.kept(factories.mcq_item(factories.video(bench)))
    factories.kept(factories.free_item(factories.video(bench)))
    return factories.release(bench)


def audited(release, leaky):
    """Keep an audit that found the keys of the MCQs at the places `leaky`."""
    asked = request_audit(benchmark=release.benchmark, release=release, by=SYSTEM)
    items = list(release.benchmark.items.filter(kind="mcq").order_by("position"))
    flags = [ItemFlag(items[place].pk, LEARNED, "Found.") for place in leaky]
    flags.append(ItemFlag(items[3].pk, SHORT_CLIP, "Short."))
    report = {"learned": {"accuracy": 0.5, "p": 0.01}}
    finish_audit(audit=asked, report=report, flags=flags, by=SYSTEM)


def published(release, name, scores):
    run = make.scored_run(release, scores, contestant=make.contestant(name))
    publish_entry(entry=compute_entry(run), by="import")


def test_scores_are_split_by_what_the_audit_finds(release):
    audited(release, leaky=[0, 1])
    published(release, "Leaky", [1, 1, 0, None, 2])
    published(release, "Sound", [1, 0, 1, 1, 0])
    sound, leaky = leaky_split(release)
    assert (sound.head.model, str(sound.leaky), str(sound.clean)) == ("Sound", "50.0 %", "100.0 %")
    assert (leaky.head.model, str(leaky.leaky), str(leaky.clean)) == ("Leaky", "100.0 %", "0.0 %")
    assert (leaky.leaky.estimate.n, leaky.clean.estimate.n) == (2, 2)


def test_a_side_without_items_is_none(release):
    audited(release, leaky=[])
    published(release, "Any", [1, 1, 0, 1, 2])
    (split,) = leaky_split(release)
    assert split.leaky is None
    assert str(split.clean) == "75.0 %"


def test_before_an_audit_there_is_no_split(release, client_for, adjudicator, reviewer):
    assert leaky_split(release) is None
    path = f"/b/bench/audit/models/{release.tag}/"
    assert client_for(adjudicator).get(path).status_code == 404
    assert client_for(reviewer).get(path).status_code == 403


def test_the_fragment(release, client_for, adjudicator, django_assert_max_num_queries):
    audited(release, leaky=[0, 1])
    published(release, "<b>Model</b>", [1, 1, 0, None, 2])
    client = client_for(adjudicator)
    with django_assert_max_num_queries(9):
        page = client.get(f"/b/bench/audit/models/{release.tag}/").content.decode()
    assert "&lt;b&gt;Model&lt;/b&gt;" in page
    assert "Leaky, 2 items" in page
    assert client.get("/b/bench/audit/models/nope/").status_code == 404


def test_unpublished_entries_stay_hidden(release):
    audited(release, leaky=[0])
    compute_entry(make.scored_run(release, [1, 1, 1, 1, 2]))
    assert leaky_split(release) == []
