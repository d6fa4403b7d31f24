"""A small imported benchmark and replies to it."""

import pytest

from annotation.actions.trail import IMPORT
from annotation.importer import import_benchmark
from annotation.models import Benchmark
from tests import layout


@pytest.fixture
def bench(tmp_path, db):
    import_benchmark(layout.benchmark(tmp_path / "clone"), slug="b", by=IMPORT)
    return Benchmark.objects.get(slug="b")


@pytest.fixture
def folder(tmp_path):
    """Judged replies to everything: MCQs A (right) and B, C (wrong), free 2 and 0 points."""
    for name in ("V_0_Kidney", "V_1_Kidney"):
        mcqs = [layout.reply(layout.mcq(i), "ABC"[i], eval_score=1) for i in range(3)]
        layout.write(tmp_path / f"mcq/score_pred_{name}.json", mcqs)
        frees = [layout.judged(layout.free(0), 2), layout.judged(layout.free(1), 0)]
        layout.write(tmp_path / f"free/score_pred_{name}.json", frees)
    layout.write(tmp_path / "mcq/batch_summary.json", {"total_items": 6})
    return tmp_path
