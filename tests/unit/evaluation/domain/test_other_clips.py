"""Another item's clip, drawn by seed."""

from hypothesis import given
from hypothesis import strategies as st

from evaluation.domain.other_clips import Candidate, other_clip

sources = st.lists(st.integers(0, 4), min_size=1, max_size=30)


def items(of: list[int]) -> list[Candidate]:
    return [Candidate(100 + n, n, source, 9.0) for n, source in enumerate(of)]


@given(sources, st.integers(0, 2**31))
def test_the_clip_is_never_of_the_same_source_and_always_found(of, seed):
    among = items(of)
    for own in among:
        drawn = other_clip(own, among, seed=seed)
        assert (drawn is None) == (len(set(of)) == 1)
        assert drawn is None or (drawn.source != own.source and drawn in among)
        assert drawn == other_clip(own, among, seed=seed)


def test_a_rare_other_source_is_found():
    among = items([0] * 5000 + [1])
    assert other_clip(among[0], among, seed=1) == among[-1]


def test_another_seed_draws_others_and_all_are_drawn():
    among = items([n % 10 for n in range(100)])
    first = [other_clip(own, among, seed=1) for own in among]
    second = [other_clip(own, among, seed=2) for own in among]
    assert sum(a == b for a, b in zip(first, second, strict=True)) < 10
    assert len(set(first)) > 50
