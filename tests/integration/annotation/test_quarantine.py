"""A video in which somebody saw an identifier: nobody and nothing sees it until it is cleared."""

import pytest
from django.core.exceptions import PermissionDenied

from annotation import media, media_purge, media_store, source_access, stills
from annotation.actions.quarantine import clear_quarantine, quarantine_video, report_video
from annotation.domain.edits import BadEdit
from annotation.media import ClipUnavailable, Withheld
from annotation.models import Revision, Source
from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def version(filmed_video):
    return factories.current(factories.mcq_item(filmed_video, window=(1.0, 2.0)))


def cached(store):
    return [p for kind in media_store.CACHED for p in (store / kind).rglob("*") if p.is_file()]


def report(client, video, **said):
    return client.post(f"/api/v1/videos/{video.pk}/report/", said, content_type="application/json")


def test_a_report_withholds_the_video_at_once(client_for, reviewer, filmed_video, version, store):
    media.clip(version)
    media.still(filmed_video, 1.0)
    assert len(cached(store)) == 3
    client = client_for(reviewer)
    place = f"/b/{filmed_video.benchmark.slug}/review/{version.item_id}/"
    assert b'id="stage-data"' in client.get(place).content

    assert (
        report(client, filmed_video, state="identifier", note="A name at 0:03").status_code == 200
    )
    assert cached(store) == []
    assert (store / "sources" / "known.mp4").exists()  # the original is not a cache
    for ask in (lambda: media.clip(version), lambda: media.frames(version, 2)):
        with pytest.raises(Withheld) as caught:
            ask()
        assert caught.value.permanent
    with pytest.raises(ClipUnavailable, match="quarantine"):
        media.still(filmed_video, 1.0)
    assert client.get(f"/media/sources/{filmed_video.source_id}.mp4").status_code == 403
    refused = client.get(f"/media/stills/{filmed_video.pk}/1000.jpg")
    assert refused.status_code == 404 and "quarantine" in refused.json()["reason"]
    page = client.get(place).content.decode()
    assert "data-withheld" in page and "data-stage " not in page
    assert "stage-data" not in page and filmed_video.source.key not in page
    assert client.get(place + "roi/").status_code == 302
    assert cached(store) == []
    said = Revision.objects.get(verb="quarantine_video")
    assert said.reason == "A name at 0:03" and said.actor == reviewer.pseudonym
    assert said.before == {"quarantined_at": None} and said.after["quarantined_at"]


def test_an_adjudicator_clears_it_with_a_reason(
    client_for, reviewer, adjudicator, filmed_video, version
):
    quarantine_video(video_id=filmed_video.pk, by=reviewer)
    url = f"/b/{filmed_video.benchmark.slug}/quarantine/{filmed_video.pk}/clear/"
    said = {"item": version.item_id, "reason": "It is the name of the probe."}
    assert client_for(reviewer).post(url, said).status_code == 403
    client = client_for(adjudicator)
    page = client.get(f"/b/{filmed_video.benchmark.slug}/review/{version.item_id}/")
    assert url in page.content.decode()
    client.post(url, said | {"reason": "  "})
    filmed_video.refresh_from_db()
    assert filmed_video.quarantined_at
    answer = client.post(url, said)
    assert answer.url.endswith(f"/review/{version.item_id}/")
    filmed_video.refresh_from_db()
    assert filmed_video.quarantined_at is None
    assert media.clip(version).frames == 15
    assert stills.ask(filmed_video, 1000).start
    assert Revision.objects.get(verb="clear_quarantine").reason == said["reason"]


@pytest.mark.parametrize("item", ["", "\u00b2", "\u0663", "9" * 19, "9" * 5_000, "1\x00"])
def test_an_item_that_is_none_leads_to_the_next_one(client_for, adjudicator, filmed_video, item):
    slug = filmed_video.benchmark.slug
    url = f"/b/{slug}/quarantine/{filmed_video.pk}/clear/"
    answer = client_for(adjudicator).post(url, {"item": item, "reason": "Nobody is named."})
    assert answer.url == f"/b/{slug}/review/"


