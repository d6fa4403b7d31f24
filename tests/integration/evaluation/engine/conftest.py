"""A stand-in model server, and a run of a small benchmark on it."""

from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluation.actions.runs import create_run, start_run
from evaluation.models import Contestant, Provider, Run
from sonovqa.adapters.ffmpeg_encode import encode
from tests import factories
from tests.standins.known_film import FPS, SIZE, frame
from tests.standins.model_server import ModelServer


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def contestant(server: ModelServer, transactional_db: None) -> Contestant:
    """A priced model on the stand-in, which may judge too: $1 and $2 a million tokens."""
    provider = Provider.objects.create(
        name="stand-in",
        dialect="openai_compatible",
        base_url=f"{server.url}/v1",
        max_in_flight=16,
        timeout_seconds=120,  # a busy machine is slow, not wrong
    )
    return Contestant.objects.create(
        name="Stand-in 1", slug="stand-in-1", provider=provider, model_id="m-1", can_judge=True,
        price_in=Decimal(1), price_out=Decimal(2),
    )  # fmt: skip


@pytest.fixture
def queued(contestant: Contestant, admin_user: Any) -> Callable[..., Run]:
    """Return a function that queues a blind, judged run on `videos` × (an MCQ, a free one)."""

    def make(*, videos: int = 6, start: bool = True, **options: Any) -> Run:
        bench = options.pop("benchmark", None) or distinct_benchmark(videos)
        release = bench.releases.first() or factories.release(bench)
        chosen = {"contestant": contestant, "condition": "blind", "judge": contestant}
        run = create_run(benchmark=bench, release=release, by=admin_user, **{**chosen, **options})
        return start_run(run=run, by=admin_user) if start else run

    return make


def distinct_benchmark(videos: int) -> Any:
    """A benchmark whose stems all differ, so that the stand-in tells its items apart."""
    bench = factories.benchmark()
    for number in range(videos):
        video = factories.video(bench)
        factories.kept(factories.mcq_item(video, stem=f"What happens in step {number}?"))
        factories.kept(factories.free_item(video, stem=f"Why is step {number} done?"))
    return bench


@pytest.fixture
def filmed(settings: Any, tmp_path: Path, transactional_db: None) -> Any:
    """A benchmark of one video in the store with two items."""
    settings.MEDIA_STORE = tmp_path / "media"
    settings.SOURCES_FOLDER = None
    sources = settings.MEDIA_STORE / "sources"
    sources.mkdir(parents=True)
    pictures = (np.asarray(frame(number)).tobytes() for number in range(4 * FPS))
    encode(pictures, sources / "known.mp4", size=SIZE, fps=FPS, crf=20)
    bench = factories.benchmark()
    source = factories.source(bench, kind="file", key="known.mp4")
    video = factories.video(bench, of=source, start=0.0, end=4.0)
    factories.kept(factories.mcq_item(video, window=(0.5, 2.5)))
    factories.kept(factories.mcq_item(video, stem="And then?", window=(1.0, 3.0)))
    return bench
