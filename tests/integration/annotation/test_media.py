"""Clips, frames and stills of items: cut once, kept, and refused with a reason."""

import errno
import hashlib
import itertools
import threading
import time

import pytest

from annotation import clip_jobs, media, media_store, source_access, source_parts
from annotation.media import ClipUnavailable, StoreFull
from annotation.models import ItemVersion, Revision, Source
from sonovqa.adapters import ffmpeg, ffmpeg_cuts, youtube
from tests import factories
from tests.standins.known_film import SIZE, read_number
from tests.standins.media_server import MediaServer

YOUTUBE_ID = "abcdefghij0"


def version_of(video, **fields) -> ItemVersion:
    return factories.current(factories.mcq_item(video, **fields))


def cuts(monkeypatch) -> list[int]:
    """How many clips each run of ffmpeg cut."""
    done = []
    real = ffmpeg_cuts.cut_together

    def counted(source, targets):
        done.append(len(targets))
        return real(source, targets)

    monkeypatch.setattr(ffmpeg_cuts, "cut_together", counted)
    return done


def test_a_clip_shows_its_window_and_its_roi(filmed_video):
    clip = media.clip(version_of(filmed_video, window=(2.0, 4.0)))
    assert (clip.width, clip.height) == (SIZE[0] // 2, SIZE[1])
    assert clip.duration == pytest.approx(2.0, abs=1 / 15)
    assert clip.frames == 30 and clip.fps == 15
    assert clip.sha256 == hashlib.sha256(clip.path.read_bytes()).hexdigest()
    first = read_number(ffmpeg.frames(clip.path, [0])[0])
    assert abs(first - 3.0 * 25) <= 1  # the video begins at second 1 of its source


def test_a_clip_is_cut_once(filmed_video, monkeypatch):
    done = cuts(monkeypatch)
    first = media.clip(version_of(filmed_video, window=(1.0, 2.0)))
    again = media.clip(version_of(filmed_video, window=(1.0, 2.0)))
    assert first == again and len(done) == 1


def test_many_askers_at_once_cut_a_clip_once(filmed_video, monkeypatch, transactional_db):
    done = cuts(monkeypatch)
    version = version_of(filmed_video, window=(1.0, 3.0))
    media.clip(version_of(filmed_video, window=(0.0, 0.2)))  # the source's finding is stored
    found = []
    threads = [threading.Thread(target=lambda: found.append(media.clip(version))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6 and len(set(found)) == 1
    assert len(done) == 2


def test_another_roi_or_window_is_another_clip(filmed_video):
    a = media.clip(version_of(filmed_video, window=(1.0, 2.0)))
    b = media.clip(version_of(filmed_video, window=(1.0, 2.1)))
    filmed_video.roi_w = 0.4
    filmed_video.save()
    c = media.clip(version_of(filmed_video, window=(1.0, 2.0)))
    assert len({a.path, b.path, c.path}) == 3


def test_another_recipe_is_another_clip_and_spoils_none_that_is_kept(filmed_video, monkeypatch):
    version = version_of(filmed_video, window=(1.0, 2.0))
    with monkeypatch.context() as before:
        before.setattr(clip_jobs, "RECIPE", {"codec": "h264", "crf": 23, "recipe": 2})
        old = media.clip(version)
    new = media.clip(version)
    assert new.path != old.path and old.path.is_file()


def test_ffmpeg_is_told_what_the_recipe_says(filmed_video, monkeypatch):
    told, real = [], ffmpeg_cuts.run

    def noted(arguments, **options):
        told.extend(arguments)
        return real(arguments, **options)

    monkeypatch.setattr(ffmpeg_cuts, "run", noted)
    media.clip(version_of(filmed_video, window=(1.0, 2.0)))
    options = dict(itertools.pairwise(told))
    said = (options["-preset"], options["-x264-params"], options["-crf"])
    assert said == tuple(str(media.RECIPE[name]) for name in ("preset", "search", "crf"))


@pytest.mark.parametrize(
    "error", [ffmpeg.NoRoomError("The disk is full."), OSError(errno.ENOSPC, "No space left")]
)
def test_a_full_disk_is_told_and_no_other_clip_is_tried(filmed_video, monkeypatch, error):
    tried = []

    def full(_source, targets):
        tried.append(len(targets))
        raise error

    monkeypatch.setattr(ffmpeg_cuts, "cut_together", full)
    versions = [version_of(filmed_video, window=(1.0, 2.0 + more)) for more in (0.0, 0.5)]
    with pytest.raises(StoreFull, match="full") as refusal:
        media.clip(versions[0], along=versions)
    assert tried == [2] and not refusal.value.permanent


def test_the_full_frame_can_be_had(filmed_video):
    clip = media.clip(version_of(filmed_video, window=(1.0, 2.0)), media.Shot(full_frame=True))
    assert (clip.width, clip.height) == SIZE


def test_a_damaged_clip_is_cut_again(filmed_video):
    version = version_of(filmed_video, window=(1.0, 2.0))
    clip = media.clip(version)
    clip.path.write_bytes(clip.path.read_bytes()[:100])
    again = media.clip(version)
    assert again.sha256 == clip.sha256
    assert hashlib.sha256(again.path.read_bytes()).hexdigest() == clip.sha256


def test_a_window_past_its_segment_is_cut_as_far_as_the_source_goes(filmed_video):
    clip = media.clip(version_of(filmed_video, window=(7.0, 9.35)))
    assert clip.duration == pytest.approx(2.0, abs=0.12)


def test_frames_are_spread_over_the_clip(filmed_video):
    found = media.frames(version_of(filmed_video, window=(1.0, 3.0)), 4)
    numbers = [read_number(jpeg) for jpeg in found]
    assert numbers == sorted(numbers) and len(set(numbers)) == 4
    assert 50 <= numbers[0] < 60 and 90 < numbers[3] <= 100


def test_a_run_can_record_how_a_clip_was_made(filmed_video):
    recorded = media.clip(version_of(filmed_video, window=(1.0, 2.0))).settings()
    assert recorded["codec"] == "h264" and recorded["fps"] == 15 and recorded["crf"] == 23
    assert recorded["sha256"] and "path" not in recorded


def test_a_still_is_taken_in_video_time(filmed_video):
    path = media.still(filmed_video, 4.0)
    assert abs(read_number(path.read_bytes()) - 5.0 * 25) <= 1


def test_a_still_at_the_very_end_shows_the_last_frames(filmed_video):
    assert read_number(media.still(filmed_video, 500.0).read_bytes()) >= 240


def test_what_is_found_out_about_a_source_is_kept_with_a_revision(filmed_video):
    media.still(filmed_video, 1.0)
    media.still(filmed_video, 2.0)
    source = Source.objects.get()
    assert (source.width, source.height, source.state) == (*SIZE, "ok")
    assert source.duration == pytest.approx(10, abs=0.1)
    assert Revision.objects.filter(verb="source_finding").count() == 1


def test_what_people_reported_about_a_source_stands(filmed_video):
    Source.objects.update(state="embedding_off")
    filmed_video.source.refresh_from_db()
    media.still(filmed_video, 1.0)
    source = Source.objects.get()
    assert source.state == "embedding_off" and source.width == SIZE[0]


def test_a_known_source_is_not_written_again(filmed_video, django_assert_num_queries):
    media.still(filmed_video, 1.0)
    with django_assert_num_queries(2) as asked:  # is it in quarantine, before and after
        media.still(filmed_video, 2.0)
    assert all(query["sql"].startswith("SELECT") for query in asked.captured_queries)


def test_frames_that_cannot_be_taken_are_a_state_and_no_crash(filmed_video, monkeypatch):
    version = version_of(filmed_video, window=(1.0, 2.0))

    def fail(*values):
        raise ffmpeg.FfmpegError("ffmpeg failed with status 1.")

    monkeypatch.setattr(ffmpeg, "frames", fail)
    with pytest.raises(ClipUnavailable, match="status 1"):
        media.frames(version, 4)


def test_a_missing_file_is_named_with_advice(filmed_video, store):
    (store / "sources" / "known.mp4").unlink()
    with pytest.raises(ClipUnavailable) as caught:
        media.clip(version_of(filmed_video, window=(1.0, 2.0)))
    assert "known.mp4" in caught.value.reason and caught.value.advice


def test_a_file_that_is_no_video_is_refused(filmed_video, store):
    (store / "sources" / "known.mp4").write_text("no video")
    with pytest.raises(ClipUnavailable, match="cannot be read"):
        media.still(filmed_video, 1.0)


@pytest.mark.parametrize(
    "key", ["../../secret.mp4", "/etc/passwd", "..", "", ".", "a/../../../x.mp4", "known.txt"]
)
def test_a_key_never_leads_out_of_the_store(filmed_video, store, key):
    (store.parent / "secret.mp4").write_bytes(b"x")
    (store / "sources" / "known.txt").write_bytes(b"x")
    Source.objects.update(key=key)
    assert source_access.local_path(Source.objects.get()) is None


def test_a_link_out_of_the_store_is_not_followed(filmed_video, store):
    (store.parent / "secret.mp4").write_bytes(b"x")
    (store / "sources" / "link.mp4").symlink_to(store.parent / "secret.mp4")
    Source.objects.update(key="link.mp4")
    assert source_access.local_path(Source.objects.get()) is None


# YouTube, with a server of our own in its place.


@pytest.fixture
def tube(db, store, film, tmp_path, monkeypatch):
    folder = tmp_path / "tube"
    folder.mkdir()
    (folder / f"{YOUTUBE_ID}.mp4").write_bytes(film.read_bytes())
    with MediaServer(folder) as server:
        site = youtube.Site(
            page=server.url + "/{id}.mp4",
            extractors=("generic",),
            hosts=("127.0.0.1",),
            schemes=("http",),
        )
        monkeypatch.setattr(source_access, "SITE", site)
        yield server


@pytest.fixture
def tube_video(tube):
    bench = factories.benchmark()
    source = factories.source(bench, key=YOUTUBE_ID)
    return factories.video(bench, of=source, start=1.0, end=9.0)


def resolves(monkeypatch) -> list[str]:
    asked = []
    real = youtube.resolve
    monkeypatch.setattr(
        youtube, "resolve", lambda key, **options: asked.append(key) or real(key, **options)
    )
    return asked


def test_a_source_on_youtube_is_resolved_once_for_many_clips(tube_video, monkeypatch):
    asked = resolves(monkeypatch)
    for second in range(4):
        clip = media.clip(version_of(tube_video, window=(second, second + 0.5)))
        assert abs(read_number(ffmpeg.frames(clip.path, [0])[0]) - (1 + second) * 25) <= 1
    media.still(tube_video, 3.0)
    assert asked == [YOUTUBE_ID]


def test_an_expired_address_is_looked_up_again(tube_video, monkeypatch):
    asked = resolves(monkeypatch)
    monkeypatch.setattr(youtube, "DEFAULT_LIFE", -1.0)
    media.clip(version_of(tube_video, window=(1.0, 1.5)))
    media.clip(version_of(tube_video, window=(2.0, 2.5)))
    assert len(asked) == 2


def test_an_address_refused_by_the_server_is_looked_up_once_more(tube_video, tube, monkeypatch):
    asked = resolves(monkeypatch)
    monkeypatch.setattr(source_parts, "HEAD", 512)  # the film has but 11 KB
    media.clip(version_of(tube_video, window=(1.0, 1.5)))
    tube.refuse = [403]
    clip = media.clip(version_of(tube_video, window=(6.0, 6.5)))
    assert clip.frames and len(asked) == 2


def test_a_failure_is_remembered_and_not_asked_for_again(tube_video, tube, monkeypatch):
    asked = resolves(monkeypatch)
    (tube.folder / f"{YOUTUBE_ID}.mp4").unlink()
    for _ in range(5):
        with pytest.raises(ClipUnavailable) as caught:
            media.clip(version_of(tube_video, window=(1.0, 1.5)))
    assert asked == [YOUTUBE_ID]
    assert caught.value.permanent and "removed" in caught.value.reason
    assert "SONOVQA_SOURCES" in caught.value.advice
    assert Source.objects.get().state == "removed"


def test_a_remembered_failure_runs_out(tube_video, tube, monkeypatch):
    asked = resolves(monkeypatch)
    tube.refuse = [503] * 20
    with pytest.raises(ClipUnavailable) as caught:
        media.still(tube_video, 1.0)
    assert not caught.value.permanent
    tube.refuse = []
    later = time.time() + 3600
    monkeypatch.setattr(source_access.time, "time", lambda: later)
    monkeypatch.setattr(youtube.time, "time", lambda: later)
    assert media.still(tube_video, 1.0).exists()
    assert len(asked) == 2


def test_an_operators_file_is_used_instead_of_youtube(
    tube_video, tube, settings, film, tmp_path, monkeypatch
):
    asked = resolves(monkeypatch)
    settings.SOURCES_FOLDER = tmp_path / "own"
    settings.SOURCES_FOLDER.mkdir()
    (settings.SOURCES_FOLDER / f"{YOUTUBE_ID}.mp4").write_bytes(film.read_bytes())
    assert media.clip(version_of(tube_video, window=(1.0, 1.5))).frames
    assert asked == [] and tube.asked == []


def test_a_signed_address_lies_where_others_cannot_read_it(tube_video, store):
    media.still(tube_video, 1.0)
    (kept,) = (store / "addresses").rglob("*.json")
    assert kept.stat().st_mode & 0o077 == 0


def test_a_write_that_fails_leaves_nothing(store):
    target = media_store.place("clips", "ab" * 32, ".mp4")

    def fail(part):
        part.write_bytes(b"half")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        media_store.write_whole(target, fail)
    assert list(target.parent.iterdir()) == []
