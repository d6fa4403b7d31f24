"""Every rotation of an MCQ's options, and the rule by which they are one score."""

import pytest

from evaluation.domain.circular import circular_score, turned


def test_each_option_stands_once_in_each_place() -> None:
    turns = [turned([2, 0, 3, 1], turn) for turn in range(4)]
    assert turns[0] == [2, 0, 3, 1]
    for place in range(4):
        assert sorted(turn[place] for turn in turns) == [0, 1, 2, 3]


def test_an_empty_order_stays_empty() -> None:
    assert turned([], 3) == []


@pytest.mark.parametrize(
    ("scores", "turns", "score"),
    [
        ([1, 1, 1, 1], 4, 1), ([1, 1, 0, 1], 4, 0), ([0, 0, 0, 0], 4, 0),
        ([1, 1, None, 1], 4, None), ([1, 1, 1], 4, None), ([0, None], 4, 0), ([], 4, None),
        ([], 0, None),
    ],
)  # fmt: skip
def test_right_is_only_what_is_right_in_every_rotation(scores, turns, score) -> None:
    assert circular_score(scores, turns) == score
