import numpy as np

from annotation.domain.audit import grams
from annotation.domain.audit.context_measures import (
    CONTEXT_MEASURES,
    Corpus,
    agreement,
    measure_item,
)
from annotation.domain.audit.features import MEASURES, design, measures
from annotation.domain.audit.folds import FOLDS, folds_of
from annotation.domain.audit.items import keyed
from annotation.domain.audit.screening import far_from_chance, gains, screen_of
from annotation.domain.audit.text_measures import TEXT_NAMES, measure_text
from benchmarks.planted import made
from tests.unit.annotation.domain.audit.made import free, mcq


def measured(text):
    return dict(zip(TEXT_NAMES, measure_text(text), strict=True))


def test_measures_of_one_option():
    found = measured("Usually rotate the probe 90° (MSK), always slowly.")
    assert found["words"] == 8
    assert (found["full stop"], found["commas"], found["brackets"]) == (1, 1, 1)
    assert (found["numerals"], found["hedges"], found["absolutes"]) == (1, 1, 1)
    assert (found["acronyms"], found["unusual signs"]) == (1, 1)
    assert measured("two  spaces ")["unusual spaces"] == 2


def test_an_option_without_a_word_is_measured_too():
    assert len(measure_text("…")) == len(TEXT_NAMES)
    assert len(measure_text("")) == len(TEXT_NAMES)


def test_grammar_of_the_stem():
    assert agreement("This is an", ["aorta"]) == 1
    assert agreement("This is a", ["aorta"]) == -1
    assert agreement("Which structures are shown?", ["kidneys"]) == 1
    assert agreement("Which structure is shown?", ["kidneys"]) == -1
    assert agreement("Say it.", ["kidneys"]) == 0


def test_measures_beside_stem_options_and_other_items():
    items = [
        mcq(stem="Why is the bladder filled?", options=("To see the bladder", "It hurts", "Rest")),
        mcq(pk=2, stem="Next?", options=("It hurts", "Rest", "It is cold")),
    ]
    mcqs = keyed(items)
    rows = measure_item(mcqs[0], Corpus(mcqs))
    found = [dict(zip(CONTEXT_MEASURES, row, strict=True)) for row in rows]
    assert [row["stem words"] for row in found] == [1, 0, 0]
    assert [row["answers why"] for row in found] == [1, 0, 0]
    assert [row["repeated text"] for row in found] == [0, 1, 1]


def test_no_feature_looks_at_a_key():
    items = made(40, sources=4, seed=3)
    others = [mcq(**{**_fields(item), "key_index": (item.key_index + 1) % 4}) for item in items]
    assert np.array_equal(measures(keyed(items)), measures(keyed(others)))
    one, two = (design(keyed(found), measures(keyed(found))) for found in (items, others))
    assert one.names == two.names
    assert (one.by_row != two.by_row).nnz == 0


def _fields(item):
    return {name: getattr(item, name) for name in item.__slots__}


def test_the_two_ways_into_the_marks_agree():
    mcqs = keyed(made(60, sources=6, seed=4))
    found = design(mcqs, measures(mcqs))
    assert (found.by_row != found.by_mark).nnz == 0
    column = found.names.index("place 0") - len(MEASURES)
    assert np.array_equal(found.mark(column), np.tile([1, 0, 0, 0], 60))


def test_grams_need_items_in_which_they_tell_options_apart():
    few = keyed([mcq(pk=n, options=("gently on", "on", "on it", "on us")) for n in range(5)])
    many = keyed([mcq(pk=n, options=("gently on", "on", "on it", "on us")) for n in range(6)])
    assert "word gently" not in grams.vocabulary(few)
    assert "word gently" in grams.vocabulary(many)
    assert "word on" not in grams.vocabulary(many)


def test_folds_keep_a_source_together():
    few = folds_of([f"s{n % 7}" for n in range(70)])
    assert few.max() == 6
    sources = [f"s{n % 90}" for n in range(1000)]
    many = folds_of(sources)
    assert many.max() == FOLDS - 1
    assert len({(source, fold) for source, fold in zip(sources, many.tolist(), strict=True)}) == 90
    assert np.bincount(many).min() > 80


def test_the_screen_is_the_score_test_and_leaves_the_fold_out():
    mcqs = keyed(made(120, sources=6, seed=5))
    found = design(mcqs, measures(mcqs))
    folds = folds_of([item.source for item in mcqs])
    screen = screen_of(found, folds)
    always_first = found.rows.starts
    gain = gains(screen, always_first)
    column = found.names.index("place 0")
    outside = np.count_nonzero(folds != 0)
    assert (gain.sum(axis=0) - gain[0])[column] == outside * 0.75
    assert (screen.total - screen.variances[0])[column] == outside * 0.1875
    assert column in far_from_chance(screen, gain.sum(axis=0) - gain[0], 0)


def test_only_kept_mcqs_with_a_key_are_learned_from():
    items = [
        mcq(),
        mcq(pk=2, keep=False),
        mcq(pk=3, key_index=None),
        mcq(pk=4, key_index=7),
        mcq(pk=5, options=("one",)),
        free(pk=6),
    ]
    assert [found.pk for found in keyed(items)] == [1]
