"""The rule of the pooled row: majority, a seeded draw for ties, abstention as a vote."""

from hypothesis import given
from hypothesis import strategies as st

from evaluation.domain.pooling import Pooled, pool_choices, public_code


def test_most_readers_decide():
    assert pool_choices([1, 2, 2], "x") == Pooled(2, tied=False)


def test_a_tie_is_drawn_the_same_way_every_time_and_both_ways_over_items():
    assert pool_choices([0, 3], "x") == pool_choices([3, 0], "x")
    drawn = [pool_choices([0, 3], str(item)).chosen for item in range(400)]
    assert set(drawn) == {0, 3} and 140 < drawn.count(0) < 260


def test_could_not_tell_wins_only_above_every_option():
    assert pool_choices([None, None, 1], "x") == Pooled(None, tied=False)
    assert pool_choices([None, 1], "x") == Pooled(1, tied=False)
    assert pool_choices([None], "x") == Pooled(None, tied=False)


@given(st.lists(st.none() | st.integers(0, 9), min_size=1, max_size=9), st.text())
def test_what_is_pooled_was_said_by_somebody(choices, item):
    pooled = pool_choices(choices, item)
    assert pooled.chosen in choices
    assert pooled == pool_choices(choices[::-1], item)


def test_the_public_code_hides_the_pseudonym():
    code = public_code("0" * 32)
    assert len(code) == 8 and code not in "0" * 32 and code != public_code("1" * 32)
