"""The page of a benchmark, and its releases: making, taking away, comparing."""

import io
import json
import zipfile

import pytest
from django.urls import reverse

from annotation.models import Release
from tests import factories
from tests.unit.annotation.queries.voting import vote

pytestmark = pytest.mark.django_db


@pytest.fixture
def bench():
    return factories.small_benchmark(name="Sweep <b>")


@pytest.fixture
def split(bench, reviewer, reviewer_2):
    item = bench.items.first()
    vote(item, reviewer, "keep")
    vote(item, reviewer_2, "drop", reasons=[4], comment="A remark of mine.")
    return item


def url(name, bench, *places):
    return reverse(f"annotation:{name}", args=[bench.slug, *places])


def page(client, bench):
    return client.get(url("benchmark", bench)).content.decode()


def test_a_reviewer_sees_counts_and_no_single_decision(client_for, bench, split, reviewer):
    text = page(client_for(reviewer), bench)

    assert "Sweep &lt;b&gt;" in text and "Sweep <b>" not in text
    assert "3 <small>of 4" in text
    assert "Not visible in ROI" in text  # the count of a reason
    assert "Continue review" in text
    for told in ("A remark of mine.", "reviewer-2", split.text, "Decide", "Freeze a release"):
        assert told not in text


def test_own_progress_stands_apart(client_for, bench, split, reviewer, maintainer):
    for user, done in ((reviewer, 1), (maintainer, 0)):
        text = client_for(user).get(f"/b/{bench.slug}/").content.decode()
        assert f"by you {done}" in text


def test_an_adjudicator_sees_disagreements_and_may_freeze(client_for, bench, split, adjudicator):
    text = page(client_for(adjudicator), bench)

    for told in ("Decide", split.text, "Freeze a release", url("adjudication", bench)):
        assert told in text
    assert "Published layout" not in text


def test_a_maintainer_may_take_releases_away(client_for, bench, maintainer):
    factories.release(bench)
    text = page(client_for(maintainer), bench)
    assert url("release_zip", bench, "r1") in text
    assert url("release_lines", bench, "r1") in text


def test_an_empty_benchmark_has_a_page(client_for, adjudicator):
    text = page(client_for(adjudicator), factories.benchmark())
    assert "No items yet." in text
    assert "No release yet." in text


def test_the_number_of_queries_does_not_grow(
    client_for, bench, reviewer, reviewer_2, adjudicator, django_assert_max_num_queries
):
    client = client_for(adjudicator)
    for _ in range(2):
        for _ in range(8):
            item = factories.mcq_item(factories.video(bench))
            vote(item, reviewer, "keep")
            vote(item, reviewer_2, "drop")
        with django_assert_max_num_queries(34):
            assert page(client, bench)


def freeze(client, bench, tag, notes=""):
    return client.post(url("make_release", bench), {"tag": tag, "notes": notes}, follow=True)


def test_a_release_is_made_with_notes(client_for, bench, adjudicator):
    answer = freeze(client_for(adjudicator), bench, "r2", "Two windows moved.").content.decode()

    made = Release.objects.get()
    assert (made.tag, made.notes, made.created_by) == ("r2", "Two windows moved.", adjudicator)
    assert "r2 is frozen: 4 items kept." in answer
    assert made.hash[:8] in answer


@pytest.mark.parametrize("tag", ["", "../x", "a b", "-x", "x" * 33, "ü", "a\nb", "<script>"])
def test_a_tag_that_is_none_makes_nothing(client_for, bench, adjudicator, tag):
    answer = freeze(client_for(adjudicator), bench, tag).content.decode()

    assert not Release.objects.exists()
    assert "Not frozen:" in answer


def test_a_tag_that_is_taken_and_notes_without_end(client_for, bench, adjudicator):
    client = client_for(adjudicator)
    freeze(client, bench, "r1")
    assert "releases are frozen" in freeze(client, bench, "r1").content.decode()
    assert "Not frozen:" in freeze(client, bench, "r2", "x" * 4001).content.decode()
    assert Release.objects.count() == 1


def test_nothing_kept_is_told(client_for, adjudicator):
    bench = factories.benchmark()
    assert "nothing to freeze" in freeze(client_for(adjudicator), bench, "r1").content.decode()


def test_the_zip_and_the_lines_are_downloads(client_for, bench, maintainer):
    factories.release(bench, tag="v1.0")
    client = client_for(maintainer)

    answer = client.get(url("release_zip", bench, "v1.0"))
    assert answer["Content-Disposition"] == f'attachment; filename="{bench.slug}-v1.0.zip"'
    with zipfile.ZipFile(io.BytesIO(answer.getvalue())) as packed:
        assert "video_metadata_new.json" in packed.namelist()

    answer = client.get(url("release_lines", bench, "v1.0"))
    assert answer.streaming
    rows = [json.loads(line) for line in answer.getvalue().decode().splitlines()]
    assert [row["record"] for row in rows] == ["release"] + 4 * ["item"]


@pytest.mark.parametrize("name", ["release_zip", "release_lines"])
def test_a_release_of_another_benchmark_is_not_found(client_for, bench, maintainer, name):
    factories.release(factories.small_benchmark(), tag="theirs")
    client = client_for(maintainer)
    for tag in ("theirs", "a\x00b"):
        assert client.get(url(name, bench, tag)).status_code == 404


def test_compare_two(client_for, bench, reviewer, adjudicator):
    client = client_for(adjudicator)
    freeze(client, bench, "a")
    item = bench.items.first()
    vote(item, reviewer, "drop", reasons=[3])
    freeze(client, bench, "b", "<i>notes</i>")
    text = client.get(url("compare_releases", bench), {"from": "a", "to": "b"}).content.decode()

    assert "a to b: 1 item" in text
    assert f"account {reviewer.pseudonym[:8]}" in text
    assert "vote: drop: Ambiguous" in text
    assert "&lt;i&gt;notes" in page(client, bench)


def test_compare_with_what_is_not_there(client_for, bench, adjudicator):
    client = client_for(adjudicator)
    assert client.get(url("compare_releases", bench)).status_code == 200
    for query in ({"from": "x"}, {"to": "../.."}, {"from": "a\x00b"}):
        assert client.get(url("compare_releases", bench), query).status_code == 404
