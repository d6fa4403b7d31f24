import pytest

from annotation.domain import shortcuts

OPTIONS = ["Slide the probe.", "Press harder", "Raise the overall gain of the image.", "Freeze."]


def test_each_rule_picks_its_option() -> None:
    assert shortcuts.first(OPTIONS) == 0
    assert shortcuts.shortest(OPTIONS) == 3
    assert shortcuts.longest(OPTIONS) == 2
    assert shortcuts.only_without_full_stop(OPTIONS) == 1
    assert shortcuts.punctuation_then_length(OPTIONS) == 1


def test_ties_go_to_the_option_that_comes_first() -> None:
    assert shortcuts.shortest(["aa", "bb", "ccc"]) == 0
    assert shortcuts.longest(["a", "bbb", "ccc"]) == 1


def test_without_a_single_bare_option_the_shortest_is_picked() -> None:
    assert shortcuts.only_without_full_stop(["Slide", "Press", "Go."]) is None
    assert shortcuts.punctuation_then_length(["Slide", "Go", "Press."]) == 1


def test_spaces_around_an_option_do_not_count() -> None:
    assert shortcuts.only_without_full_stop(["Slide. ", "Press", "Go.\n"]) == 1
    assert shortcuts.shortest(["Slide          ", "Pressing"]) == 0


def test_flags_name_the_marks_of_the_key_alone() -> None:
    assert [flag.badge for flag in shortcuts.flags(OPTIONS, 1)] == ["No full stop"]
    assert [flag.badge for flag in shortcuts.flags(["Slide.", "Go", "Press."], 1)] == [
        "No full stop",
        "Shortest",
    ]
    assert shortcuts.flags(OPTIONS, 0) == ()


@pytest.mark.parametrize("rule", shortcuts.RULES.values())
def test_no_options_is_refused(rule: shortcuts.Rule) -> None:
    with pytest.raises(ValueError, match="at least one option"):
        rule([])


def test_rules_are_scored_best_first_and_chance_is_the_mean_share() -> None:
    items = [(OPTIONS, 1), (["a.", "b.", "cc."], 0)]
    best = shortcuts.score_rules(items)[0]
    assert (best.name, best.correct, best.n) == ("punctuation-length", 2, 2)
    assert shortcuts.chance(items) == pytest.approx((1 / 4 + 1 / 3) / 2)
    assert shortcuts.chance([]) is None
