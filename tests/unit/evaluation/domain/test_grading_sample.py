"""The draw of answers to grade: seeded, every stratum seen, weights that add up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.domain.grading_sample import Candidate, draw_sample, order_for, share_out


def answers(*counts: tuple[str, int, int]) -> list[Candidate]:
    rows = [(model, score) for model, score, count in counts for _ in range(count)]
    return [Candidate(number, score, model) for number, (model, score) in enumerate(rows)]


MANY = answers(("a", 0, 40), ("a", 1, 200), ("a", 2, 3), ("b", 0, 90), ("b", 1, 10))


def test_the_same_seed_draws_the_same_whatever_the_order_of_rows():
    first = draw_sample(MANY, size=50, seed=7)
    assert first == draw_sample(MANY[::-1], size=50, seed=7)
    assert first.answers != draw_sample(MANY, size=50, seed=8).answers


def test_rare_strata_are_seen_and_weights_give_the_population_back():
    drawn = draw_sample(MANY, size=50, seed=1)
    by_name = {(one.model, one.score): one for one in drawn.strata}
    assert by_name["a", 2].drawn == 3 and by_name["a", 2].weight == 1
    assert {by_name[name].drawn for name in by_name if name != ("a", 2)} <= {10, 12, 13}
    weights = [drawn.strata[stratum].weight for _, stratum in drawn.answers]
    assert len(weights) == 50 and sum(weights) == pytest.approx(len(MANY))
    for prediction, stratum in drawn.answers:
        assert MANY[prediction].score == drawn.strata[stratum].score


@given(st.lists(st.integers(1, 60), min_size=1, max_size=12), st.integers(1, 400))
def test_share_out_gives_all_there_is_room_for_and_evenly(populations, size):
    given_ = share_out(size, populations)
    assert sum(given_) == min(size, sum(populations))
    assert all(got <= most for got, most in zip(given_, populations, strict=True))
    open_ = [got for got, most in zip(given_, populations, strict=True) if got < most]
    assert not open_ or max(given_) - min(open_) <= 1


def test_a_draw_that_would_miss_a_stratum_or_has_nothing_is_refused():
    with pytest.raises(ValueError, match="5 strata"):
        draw_sample(MANY, size=4, seed=1)
    with pytest.raises(ValueError, match="no judged free response"):
        draw_sample([], size=100, seed=1)


def test_graders_meet_the_same_answers_in_orders_of_their_own():
    first, second = (order_for(range(30), seed=3, ordinal=number) for number in (0, 1))
    assert sorted(first) == sorted(second) == list(range(30))
    assert first != second and first == order_for(range(30), seed=3, ordinal=0)
