"""The review page as the server writes it: sealed before the vote, bounded in its queries."""

import re
import uuid

import pytest

from annotation.actions.items import edit_item
from annotation.actions.reviews import cast_vote
from annotation.models import Review
from tests import factories

pytestmark = pytest.mark.django_db
MOST_QUERIES = 33


@pytest.fixture
def bench():
    return factories.small_benchmark(videos=3)


@pytest.fixture
def item(bench):
    return bench.items.first()


def vote(item, by, verdict="keep", comment=""):
    return cast_vote(
        review_id=uuid.uuid4(),
        item_id=item.pk,
        version_number=1,
        verdict=verdict,
        reasons=[4] if verdict == "drop" else [],
        comment=comment,
        by=by,
    )


def page_url(bench, item, query=""):
    return f"/b/{bench.slug}/review/{item.pk}/{query}"


def line_of(html, item):
    """The line of `item` in the queue."""
    return re.search(rf'<a class="q[^>]*data-entry="{item.pk}".*?</a>', html, re.S).group(0)


def test_nothing_of_others_is_in_the_page_before_the_own_vote(
    client_for, reviewer, reviewer_2, bench, item
):
    vote(item, reviewer_2, "drop", comment="out of the box")
    client = client_for(reviewer)
    for url in (page_url(bench, item), page_url(bench, item) + "item/"):
        html = client.get(url).content.decode()
        assert "out of the box" not in html
        assert "Reviewer 2" not in html and "/evidence/" not in html
        assert "Evidence opens after your vote" in html
    assert "To do" in line_of(client.get(page_url(bench, item)).content.decode(), item)

    vote(item, reviewer)
    html = client.get(page_url(bench, item)).content.decode()
    assert "out of the box" in html and "Reviewer 2 dropped it" in html
    assert "Disagreement" in line_of(html, item)


def test_a_settled_item_looks_open_to_who_has_not_voted(client_for, reviewer, bench, item):
    """Imported and other readers' decisions would sway as votes do."""
    html = client_for(reviewer).get(page_url(bench, item)).content.decode()
    assert item.state == "kept"
    assert "To do" in line_of(html, item) and "st-kept" not in line_of(html, item)


def test_a_vote_on_an_older_version_is_stale(client_for, reviewer, reviewer_2, bench, item):
    vote(item, reviewer)
    edit_item(
        item_id=item.pk, base_version=1, changes={"stem": "Why?"}, reason="new", by=reviewer_2
    )
    client = client_for(reviewer)
    html = client.get(page_url(bench, item)).content.decode()
    assert "Stale" in line_of(html, item)
    only = client.get(page_url(bench, item, "?show=stale")).content.decode()
    assert re.findall(r'data-entry="(\d+)"', only) == [str(item.pk)]


def test_filters_and_search_are_in_the_url(client_for, reviewer, bench, item):
    vote(item, reviewer)
    client = client_for(reviewer)
    todo = client.get(page_url(bench, item, "?show=todo")).content.decode()
    assert f'data-entry="{item.pk}"' not in todo
    found = client.get(page_url(bench, item, "?q=press+harder")).content.decode()
    assert len(re.findall(r"data-entry=", found)) == 3
    nothing = client.get(page_url(bench, item, "?q=%3Cscript%3E&show=nonsense")).content.decode()
    assert "Nothing found" in nothing and "<script>" not in nothing


def test_the_next_open_item_passes_over_what_was_voted_on(client_for, reviewer, bench):
    items = list(bench.items.all())
    vote(items[0], reviewer)
    client = client_for(reviewer)
    assert client.get(f"/b/{bench.slug}/review/").url == page_url(bench, items[1])
    for item in items[1:]:
        vote(item, reviewer)
    html = client.get(page_url(bench, items[-1])).content.decode()
    assert f"/b/{bench.slug}/review/done/" in html
    done = client.get(f"/b/{bench.slug}/review/done/").content.decode()
    assert "6 of 6" in done


def test_an_item_of_another_benchmark_is_not_here(client_for, reviewer, bench):
    other = factories.small_benchmark(videos=1).items.first()
    assert client_for(reviewer).get(page_url(bench, other)).status_code == 404


