"""A box that is drawn, saved, exported and imported is drawn in the same pixels."""

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.actions.videos import change_roi
from annotation.domain.roi import Roi
from annotation.exporter import export_benchmark
from annotation.importer import import_benchmark
from annotation.models import Benchmark, Video
from tests import layout

pytestmark = pytest.mark.django_db
SIZES = [(1280, 720), (640, 480), (854, 480), (1918, 1079)]
counter = itertools.count()


@st.composite
def drawn(draw: st.DrawFn) -> tuple[tuple[int, int, int, int], tuple[int, int]]:
    width, height = draw(st.sampled_from(SIZES))
    w, h = draw(st.integers(24, width)), draw(st.integers(24, height))
    x, y = draw(st.integers(0, width - w)), draw(st.integers(0, height - h))
    return (x, y, w, h), (width, height)


def roi_of(video: Video) -> Roi:
    return Roi(video.roi_x, video.roi_y, video.roi_w, video.roi_h)


@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(drawn())
def test_draw_save_export_import_draw(tmp_path: Path, maintainer: Any, case: Any):
    pixels, (width, height) = case
    number = next(counter)
    folder = layout.benchmark(tmp_path / f"in-{number}", videos=1)
    import_benchmark(folder, slug=f"first-{number}", by=maintainer)
    video = Video.objects.get(benchmark__slug=f"first-{number}")
    roi = Roi.from_pixels(*pixels, width=width, height=height)
    change_roi(video_id=video.pk, base_version=video.version, roi=roi, reason="", by=maintainer)

    out = tmp_path / f"out-{number}"
    export_benchmark(Benchmark.objects.get(slug=f"first-{number}"), out)
    import_benchmark(out, slug=f"second-{number}", by=maintainer)

    written = json.loads((out / "video_metadata_new.json").read_text())
    again = Video.objects.get(benchmark__slug=f"second-{number}")
    assert Roi.from_props(written[video.name]["roi"]) == roi
    assert roi_of(again).to_pixels(width=width, height=height) == pixels
    versions = {item.current for item in again.items.select_related("current")}
    assert {(v.roi_x, v.roi_y, v.roi_w, v.roi_h) for v in versions} == {roi.fractions}
