"""Whether the order of the fields sways a judge, told apart from chance."""

import random

import pytest

from evaluation.domain.judge_order import Marks, order_effect

NAMES = "abcdef"


def marks(*rows: str) -> Marks:
    """Each row is one marking of answers a, b, …, two of them of each source; "-" is none."""
    return [
        (name, place // 2, int(row[place]))
        for place, name in enumerate(NAMES)
        for row in rows
        if row[place] != "-"
    ]


def test_first_marks_are_compared_and_repeats_tell_what_chance_does() -> None:
    found = order_effect(marks("210210", "2002--", "111111"), marks("110112", "000000"))
    assert (found.answers, found.repeated, found.why) == (6, 6, "")
    share, low, high = found.differ
    assert share == pytest.approx(3 / 6), "a, d and f"
    assert low < share < high
    # The second mark of e and f is of the third marking, which the others' flips leave out.
    assert found.flips[0] == pytest.approx(2 / 6), "b and f"
    assert found.beyond.value == pytest.approx(1 / 6)
    assert found.shift.value == pytest.approx((-1 - 1 + 2) / 6)
    assert found.shift.low < found.shift.value < found.shift.high
    assert (found.shift.n, found.shift.clusters) == (6, 3)


def test_only_answers_marked_in_both_orders_count() -> None:
    found = order_effect(marks("21----", "21----"), marks("-10000"))
    assert (found.answers, found.repeated, found.differ[0]) == (1, 1, 0.0)


@pytest.mark.parametrize(
    ("usual", "other", "words"),
    [
        ([], ["210210"], "no answer in both orders"),
        (["22----"], ["--2222"], "no answer in both orders"),
        ([], [], "no answer in both orders"),
        (["21----"], ["20----"], "one source"),
        (["210210"], ["110211"], "Chance cannot be told"),
        (["222222", "222222"], ["222222"], "no interval"),
    ],
)
def test_what_cannot_be_measured_is_said_in_a_sentence(usual, other, words) -> None:
    found = order_effect(marks(*usual), marks(*other))
    assert words in found.why and found.why.endswith(".")
    assert (found.differ is None) == (not found.answers)
    assert (found.beyond.value is None) == (not found.repeated)


def drawn(order_costs: float, seed: int) -> float:
    """The difference beyond repeats of a judge that flips a fifth of its marks by chance."""
    draw = random.Random(seed)
    usual, other = [], []
    for answer in range(2000):
        true = draw.choice((0, 1, 2))

        def mark(true: int = true) -> int:
            return draw.choice((0, 1, 2)) if draw.random() < 0.2 else true

        source = answer % 40
        usual += [(answer, source, mark()), (answer, source, mark())]
        swayed = draw.random() < order_costs
        other.append((answer, source, max(0, true - 1) if swayed else mark()))
    found = order_effect(usual, other)
    assert found.beyond.low < found.beyond.value < found.beyond.high
    return (found.beyond.low > 0) - (found.beyond.high < 0)


def test_order_is_found_where_it_sways_and_chance_alone_is_not_taken_for_it() -> None:
    assert sum(drawn(0.3, seed) for seed in range(3)) == 3
    assert abs(sum(drawn(0.0, seed) for seed in range(6))) <= 1
