"""Kept items and the answers to them, in columns."""

import numpy as np
import pytest

from evaluation.queries.kept_items import KeptItems
from evaluation.queries.run_answers import Answer, Answers

pytestmark = pytest.mark.sqlite
TEXTS, CLIPS = ("a" * 64, "b" * 64, "c" * 64), ("d" * 64, "e" * 64, "f" * 64)


def kept() -> KeptItems:
    """Return items 7, 5 and, by another text, 7 again; the second has a variant."""
    return KeptItems(
        ids=np.array([[70, 7, 1, 4], [50, 5, 1, 0], [71, 7, 2, 4]]),
        seconds=np.array([1.5, 2.5, 3.5]),
        digests=np.array(list(zip(TEXTS, CLIPS, strict=True)), dtype="S64"),
        named=np.array([[0, 2, 3], [1, 2, 3], [0, 4, 3]]),
        names=["mcq", "free", "T1", "aorta", "T2"],
        variants={1: ("yes",)},
    )


def answers(*rows: tuple[object, ...], sees_clip: bool = True) -> Answers:
    found = Answers(kept())
    found.read(rows, sees_clip=sees_clip)
    return found


def test_an_item_is_what_its_columns_say() -> None:
    items = kept()
    assert len(items) == 3 and [one.version_id for one in items] == [70, 50, 71]
    assert items[-1] == items[2] == list(items)[2] and items[1:] == [items[1], items[2]]
    assert (items[1].asked.kind, items[1].options, items[1].variants) == ("free", 0, ("yes",))
    assert (items[2].asked.question_type, items[2].text_digest) == ("T2", "c" * 64)
    with pytest.raises(IndexError):
        items[3]


def test_an_answer_counts_where_the_same_was_asked() -> None:
    row = (7, TEXTS[0], CLIPS[0], 0, 1, "answered", 1.0, "", [])
    other_clip = (7, TEXTS[2], "0" * 64, 0, 2, "answered", None, "", [])
    unknown = (9, TEXTS[0], CLIPS[0], 0, 3, "answered", 1.0, "", [])
    found = answers(row, other_clip, unknown)
    assert found.at(0) == [Answer(1, "answered", 1.0, "", is_stale=False)]
    assert found.at(1) == found.at(2) == []
    assert list(found.asked) == [1, 0, 1], "asked in some version, which tells stale from not asked"
    blind = answers(row, other_clip, unknown, sees_clip=False)
    assert blind.at(2) == [Answer(2, "answered", None, "", is_stale=False)]


def test_the_newest_answer_of_a_repeat_counts() -> None:
    rows = [
        (5, TEXTS[1], CLIPS[1], 1, 1, "failed", None, "Timeout", ["yes"]),
        (7, TEXTS[0], CLIPS[0], 0, 2, "answered", 0.0, "", []),
        (5, TEXTS[1], CLIPS[1], 0, 3, "answered", None, "", ["no"]),
        (5, TEXTS[1], CLIPS[1], 1, 4, "answered", None, "", ["yes"]),
    ]
    assert answers(*rows).at(1) == [
        Answer(4, "answered", None, "", is_stale=False),
        Answer(3, "answered", None, "", is_stale=True),
    ]


def test_without_items_nothing_counts() -> None:
    nothing = kept()
    empty = KeptItems(nothing.ids[:0], nothing.seconds[:0], nothing.digests[:0],
                      nothing.named[:0], [])  # fmt: skip
    found = Answers(empty)
    found.read([(7, TEXTS[0], CLIPS[0], 0, 1, "answered", 1.0, "", [])], sees_clip=True)
    assert list(found.asked) == [] and list(empty) == [] and not empty
