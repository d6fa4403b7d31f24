"""The words that went and came make up both texts again."""

import time

from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.text_diff import MOST_WORDS, Fate, word_diff

texts = st.text(alphabet="ab \n.é<&", max_size=60)


def told(pieces, *fates):
    return "".join(piece.text for piece in pieces if piece.fate in fates)


@given(texts, texts)
def test_both_texts_come_back(before, after):
    pieces = word_diff(before, after)
    assert told(pieces, Fate.STAYED, Fate.WENT) == before
    assert told(pieces, Fate.STAYED, Fate.CAME) == after
    assert all(piece.text for piece in pieces)


def test_words_and_not_letters_are_compared():
    pieces = word_diff("Rotate the probe slowly.", "Rotate the transducer slowly.")
    assert [(piece.fate, piece.text) for piece in pieces] == [
        (Fate.STAYED, "Rotate the "),
        (Fate.WENT, "probe"),
        (Fate.CAME, "transducer"),
        (Fate.STAYED, " slowly."),
    ]


def test_equal_texts_stayed():
    assert word_diff("The aorta.", "The aorta.") == [(Fate.STAYED, "The aorta.")]
    assert word_diff("", "") == []


def test_numbers_are_compared_whole():
    pieces = word_diff("240 × 90 px at -0.4375, 1:02.50.", "240 × 90 px at -0.4125, 1:02.75.")

    assert pieces == [
        (Fate.STAYED, "240 × 90 px at "),
        (Fate.WENT, "-0.4375"),
        (Fate.CAME, "-0.4125"),
        (Fate.STAYED, ", "),
        (Fate.WENT, "1:02.50"),
        (Fate.CAME, "1:02.75"),
        (Fate.STAYED, "."),
    ]


def test_hostile_texts_cost_little():
    before, after = "a b " * (MOST_WORDS // 2), "b a " * MOST_WORDS
    start = time.process_time()
    pieces = word_diff(before, after)
    assert [piece.fate for piece in pieces] == [Fate.WENT, Fate.CAME]
    word_diff(" ".join(map(str, range(900))), " ".join(map(str, reversed(range(900)))))
    assert time.process_time() - start < 3
