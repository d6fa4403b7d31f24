import pytest
from django.core.exceptions import PermissionDenied

from annotation.actions.releases import ReleaseRefused, make_release
from annotation.actions.trail import IMPORT
from annotation.models import Release, Revision
from annotation.signals import release_made
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def bench():
    bench = factories.benchmark()
    video = factories.video(bench)
    factories.kept(factories.mcq_item(video))
    factories.kept(factories.mcq_item(video), keep=False)
    factories.kept(factories.free_item(video))
    factories.free_item(video)
    return bench


def test_it_freezes_every_item_and_counts_the_kept(bench, adjudicator):
    release = make_release(benchmark=bench, tag="r1", notes="first", by=adjudicator)

    assert (release.kept_mcq, release.kept_free) == (1, 1)
    assert list(release.release_items.values_list("keep", flat=True)) == [True, False, True, False]
    assert release.created_by == adjudicator
    revision = Revision.objects.get(verb="make_release")
    assert revision.after == {"tag": "r1", "hash": release.hash, "mcq": 1, "free": 1}
    assert revision.actor == adjudicator.pseudonym


def test_the_hash_depends_on_keep_and_roi_and_on_nothing_else(bench):
    first = make_release(benchmark=bench, tag="r1", by=IMPORT)
    again = make_release(benchmark=bench, tag="r2", by=IMPORT)
    assert first.hash == again.hash

    item = bench.items.last()
    factories.kept(item)
    assert make_release(benchmark=bench, tag="r3", by=IMPORT).hash != first.hash


def test_it_says_when_it_was_made_after_the_commit(bench, django_capture_on_commit_callbacks):
    heard = []

    def listen(release, **_):
        heard.append(release.tag)

    release_made.connect(listen, sender=Release)
    try:
        with django_capture_on_commit_callbacks() as callbacks:
            make_release(benchmark=bench, tag="r1", by=IMPORT)
        assert heard == []
        # Other listeners (references) are theirs to test; ours hears the call.
        callbacks[-1]()
        assert heard == ["r1"]
    finally:
        release_made.disconnect(listen, sender=Release)


@pytest.mark.parametrize("tag", ["", "-x", "a b", "x" * 33, "r1\n", "r/1", "r\x001"])
def test_it_refuses_a_bad_tag(bench, tag):
    with pytest.raises(ReleaseRefused, match="no release tag"):
        make_release(benchmark=bench, tag=tag, by=IMPORT)


def test_it_refuses_a_tag_that_is_taken(bench):
    make_release(benchmark=bench, tag="r1", by=IMPORT)
    with pytest.raises(ReleaseRefused, match="has a release r1 already"):
        make_release(benchmark=bench, tag="r1", by=IMPORT)


def test_it_refuses_an_empty_keep_set():
    bench = factories.benchmark()
    factories.mcq_item(factories.video(bench))
    with pytest.raises(ReleaseRefused, match="nothing to freeze"):
        make_release(benchmark=bench, tag="r1", by=IMPORT)
    assert not Release.objects.exists()


def test_a_reviewer_may_not_make_one(bench, reviewer):
    with pytest.raises(PermissionDenied):
        make_release(benchmark=bench, tag="r1", by=reviewer)
