"""What the control conditions show, and what is kept of it with each prediction."""

import base64
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from annotation import media
from annotation.models import ItemVersion
from evaluation.engine.pump import pump
from evaluation.models import Contestant, Prediction, Run, WorkItem
from sonovqa.adapters import ffmpeg_cuts
from sonovqa.adapters.ffmpeg_encode import encode
from tests import factories
from tests.standins.known_film import FPS, SIZE, frame, read_number

pytestmark = pytest.mark.django_db(transaction=True)
HALF = {"roi_x": 0.0, "roi_y": 0.0, "roi_w": 0.5, "roi_h": 1.0}


@pytest.fixture
def films(settings: Any, tmp_path: Path, transactional_db: None) -> Any:
    """A benchmark of three films in the store, with two items each but for the last."""
    settings.MEDIA_STORE = tmp_path / "media"
    settings.SOURCES_FOLDER = None
    sources = settings.MEDIA_STORE / "sources"
    sources.mkdir(parents=True)
    pictures = [np.asarray(frame(number)).tobytes() for number in range(4 * FPS)]
    encode(pictures, sources / "0.mp4", size=SIZE, fps=FPS, crf=20)
    bench = factories.benchmark()
    for number in range(3):
        (sources / f"{number}.mp4").write_bytes((sources / "0.mp4").read_bytes())
        source = factories.source(bench, kind="file", key=f"{number}.mp4")
        video = factories.video(bench, of=source, start=0.0, end=4.0, **HALF)
        window = (0.5, 2.5 - number / 10)
        factories.kept(factories.mcq_item(video, stem=f"What {number}?", window=window))
        if number < 2:
            factories.kept(factories.mcq_item(video, stem=f"And {number}?", window=(1.0, 3.0)))
    return bench


def done(queued: Any, bench: Any, condition: str, **parameters: Any) -> Run:
    Contestant.objects.update(parameters=parameters)
    contestant = Contestant.objects.select_related("provider").get()
    run = queued(benchmark=bench, contestant=contestant, condition=condition)
    assert pump(run.pk)
    run.refresh_from_db()
    return run


def keep_first(bench: Any, count: int) -> None:
    for item in bench.items.order_by("pk")[count:]:
        factories.kept(item, keep=False)


def clips(run: Run) -> list[dict[str, Any]]:
    return [one.extra["clip"] for one in run.predictions.order_by("item_version")]


def test_the_full_frame_is_shown_uncropped(queued: Any, server: Any, films: Any) -> None:
    run = done(queued, films, "full-frame")
    assert run.state == "done" and dict(server.counted.media) == {"video_url": 5}
    assert [clip["size"] for clip in clips(run)] == [list(SIZE)] * 5


def test_a_run_whose_clips_are_cut_otherwise_since_an_upgrade_says_so(
    queued: Any, server: Any, films: Any, client_for: Any, admin_user: Any, monkeypatch: Any
) -> None:
    run = done(queued, films, "video")
    assert all("recipe" not in clip for clip in clips(run))
    before = client_for(admin_user).get(f"/runs/{run.pk}/").content.decode()
    assert "upgraded during the run" not in before

    later = queued(benchmark=films, contestant=run.contestant, condition="video")
    monkeypatch.setattr(media, "RECIPE", media.RECIPE | {"crf": 30})
    assert pump(later.pk)
    assert [clip["recipe"]["crf"] for clip in clips(later)] == [30] * 5
    page = client_for(admin_user).get(f"/runs/{later.pk}/").content.decode()
    assert "upgraded during the run: 5 answers saw clips" in page


def test_a_still_is_the_middle_frame_alone(queued: Any, server: Any, films: Any) -> None:
    keep_first(films, 1)
    run = done(queued, films, "still", frames=9, min_clip_seconds=3.5)
    assert run.state == "done" and dict(server.counted.media) == {"image_url": 1}
    parts = server.counted.last_body["messages"][-1]["content"]
    (address,) = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    jpeg = base64.b64decode(address.partition(",")[2])
    assert Image.open(io.BytesIO(jpeg)).size == (SIZE[0] // 2, SIZE[1])
    assert abs(read_number(jpeg) - 1.5 * FPS) <= 2


def test_shuffled_clips_are_of_other_sources_and_repeat(
    queued: Any, server: Any, films: Any
) -> None:
    run = done(queued, films, "shuffled")
    assert run.state == "done" and dict(server.counted.media) == {"video_url": 5}
    versions = ItemVersion.objects.select_related("item__video__source").in_bulk()
    shown = {}
    for one in run.predictions.all():
        other = versions[one.extra["clip"]["of_version"]]
        own = versions[one.item_version_id]
        assert other.item.video.source_id != own.item.video.source_id
        assert one.clip_sha256 == media.clip(other).sha256
        shown[own.pk] = other.pk
    again = done(queued, films, "shuffled")
    for one in again.predictions.all():
        assert one.extra["clip"]["of_version"] == shown[one.item_version_id]


def test_one_source_gives_no_other_clip(queued: Any, server: Any, films: Any) -> None:
    keep_first(films, 2)
    run = done(queued, films, "shuffled")
    assert not run.predictions.exists()
    failed = run.work_items.filter(state="failed")
    assert failed.count() == 2 and "several sources" in failed[0].error_message


def test_short_clips_are_lengthened_where_the_provider_wants_it(
    queued: Any, server: Any, films: Any
) -> None:
    run = done(queued, films, "video", min_clip_seconds=3.0)
    assert [clip["seconds"] for clip in clips(run)] == [3.0] * 5
    assert [clip["frames"] for clip in clips(run)] == [45] * 5
    assert all(clip["bytes"] > 500 for clip in clips(run))


def test_they_are_sent_as_they_are_otherwise(queued: Any, server: Any, films: Any) -> None:
    run = done(queued, films, "video")
    assert [clip["seconds"] for clip in clips(run)] == [2.0, 2.0, 1.867, 2.0, 1.8]
    assert all(one.clip_sha256 for one in Prediction.objects.all())


def test_windows_of_one_video_are_cut_together_and_settled_one_by_one(
    queued: Any, server: Any, films: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[int] = []
    real = ffmpeg_cuts.cut_together

    def counted(source: Any, targets: Any) -> Any:
        runs.append(len(targets))
        return real(source, targets)

    monkeypatch.setattr(ffmpeg_cuts, "cut_together", counted)
    run = done(queued, films, "video")
    assert sorted(runs) == [1, 2, 2]
    assert WorkItem.objects.filter(run=run, stage="clip", state="done").count() == 5


def test_the_page_of_a_run_says_why_clips_cannot_be_had_and_what_to_do(
    queued: Any, server: Any, films: Any, admin_user: Any, client: Any, settings: Any
) -> None:
    (settings.MEDIA_STORE / "sources" / "1.mp4").unlink()
    run = done(queued, films, "video")
    WorkItem.objects.filter(run=run, error_class="clip").update(not_before=None)
    client.force_login(admin_user)
    page = client.get(f"/runs/{run.pk}/").content.decode()
    assert "2 × The file 1.mp4 is not in the store. Put it back below" in page
