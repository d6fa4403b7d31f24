"""Replies brought in from files, and the scores that they have then."""

from pathlib import Path
from typing import Any

from annotation.actions.trail import IMPORT
from annotation.models import Benchmark
from evaluation.importer import import_predictions
from evaluation.models import Prediction


def bring(path: Path, bench: Benchmark, **options: Any) -> Any:
    return import_predictions(path, benchmark=bench, **{"model": "M", "by": IMPORT} | options)


def scores(kind: str = "mcq") -> list[float | None]:
    """In the order of the items."""
    rows = Prediction.objects.filter(item_version__item__kind=kind)
    return list(rows.order_by("item_version__item__position").values_list("score", flat=True))