@pytest.mark.parametrize("path", ["", "item/"])
def test_who_may(client, client_for, outsider, bench, item, path):
    url = page_url(bench, item) + path
    assert client.get(url).status_code == 302
    assert client_for(outsider).get(url).status_code == 403


def test_hostile_text_is_escaped(client_for, reviewer):
    bad = '</script><img src=x onerror="alert(1)">'
    bench = factories.benchmark(name=bad)
    video = factories.video(bench, title=bad)
    factories.event(video, action=bad, interpretation=bad)
    item = factories.mcq_item(video, stem=bad, options=(bad, "b"), ground_truth=bad)
    html = client_for(reviewer).get(page_url(bench, item)).content.decode()
    assert "<img src=x" not in html and bad not in html


def test_queries_do_not_grow_with_the_benchmark(
    client_for, reviewer, django_assert_max_num_queries
):
    client = client_for(reviewer)
    counts = []
    for videos in (2, 12):
        bench = factories.small_benchmark(videos=videos)
        first, second = bench.items.all()[:2]
        vote(first, reviewer)
        client.get(page_url(bench, first))  # what is read once a process is read
        with django_assert_max_num_queries(MOST_QUERIES) as captured:
            assert client.get(page_url(bench, second)).status_code == 200
        counts.append(len(captured))
    assert counts[0] == counts[1]


def test_the_group_of_another_video_comes_on_its_own(client_for, reviewer, bench):
    video = bench.videos.last()
    answer = client_for(reviewer).get(f"/b/{bench.slug}/review/videos/{video.pk}/")
    assert len(re.findall(r"data-entry=", answer.content.decode())) == 2


def test_where_reviewing_starts(client_for, reviewer):
    client = client_for(reviewer)
    assert "no benchmark yet" in client.get("/review/").content.decode()
    bench = factories.small_benchmark(videos=1)
    assert client.get("/review/").url == f"/b/{bench.slug}/review/"
    other = factories.small_benchmark(videos=1)
    assert f"/b/{other.slug}/review/" in client.get("/review/").content.decode()


def test_the_theme_stays_with_the_account(client, client_for, reviewer):
    assert 'data-theme="dark"' in client_for(reviewer).get("/review/").content.decode()
    signed_in = client_for(reviewer)
    assert (
        signed_in.post("/account/theme/", {"theme": "light", "next": "/review/"}).url == "/review/"
    )
    assert 'data-theme="light"' in signed_in.get("/review/").content.decode()
    assert "data-theme=" not in client.get("/accounts/login/").content.decode().split(">")[1]
    client.post("/account/theme/", {"theme": "light"})
    assert 'data-theme="light"' in client.get("/accounts/login/").content.decode()
    assert client.post("/account/theme/", {"theme": "neon"}).status_code == 400
    evil = client.post("/account/theme/", {"theme": "dark", "next": "https://example.org/"})
    assert evil.status_code == 204


def test_items_of_a_video_that_does_not_play_are_skipped_together(client_for, reviewer):
    bench = factories.benchmark()
    dead = factories.video(bench, of=factories.source(bench, state="removed"))
    gone = [factories.mcq_item(dead) for _ in range(3)]
    plays = factories.mcq_item(factories.video(bench))
    client = client_for(reviewer)
    page = client.get(f"/b/{bench.slug}/review/{gone[0].pk}/").content.decode()
    assert "Skip these 3" in page
    assert "Skip these" not in client.get(f"/b/{bench.slug}/review/{plays.pk}/").content.decode()

    answer = client.post(f"/b/{bench.slug}/review/videos/{dead.pk}/skip/")
    assert answer["Location"] == f"/b/{bench.slug}/review/{plays.pk}/"
    skips = Review.objects.filter(reviewer=reviewer)
    assert set(skips.values_list("verdict", "skip_reason")) == {("skip", "video")}
    assert skips.count() == 3
    other = factories.benchmark()
    path = f"/b/{other.slug}/review/videos/{dead.pk}/skip/"
    assert client.post(path).status_code == 404
