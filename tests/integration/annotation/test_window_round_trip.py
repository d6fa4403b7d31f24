"""A window that is drawn, saved, exported and imported is drawn where it was."""

import itertools
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.actions.items import edit_item
from annotation.domain import edits
from annotation.domain.clock import clock
from annotation.exporter import export_benchmark
from annotation.importer import import_benchmark
from annotation.models import Benchmark, Item
from tests import layout

pytestmark = pytest.mark.django_db
counter = itertools.count()


@settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.floats(0, 0.9), st.floats(0.01, 1), st.booleans())
def test_draw_save_export_import_draw(
    tmp_path: Path, maintainer: Any, first: float, share: float, past: bool
):
    number = next(counter)
    folder = layout.benchmark(tmp_path / f"in-{number}", videos=1)
    import_benchmark(folder, slug=f"first-{number}", by=maintainer)
    item = Item.objects.filter(benchmark__slug=f"first-{number}").select_related("video").first()
    assert item is not None
    segment = item.video.end - item.video.start
    start = round(first * segment, 2)  # edges are drawn to hundredths
    end = round(start + max(0.2, share * (segment - start)), 2)
    end = min(end, segment) + (0.35 if past else 0.0)
    assert edits.window_errors({"start": start, "end": end}, segment) == {}
    edit_item(
        item_id=item.pk,
        base_version=1,
        changes={"start": start, "end": end},
        reason="window",
        by=maintainer,
    )

    out = tmp_path / f"out-{number}"
    export_benchmark(Benchmark.objects.get(slug=f"first-{number}"), out)
    import_benchmark(out, slug=f"second-{number}", by=maintainer)

    again = Item.objects.get(
        benchmark__slug=f"second-{number}", kind=item.kind, position=item.position
    )
    assert again.current is not None
    assert (again.start, again.end) == (again.current.start, again.current.end) == (start, end)
    assert (clock(again.start), clock(again.end)) == (clock(start), clock(end))
