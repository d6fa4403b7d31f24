"""Two people import the same folder at the same moment."""

import threading
from collections.abc import Callable

import pytest
from django.db import connection

from annotation.actions.trail import IMPORT
from annotation.importer import import_benchmark
from annotation.models import Benchmark, Item, ItemVersion, Release, ReleaseItem
from evaluation.importer import import_predictions
from evaluation.models import Judgement, Prediction, Run
from tests import layout

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(work: Callable[[], object], times: int = 3) -> list[BaseException]:
    errors: list[BaseException] = []
    gate = threading.Barrier(times)

    def run() -> None:
        try:
            gate.wait(60)
            work()
        except BaseException as error:  # noqa: BLE001  (it is handed to the test)
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


def test_a_benchmark_comes_in_once(tmp_path):
    folder = layout.benchmark(tmp_path, videos=4)

    errors = at_once(lambda: import_benchmark(folder, slug="b", by=IMPORT))

    assert errors == []
    assert (Item.objects.count(), ItemVersion.objects.count()) == (20, 20)
    assert Release.objects.get().release_items.count() == ReleaseItem.objects.count() == 20
    places = Item.objects.order_by("position").values_list("position", flat=True)
    assert list(places) == list(range(20))


def test_predictions_come_in_once(tmp_path):
    import_benchmark(layout.benchmark(tmp_path / "in"), slug="b", by=IMPORT)
    bench = Benchmark.objects.get()
    replies = tmp_path / "replies"
    for name in ("V_0_Kidney", "V_1_Kidney"):
        layout.write(replies / f"score_pred_{name}.json", [layout.judged(layout.free(0), 1)])

    errors = at_once(lambda: import_predictions(replies, benchmark=bench, model="M", by=IMPORT))

    assert errors == []
    run = Run.objects.get(origin="import")
    assert Prediction.objects.filter(run=run).count() == 2
    assert Judgement.objects.count() == 2
    assert run.entries.filter(published_at__isnull=False).exists()
