"""Readers against themselves: second looks and first votes."""

import pytest

from annotation.models import Review, Turn
from annotation.queries.agreement import agreement
from annotation.queries.round_agreement import self_agreement
from tests import factories

pytestmark = pytest.mark.django_db


def looked_twice(round_, place, reader, first, second):
    for repeat, verdict in enumerate((first, second)):
        review = Review.objects.create(
            item=place.item,
            item_version=factories.current(place.item),
            reviewer=reader,
            verdict=verdict,
            purpose="repeat" if repeat else "vote",
        )
        Turn.objects.create(
            round=round_,
            round_item=place,
            reader=reader,
            repeat=repeat,
            state="done",
            review=review,
        )


def test_figures_by_reader_and_type(reviewer, reviewer_2):
    bench = factories.benchmark()
    items = [factories.mcq_item(factories.video(bench)) for _ in range(4)]
    items.append(factories.free_item(factories.video(bench)))
    round_ = factories.review_round(bench, items, [reviewer, reviewer_2], votes_wanted=2)
    places = list(round_.items.order_by("position"))
    for place, second in zip(places, ("keep", "keep", "drop", "drop", "keep"), strict=True):
        looked_twice(round_, place, reviewer, "keep", second)
    looked_twice(round_, places[0], reviewer_2, "drop", "drop")
    report = self_agreement(round_)
    assert report.total.raw.n == 6
    assert report.total.raw.value == pytest.approx(4 / 6)
    # By hand: po = 4/6; first 5 keep 1 drop, then 3 keep 3 drop: pe = (5*3 + 1*3) / 36 = 1/2.
    assert report.total.kappa.value == pytest.approx((4 / 6 - 1 / 2) / (1 - 1 / 2))
    assert [(row.name, row.raw.n) for row in report.readers] == [("reviewer", 5), ("reviewer-2", 1)]
    assert sorted(row.raw.n for row in report.types) == [1, 5]
    assert report.total.raw.low is not None

    of_benchmark = agreement(bench)
    assert of_benchmark.again.n == 6
    assert of_benchmark.again.value == pytest.approx(4 / 6)
    assert of_benchmark.again_kappa.value == pytest.approx(1 / 3)


def test_a_round_without_second_looks_has_no_figures(reviewer):
    bench = factories.benchmark()
    round_ = factories.review_round(bench, [factories.mcq_item(factories.video(bench))], [reviewer])
    report = self_agreement(round_)
    assert (report.total.raw.n, report.readers, report.types) == (0, [], [])
