"""Agreement against scikit-learn, Krippendorff's published example, and by hand."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from annotation.domain import agreement
from annotation.domain.agreement import (
    Rating,
    cohen_kappa,
    coincidences,
    contingency,
    mean_overlap,
    nominal_alpha,
    ordinal_alpha,
    raw_agreement,
    reader_pairs,
    repeats,
    window_iou,
)
from annotation.domain.clips import Span

# Four observers, twelve units, values 1 to 5, with gaps: Krippendorff 2004, chapter 11.
PUBLISHED = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")


def published() -> list[Rating]:
    return [
        Rating(unit, reader, int(sign) - 1, unit)
        for reader, row in enumerate(PUBLISHED)
        for unit, sign in enumerate(row)
        if sign != "."
    ]


def pair(first: list[int], second: list[int], clusters: list[int] | None = None) -> list[Rating]:
    sources = clusters or list(range(len(first)))
    return [
        Rating(unit, reader, value, sources[unit])
        for reader, values in (("a", first), ("b", second))
        for unit, value in enumerate(values)
    ]


def test_alpha_is_that_of_the_published_example():
    tables = coincidences(published(), 5)

    assert tables.n == 11  # the twelfth unit has one value and is not compared
    assert tables.by_cluster.sum() == pytest.approx(40)
    assert tables.figure(nominal_alpha).value == pytest.approx(0.743, abs=5e-4)
    assert tables.figure(ordinal_alpha).value == pytest.approx(0.815, abs=5e-4)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=40))
def test_kappa_is_that_of_scikit_learn(said):
    first, second = [one for one, _ in said], [other for _, other in said]
    value = contingency(pair(first, second), ("a", "b"), 3).figure(cohen_kappa).value

    if len({*first, *second}) == 1:
        assert value is None
    else:
        assert value == pytest.approx(cohen_kappa_score(first, second, labels=[0, 1, 2]))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.integers(0, 2), min_size=0, max_size=4), min_size=1, max_size=20))
def test_alpha_is_what_its_definition_gives_pair_by_pair(units):
    ratings = [
        Rating(unit, reader, value, 0)
        for unit, values in enumerate(units)
        for reader, value in enumerate(values)
    ]
    found = coincidences(ratings, 3).figure(nominal_alpha).value

    pairable = [values for values in units if len(values) > 1]
    flat = [value for values in pairable for value in values]
    n = len(flat)
    apart = sum(
        (one != other) / (len(values) - 1)
        for values in pairable
        for i, one in enumerate(values)
        for j, other in enumerate(values)
        if i != j
    )
    by_chance = sum(one != other for one in flat for other in flat)
    expected = None if not by_chance else 1 - (n - 1) * apart / by_chance
    assert found == (None if expected is None else pytest.approx(expected))


def test_raw_agreement_counts_pairs():
    tables = coincidences(pair([0, 1, 2, 2], [0, 1, 2, 0]), 3)

    assert tables.figure(raw_agreement).value == pytest.approx(0.75)
    assert tables.n == 4


def test_intervals_are_seeded_and_hold_the_value():
    rng = np.random.default_rng(1)
    first = rng.integers(0, 2, 200)
    second = np.where(rng.random(200) < 0.8, first, 1 - first)
    clusters = [unit // 5 for unit in range(200)]
    tables = contingency(pair(list(first), list(second), clusters), ("a", "b"), 2)

    one, again = tables.figure(cohen_kappa), tables.figure(cohen_kappa)
    assert one == again
    assert one.low < one.value < one.high
    assert (one.n, one.clusters) == (200, 40)
    assert tables.figure(cohen_kappa, seed=2).low != one.low


def test_an_interval_covers_about_as_often_as_it_says():
    rng = np.random.default_rng(7)
    inside = 0
    for _ in range(120):
        values = np.clip(rng.normal(0.6, 0.05, 30).repeat(4) + rng.normal(0, 0.1, 120), 0, 1)
        found = mean_overlap(list(values), [place // 4 for place in range(120)])
        inside += found.low <= 0.6 <= found.high
    assert inside >= 105  # 95 % of 120 is 114


def test_very_many_sources_are_drawn_in_groups():
    rng = np.random.default_rng(3)
    values = list(rng.random(6_000))
    found = mean_overlap(values, list(range(6_000)))
    half = 1.96 * np.std(values) / np.sqrt(6_000)

    assert found.clusters == 6_000
    assert (found.high - found.low) / 2 == pytest.approx(half, rel=0.1)


def test_a_clustered_interval_is_wider_than_one_that_forgets_the_sources():
    values = [0.2] * 10 + [0.9] * 10 + [0.5] * 10 + [0.7] * 10
    clustered = mean_overlap(values, [place // 10 for place in range(40)])
    apart = mean_overlap(values, list(range(40)))

    assert clustered.high - clustered.low > 1.5 * (apart.high - apart.low)


def test_perfect_agreement_is_not_taken_for_certainty():
    tables = coincidences(pair([0, 1, 0, 1, 1], [0, 1, 0, 1, 1]), 2)

    raw, alpha = tables.figure(raw_agreement), tables.figure(nominal_alpha)
    assert raw.value == alpha.value == 1
    assert 0.4 < raw.low < 0.7
    assert raw.high == pytest.approx(1)
    assert alpha.low is None


@pytest.mark.parametrize(
    ("ratings", "n"),
    [([], 0), ([Rating(1, "a", 0, 1)], 0), (pair([1, 1], [1, 1]), 2)],
)
def test_where_nothing_varies_there_is_no_coefficient(ratings, n):
    found = coincidences(ratings, 2).figure(nominal_alpha)

    assert found.value is None
    assert found.n == n


def test_one_source_gives_no_interval():
    found = coincidences(pair([0, 1], [0, 0], [1, 1]), 2).figure(raw_agreement)

    assert (found.value, found.low, found.high) == (0.5, None, None)


def test_a_reader_against_himself():
    said = [(1, 0), (1, 0), (2, 1), (2, 0), (3, 1), (3, 1), (4, 0)]
    tables = repeats([Rating(unit, "a", value, unit) for unit, value in said], 2)

    assert tables.n == 3
    assert tables.figure(raw_agreement).value == pytest.approx(2 / 3)


@pytest.mark.parametrize("value", [-1, 3])
def test_a_value_that_is_no_verdict_is_refused(value):
    with pytest.raises(ValueError, match="none of 3"):
        coincidences([Rating(1, "a", value, 1)], 3)


def test_a_unit_rated_twice_by_one_reader_is_refused():
    with pytest.raises(ValueError, match="twice"):
        coincidences([Rating(1, "a", 0, 1), Rating(1, "a", 1, 1)], 3)


def test_pairs_of_readers_are_counted_once():
    ratings = [Rating(1, "b", 0, 1), Rating(1, "a", 0, 1), Rating(2, "a", 0, 1)]
    ratings += [Rating(2, "b", 1, 1), Rating(2, "c", 1, 1)]

    assert reader_pairs(ratings) == {("a", "b"): 2, ("a", "c"): 1, ("b", "c"): 1}


@pytest.mark.parametrize(
    ("one", "other", "iou"),
    [((0, 2), (1, 3), 1 / 3), ((0, 1), (2, 3), 0), ((1, 2), (1, 2), 1), ((0, 4), (1, 2), 0.25)],
)
def test_overlap_of_windows(one, other, iou):
    assert window_iou(Span(*one), Span(*other)) == pytest.approx(iou)
    assert window_iou(Span(*other), Span(*one)) == pytest.approx(iou)


@given(st.lists(st.floats(0, 50), min_size=4, max_size=4))
def test_overlap_is_a_share(ends):
    one, other = Span(*sorted(ends[:2])), Span(*sorted(ends[2:]))
    assert 0 <= window_iou(one, other) <= 1 and not math.isnan(window_iou(one, other))


def test_no_overlaps_give_no_figure():
    assert mean_overlap([], []) == agreement.NOTHING
