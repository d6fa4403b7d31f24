import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import binom_test

from annotation.domain.audit.features import measures
from annotation.domain.audit.items import keyed
from annotation.domain.audit.rule_scores import score_rules, tail
from annotation.domain.audit.rules import RULES, SILENT, picks, usual_mark
from tests.unit.annotation.domain.audit.made import mcq


def picked(*items):
    mcqs = keyed(items)
    return {rule.name: found.tolist() for rule, found in picks(mcqs, measures(mcqs)).items()}


def test_rules_have_one_name_each():
    assert len({rule.name for rule in RULES}) == len(RULES)


@pytest.mark.parametrize(
    ("rule", "options"),
    [
        ("only-with-full-stop", ("Slide up", "Slide down.", "Turn", "Wait")),
        ("fewest-words", ("Slide it up", "Waiting", "Turn it on", "Stand by it")),
        ("odd-length", ("four", "a very long option", "five", "more")),
        ("most-hedges", ("Slide up", "It may usually slide", "Turn", "Wait")),
        ("most-absolutes", ("Slide up", "Always slide", "Turn", "Wait")),
        ("most-like-stem", ("Slide up", "The plane shown", "Turn", "Wait")),
        ("odd-one-out", ("Slide the probe", "Wait", "Turn the probe", "Raise the probe")),
        ("most-numerals", ("Slide up", "Turn by 90", "Turn", "Wait")),
        ("most-capitals", ("Slide up", "Use MSK Doppler", "Turn", "Wait")),
        ("only-small-start", ("Slide up", "slide down", "Turn", "Wait")),
        ("always-b", ("Slide up", "slide down", "Turn", "Wait")),
    ],
)
def test_a_rule_picks_its_option(rule, options):
    assert picked(mcq(options=options))[rule] == [1]


def test_a_rule_is_silent_where_options_do_not_differ():
    found = picked(mcq(options=("aaaa", "bbbb", "cccc", "dddd")))
    assert found["most-hedges"] == found["odd-length"] == found["most-numerals"] == [SILENT]


def test_rules_of_places_end_with_the_options():
    assert "always-d" in picked(mcq())
    assert "always-e" not in picked(mcq())


def test_repeats_over_items_and_unusual_marks():
    common = ("Slide up", "Turn", "Wait a bit", "Stop now")
    found = picked(
        mcq(options=common),
        mcq(pk=2, options=("Slide up", "Go", "Lift", "Rock")),
        mcq(pk=3, mark="A) ", options=("Press", "Fan", "Tilt", "Sweep")),
    )
    assert found["most-repeated"] == [0, 0, SILENT]
    assert found["first-under-unusual-mark"] == [SILENT, SILENT, 0]
    assert usual_mark([]) == ""


def test_scores_count_guesses_where_a_rule_is_silent():
    items = [
        mcq(pk=n, source=f"s{n}", options=("Go on", "Stop it.", "Wait.", "Turn."), key_index=0)
        for n in range(6)
    ] + [mcq(pk=9, source="s9", options=("Go.", "Stop it.", "Wait.", "Turn."), key_index=1)]
    mcqs = keyed(items)
    scores = {s.rule.name: s for s in score_rules(mcqs, picks(mcqs, measures(mcqs)))}
    found = scores["only-without-full-stop"]
    assert (found.correct, found.picked, found.n, found.expected) == (6, 6, 7, 1.5)
    assert found.estimate.mean == pytest.approx((6 + 0.25) / 7)
    assert scores["always-a"].correct == 6


def test_p_values_are_binomial_and_holm():
    random = np.random.default_rng(3)
    keys = random.integers(0, 4, 60)
    chosen = np.where(random.random(60) < 0.5, keys, SILENT)
    chosen[:5] = (keys[:5] + 1) % 4
    spoke = chosen != SILENT
    right = int((chosen == keys)[spoke].sum())
    peer = binom_test(right, int(spoke.sum()), 0.25, alternative="larger")
    assert tail(chosen, keys, np.full(60, 0.25)) == pytest.approx(peer)
    assert tail(np.full(60, SILENT), keys, np.full(60, 0.25)) == 1.0
    mcqs = keyed([mcq(pk=n, source=f"s{n}", key_index=n % 2) for n in range(40)])
    scores = score_rules(mcqs, picks(mcqs, measures(mcqs)))
    ps = [score.p for score in scores]
    assert [s.p_holm for s in scores] == pytest.approx(multipletests(ps, method="holm")[1])
