"""Guidelines of a benchmark, the own pace, and what maintainers see of their readers."""

import uuid

import pytest
from django.core.exceptions import PermissionDenied

from annotation.actions.guidelines import write_guidelines
from annotation.actions.reviews import cast_vote, undo_vote
from annotation.domain.guidelines import LIMIT
from annotation.models import Revision
from annotation.queries.pace import own_pace, reader_lines
from annotation.templatetags.pace import pace_hint, spent
from tests import factories


@pytest.fixture
def bench(db):
    bench = factories.benchmark()
    video = factories.video(bench)
    for _ in range(5):
        factories.free_item(video)
    return bench


def vote(item, by, seconds, verdict="keep", **more):
    return cast_vote(
        review_id=uuid.uuid4(),
        item_id=item.pk,
        version_number=1,
        verdict=verdict,
        active_seconds=seconds,
        by=by,
        **more,
    )


def test_maintainers_write_readers_read(client_for, maintainer, reviewer, bench):
    url = f"/b/{bench.slug}/guidelines/"
    text = "# How\n\n<script>alert(1)</script> **keep**"
    assert client_for(reviewer).post(url + "write/", {"text": text}).status_code == 403
    assert client_for(maintainer).post(url + "write/", {"text": text}).status_code == 302
    html = client_for(reviewer).get(url).content.decode()
    assert "<h2>How</h2>" in html and "<strong>keep</strong>" in html
    assert "<script>alert" not in html and "guide-text" not in html
    part = client_for(reviewer).get(url + "?part").content.decode()
    assert "<h2>How</h2>" in part and "<html" not in part
    told = Revision.objects.get(verb="write_guidelines")
    assert told.before == {"guidelines": ""} and told.actor == maintainer.pseudonym


def test_guidelines_are_bounded(client_for, maintainer, reviewer, bench):
    url = f"/b/{bench.slug}/guidelines/write/"
    for text in ("x" * (LIMIT + 1), "a\x00b"):
        client_for(maintainer).post(url, {"text": text})
        bench.refresh_from_db()
        assert bench.guidelines == ""
    with pytest.raises(ValueError, match="at most"):
        write_guidelines(benchmark=bench, text="x" * (LIMIT + 1), by=maintainer)
    with pytest.raises(PermissionDenied):
        write_guidelines(benchmark=bench, text="x", by=reviewer)


def test_the_pace_is_the_median_of_the_own_votes(client_for, reviewer, reviewer_2, bench):
    items = list(bench.items.all())
    assert own_pace(reviewer, bench, items_left=5).seconds is None
    for item, seconds in zip(items, (10, 20, 600), strict=False):
        vote(item, reviewer, seconds)
    vote(items[0], reviewer_2, 3000)
    pace = own_pace(reviewer, bench, items_left=2)
    assert (pace.seconds, pace.left) == (20, 40)
    page = client_for(reviewer).get(f"/b/{bench.slug}/review/{items[0].pk}/").content.decode()
    assert '<p class="small dim" data-pace>20 s an item, about 40 s left at your pace.</p>' in page


def test_what_maintainers_see(client_for, maintainer, reviewer, reviewer_2, bench):
    items = list(bench.items.all())
    vote(items[0], reviewer, 30)
    vote(items[1], reviewer, 50, "drop", reasons=[1])
    vote(items[2], reviewer, 5, "skip")
    taken_back = vote(items[3], reviewer, 15)
    undo_vote(review_id=taken_back.pk, by=reviewer)
    vote(items[0], reviewer_2, 7, "unsure")
    first, second = reader_lines(bench)
    assert (first.name, first.items, first.keeps, first.drops) == ("reviewer", 2, 1, 1)
    assert (first.skips, first.seconds, first.per_item) == (1, 100, 50)
    assert (second.name, second.unsure) == ("reviewer-2", 1)
    html = client_for(maintainer).get(f"/b/{bench.slug}/readers/").content.decode()
    assert "1 min 40 s" in html and "reviewer-2" in html


def test_lengths_as_people_say_them():
    assert [spent(s) for s in (0.4, 59, 60, 90, 3599, 7260)] == [
        "0 s",
        "59 s",
        "1 min",
        "1 min 30 s",
        "59 min",
        "2 h 1 min",
    ]
    assert pace_hint("") == ""
