import pytest
from scipy.stats import chisquare

from annotation.domain.audit import flags
from annotation.domain.audit.balance import balance, evenness
from annotation.domain.audit.free_leaks import free_leaks
from annotation.domain.audit.items import keyed
from annotation.domain.audit.key_flags import unshuffled_flags
from annotation.domain.audit.texts import text_flags
from annotation.domain.audit.windows import window_flags
from tests.unit.annotation.domain.audit.made import free, mcq


def names(found):
    return sorted((flag.pk, flag.flag) for flag in found)


def test_windows_past_their_segment_and_too_short():
    found = list(
        window_flags(
            [mcq(end=60.35, start=50.0), mcq(pk=2, end=6.5), mcq(pk=3, end=5.42), mcq(pk=4)]
        )
    )
    assert names(found) == [
        (1, flags.PAST_SEGMENT),
        (2, flags.SHORT_CLIP),
        (3, flags.SHORT_CLIP),
        (3, flags.UNDER_FRAME),
    ]
    assert found[0].reason == "The window ends 0.35 s past the end of its segment."


def test_rounding_is_no_fault():
    assert not list(window_flags([mcq(end=60.0000001)]))


def test_identical_windows_of_one_kind():
    items = [mcq(), mcq(pk=2), mcq(pk=3, video="v2"), free(pk=4, reference_answer="Yes.")]
    assert names(window_flags(items)) == [(1, flags.SAME_WINDOW), (2, flags.SAME_WINDOW)]


@pytest.mark.parametrize(
    ("stem", "flagged"),
    [
        ("How is the probe held?", True),
        ("What does the patient do?", True),
        ("Where is the operator's hand?", True),
        ("What is seen towards the patient’s right?", False),
        ("Which hands-on step?", False),
        ("Which plane is shown?", False),
    ],
)
def test_stems_about_what_the_roi_crops_away(stem, flagged):
    found = list(window_flags([mcq(stem=stem, roi=(0.3, 0.3, 0.4, 0.5))]))
    assert bool(found) == flagged
    assert not list(window_flags([mcq(stem=stem)])), "the whole frame crops nothing away"


def test_banned_phrases_and_equal_options():
    items = [
        mcq(stem="What does the narrator say?"),
        mcq(pk=2, options=("Read the on-screen text.", "Go.", "Stop.", "Wait.")),
        free(pk=3, reference_answer="As stated, the depth grows."),
        mcq(pk=4, options=("Go.", "go", "Stop.", "Wait."), video="v2"),
        mcq(pk=5, stem="Which colour overlay is displayed here?", options=("Red", "Blue")),
    ]
    assert names(text_flags(items)) == [
        (1, flags.BANNED_PHRASE),
        (2, flags.BANNED_PHRASE),
        (3, flags.BANNED_PHRASE),
        (4, flags.SAME_OPTIONS),
    ]


def test_near_duplicates_point_at_the_first():
    words = "the operator slides the probe from the liver edge to the kidney and back again slowly"
    items = [
        free(
            stem=f"Based on the video clip, what happens while {words}?", reference_answer="A scan."
        ),
        free(pk=2, stem=f"What happens while {words}?", reference_answer="A scan."),
        free(
            pk=3, stem="What else happens while the patient breathes?", reference_answer="A scan."
        ),
        mcq(pk=4, stem=f"What happens while {words}?"),
    ]
    found = list(text_flags(items))
    assert names(found) == [(2, flags.NEAR_DUPLICATE)]
    assert "item 1" in found[0].reason


def test_texts_without_words_are_no_crash():
    assert not list(
        text_flags([free(stem="?", reference_answer="…"), free(pk=2, stem="\ud800 a b")])
    )


def test_files_that_were_never_shuffled():
    usual = [mcq(pk=n, key_index=n % 4) for n in range(40)]
    marked = [mcq(pk=100 + n, mark="A) ", key_index=0 if n else 2) for n in range(12)]
    found = list(unshuffled_flags([*usual, *marked]))
    assert [flag.pk for flag in found] == list(range(100, 112))
    assert "option 1 in 11 of 12" in found[0].reason
    spread = [mcq(pk=100 + n, mark="A) ", key_index=n % 4) for n in range(12)]
    assert not list(unshuffled_flags([*usual, *spread]))
    assert not list(unshuffled_flags([]))


def test_free_responses_that_their_stem_or_type_gives_away():
    usual = [
        free(
            pk=10 + n,
            source=f"s{n}",
            reference_answer="improve image quality with depth gain focus settings",
        )
        for n in range(6)
    ]
    items = [
        free(stem="Is colour Doppler showing flow?", reference_answer="colour Doppler flow"),
        free(
            pk=2,
            stem="Why slide the probe inferiorly?",
            ground_truth="Slide the probe inferiorly.",
            reference_answer="it helps somebody somewhere sometimes",
        ),
        free(pk=3, stem="Q?", question_type="T2", reference_answer="one single unusual thing"),
        *usual,
    ]
    means, found = free_leaks(items)
    assert (1, flags.ANSWER_IN_STEM) in names(found)
    assert (2, flags.STEM_IS_TRUTH) in names(found)
    assert {flag.pk for flag in found if flag.flag == flags.TYPE_ANSWER} >= {10, 15}
    assert 3 not in {flag.pk for flag in found}
    assert means.n == 9
    assert means.typical_of_type > means.typical_of_others


def test_without_free_responses_the_means_are_none():
    means, found = free_leaks([mcq()])
    assert (means.n, means.answer_in_stem, found) == (0, None, [])


def test_balance_counts_kept_items():
    items = [mcq(pk=n, key_index=n % 2, shown_place=n % 4) for n in range(8)]
    items += [mcq(pk=9, keep=False), free(pk=10, end=40.0, reference_answer="x")]
    spreads = {spread.name: spread for spread in balance(items, keyed(items))}
    assert [n for _, n in spreads["key place as published"].counts] == [4, 4, 0, 0]
    assert [n for _, n in spreads["key place as shown"].counts] == [2, 2, 2, 2]
    assert dict(spreads["kind"].counts) == {"mcq": 8, "free": 1}
    assert dict(spreads["length of the clip"].counts)["over 20 s"] == 1


def test_evenness_is_the_chi_square_test():
    assert evenness([110, 52, 43, 44]) == pytest.approx(chisquare([110, 52, 43, 44]).pvalue)
    assert evenness([3]) is None
    assert evenness([0, 0]) is None