def test_what_shows_the_same_pixels_is_withheld_too(filmed_video, reviewer, store):
    """A copy in another benchmark, a video that overlaps; not a later part of the source."""
    other = factories.benchmark()
    copy = factories.source(other, kind="file", key="known.mp4")
    overlapping = factories.video(other, of=copy, start=0.0, end=3.0)
    later = factories.video(other, of=copy, start=6.0, end=9.0)
    filmed_video.end = 4.0
    filmed_video.save()
    quarantine_video(video_id=filmed_video.pk, by=reviewer)
    with pytest.raises(Withheld):
        media.clip(factories.current(factories.mcq_item(overlapping, window=(0.5, 1.5))))
    assert media.clip(factories.current(factories.mcq_item(later, window=(0.5, 1.5)))).frames


def test_a_report_during_the_cut_leaves_no_clip(
    filmed_video, version, reviewer, store, monkeypatch
):
    real = source_access.open_source

    def opened(source):
        quarantine_video(video_id=filmed_video.pk, by=reviewer)
        return real(source)

    monkeypatch.setattr(source_access, "open_source", opened)
    with pytest.raises(Withheld):
        media.clip(version)
    assert cached(store) == []


def test_the_purge_finds_what_another_machine_was_not_told_of(
    filmed_video, version, store, reviewer, monkeypatch
):
    media.clip(version)
    monkeypatch.setattr(media_store, "remove_all_of", lambda source: 0)
    quarantine_video(video_id=filmed_video.pk, by=reviewer)
    monkeypatch.undo()
    assert cached(store)
    media_purge.purge(dry_run=True)
    assert cached(store)
    media_purge.purge()
    assert cached(store) == []


def test_other_reports_are_kept_with_their_note(client_for, reviewer, filmed_video):
    client = client_for(reviewer)
    assert report(client, filmed_video, state="removed", note="Since Monday").status_code == 200
    assert Source.objects.get().state == "removed"
    assert report(client, filmed_video, state="other", note="Upside down").status_code == 200
    notes = Revision.objects.filter(verb="report_video").values_list("reason", flat=True)
    assert sorted(notes) == ["Since Monday", "Upside down"]
    filmed_video.refresh_from_db()
    assert filmed_video.quarantined_at is None


@pytest.mark.parametrize(
    "said",
    [
        {"state": "other"},
        {"state": "other", "note": " "},
        {"state": "gone"},
        {"state": "identifier", "note": "x" * 501},
        {"state": "identifier", "note": "a\x00b"},
        {"state": "identifier", "note": 7},
        {"state": "identifier", "by": "somebody"},
    ],
)
def test_reports_that_are_refused(client_for, reviewer, filmed_video, said):
    assert report(client_for(reviewer), filmed_video, **said).status_code == 400
    filmed_video.refresh_from_db()
    assert filmed_video.quarantined_at is None


def test_who_may(filmed_video, reviewer, outsider):
    with pytest.raises(PermissionDenied):
        quarantine_video(video_id=filmed_video.pk, by=outsider)
    with pytest.raises(PermissionDenied):
        report_video(video_id=filmed_video.pk, note="x", by=outsider)
    with pytest.raises(PermissionDenied):
        clear_quarantine(video_id=filmed_video.pk, reason="x", by=reviewer)
    with pytest.raises(BadEdit):
        quarantine_video(video_id=filmed_video.pk, note="x" * 501, by=reviewer)


def test_twice_is_once(filmed_video, reviewer, reviewer_2, adjudicator):
    first = quarantine_video(video_id=filmed_video.pk, by=reviewer).quarantined_at
    assert quarantine_video(video_id=filmed_video.pk, by=reviewer_2).quarantined_at == first
    for _ in range(2):
        clear_quarantine(video_id=filmed_video.pk, reason="Nobody", by=adjudicator)
    assert Revision.objects.filter(verb="clear_quarantine").count() == 1
