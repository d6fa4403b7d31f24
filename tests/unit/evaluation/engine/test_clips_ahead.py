"""How many clips a pump claims at once. Plain arithmetic."""

from evaluation.engine.clips_ahead import AT_ONCE, MOST, ClipsAhead


def test_one_clip_a_core_until_it_is_known_how_long_they_take() -> None:
    assert ClipsAhead().count == AT_ONCE


def test_clips_that_have_to_be_cut_are_claimed_as_they_are_cut() -> None:
    ahead = ClipsAhead()
    for _ in range(20):
        ahead.note(0.7)
    assert ahead.count == AT_ONCE


def test_kept_clips_are_claimed_in_large_handfuls_and_never_more_than_the_most() -> None:
    ahead = ClipsAhead()
    for _ in range(40):
        ahead.note(0.0)
    assert ahead.count == MOST


def test_a_slow_clip_after_quick_ones_is_felt_at_once() -> None:
    ahead = ClipsAhead()
    for _ in range(40):
        ahead.note(0.002)
    assert ahead.count > 10 * AT_ONCE
    ahead.note(1.0)
    assert ahead.count == AT_ONCE
