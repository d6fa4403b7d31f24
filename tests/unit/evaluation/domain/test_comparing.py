"""Paired differences by slice, and the quadrants of who is right."""

import numpy as np
import pytest

from evaluation.domain.comparing import NotComparable, Pairing, slice_differences
from evaluation.domain.uncertainty import paired_difference

SOURCES = np.array([0, 0, 1, 1, 2, 2, 3, 3])
A = np.array([1, 1, 1, 0, 1, 0, 1, 1.0])
B = np.array([0, 1, 0, 0, 1, 1, 0, 1.0])


def sums(scores: np.ndarray) -> dict:
    part = {
        "sizes": np.bincount(SOURCES).tolist(),
        "sums": np.bincount(SOURCES, weights=scores).tolist(),
    }
    return {"sources": [5, 6, 7, 8], **part, "by_type": {"T1": part}}


def test_it_equals_the_difference_computed_from_single_items() -> None:
    found = slice_differences(sums(A), sums(B))
    direct = paired_difference(A, B, SOURCES)
    assert [(one.group, one.label) for one in found] == [("all", ""), ("type", "T1")]
    for one in found:
        assert one.difference == pytest.approx(direct) or one.difference == direct
    assert direct.mean == pytest.approx(2 / 8)


def test_swapping_turns_the_sign_round() -> None:
    forth, back = slice_differences(sums(A), sums(B))[0], slice_differences(sums(B), sums(A))[0]
    assert forth.difference.mean == -back.difference.mean
    assert forth.difference.p == back.difference.p


def test_a_slice_that_one_entry_lacks_is_left_out() -> None:
    other = sums(B) | {"by_type": {}}
    assert [one.group for one in slice_differences(sums(A), other)] == ["all"]


@pytest.mark.parametrize("change", [{"sources": [1, 2, 3, 4]}, {"sizes": [1, 2, 3, 2]}])
def test_other_items_are_not_comparable(change: dict) -> None:
    with pytest.raises(NotComparable):
        slice_differences(sums(A), sums(B) | change)


@pytest.fixture
def pairing() -> Pairing:
    return Pairing(
        versions=np.arange(10, 15),
        kinds=np.array([0, 0, 0, 1, 1]),
        types=np.array([0, 0, 1, 1, 1]),
        type_names=("T1", "T2"),
        a=np.array([1.0, 0.0, 1.0, 0.5, 1.0]),
        b=np.array([1.0, 1.0, np.nan, 1.0, 0.5]),
    )


def test_each_item_lies_in_one_quadrant(pairing: Pairing) -> None:
    assert pairing.counts("mcq") == {"only-a": 1, "only-b": 1, "both": 1, "neither": 0}
    assert pairing.counts("free") == {"only-a": 1, "only-b": 1, "both": 0, "neither": 0}


def test_a_missing_or_partial_score_is_not_right(pairing: Pairing) -> None:
    assert pairing.places("mcq", "only-a").tolist() == [2]
    assert pairing.places("free", "only-b").tolist() == [3]


def test_types_narrow_and_an_unknown_type_has_no_items(pairing: Pairing) -> None:
    assert pairing.places("mcq", "", "T1").tolist() == [0, 1]
    assert pairing.places("mcq", "", "no such type").tolist() == []
