from itertools import permutations

import pytest

from evaluation.domain.mcq import ReadOutcome
from evaluation.domain.prediction_files import read_prediction
from evaluation.domain.prediction_matching import (
    AskedItem,
    NoMatch,
    claims_doubted,
    match_row,
    read_choice,
)
from tests import layout

OPTIONS = layout.OPTIONS


def asked(index=0, stem=None, options=OPTIONS, key=0, **fields):
    kind = "mcq" if options else "free"
    values = {
        "version_id": 100 + index,
        "key": f"{kind}/V/{index}",
        "kind": kind,
        "index": index,
        "stem": stem or f"What is step {index}?",
        "options": options,
        "shown_order": tuple(range(len(options))),
        "key_index": key if options else None,
        "start": 1.5 + index,
        "end": 6.25 + index,
        "keep": True,
    }
    return AskedItem(**values | fields)


def row(index=0, said="A", **fields):
    return read_prediction(index, layout.reply(layout.mcq(index), said) | fields, file="f")


ITEMS = [asked(0), asked(1), asked(2), asked(0, "Why is step 0 made?", ())]


def test_the_place_is_checked_by_the_text():
    found = match_row(row(1), ITEMS)
    assert (found.item.version_id, found.by, found.shown) == (101, "question", (0, 1, 2, 3))


def test_a_row_that_stands_elsewhere_is_found_by_its_text():
    moved = row(0, question=layout.question("What is step 2?"))
    assert match_row(moved, ITEMS).item.version_id == 102


def test_a_free_response_is_found_among_free_responses():
    found = read_prediction(0, layout.judged(layout.free(0)), file="f")
    assert match_row(found, ITEMS).item.kind == "free"


@pytest.mark.parametrize("order", list(permutations(range(4)))[::5])
def test_shuffled_options_are_mapped_back_by_their_texts(order):
    shuffled = layout.question("What is step 1?", tuple(OPTIONS[i] for i in order))
    for fields in (
        {"question": shuffled, "original_question": layout.question("What is step 1?")},
        {"question": shuffled},
    ):
        for place, letter in enumerate("ABCD"):
            found = row(1, letter, **fields)
            matched = match_row(found, ITEMS)
            assert matched.item.version_id == 101
            assert matched.shown == order
            assert read_choice(found, matched).chosen == order[place]


def test_the_reversed_set_shows_the_published_order():
    earlier = layout.question("What is step 1?", OPTIONS[::-1])
    found = row(1, "B", original_question=earlier)
    matched = match_row(found, ITEMS)
    assert (matched.by, matched.shown) == ("question", (0, 1, 2, 3))
    assert read_choice(found, matched).chosen == 1


def test_marks_quotes_and_spaces_make_no_difference():
    items = [asked(0, "What “view”  is it?", ("The liver’s edge – left.", "b", "c", "d"))]
    text = '[MCQ] What "view" is it?\nA) b\nB) The liver\'s edge - left.\nC) c\nD) d'
    found = row(0, "B", question=text)
    assert read_choice(found, match_row(found, items)).chosen == 0


def test_options_that_read_the_same_are_each_used_once():
    items = [asked(0, "What?", ("same", "same", "other"))]
    found = row(0, "C", question=layout.question("What?", ("other", "same", "same")))
    assert match_row(found, items).shown == (2, 0, 1)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"question": layout.question("Another?")}, "not the text of the item at this place"),
        (
            {"question": layout.question("What is step 0?", ("one", "two"))},
            "not the text of the item at this place",
        ),
        (
            {
                "question": layout.question("What?", ("w", "x", "y", "z")),
                "original_question": layout.question("What is step 0?"),
            },
            "shows other options",
        ),
    ],
)
def test_a_place_alone_is_never_enough(fields, reason):
    with pytest.raises(NoMatch, match=reason):
        match_row(row(0, **fields), ITEMS)


def test_one_text_of_two_items_is_settled_by_the_place_or_not_at_all():
    items = [asked(0, "Same?"), asked(1, "Same?")]
    text = layout.question("Same?")
    assert match_row(row(1, question=text), items).item.index == 1
    with pytest.raises(NoMatch, match="the text of 2 items"):
        match_row(row(5, question=text), items)


def test_no_item_of_the_kind():
    with pytest.raises(NoMatch, match="not the text of any item"):
        match_row(row(0), ITEMS[3:])


@pytest.mark.parametrize(
    ("said", "raw", "chosen", "outcome"),
    [
        ("B", "", 1, ReadOutcome.ANSWERED),
        (" b ", "", 1, ReadOutcome.ANSWERED),
        ("E", "Answer: A", None, ReadOutcome.ABSTAINED),
        ("Z", "Z", None, ReadOutcome.ABSTAINED),
        ("7", "7", None, ReadOutcome.ABSTAINED),
        ("É", "É", None, ReadOutcome.ABSTAINED),
        ("Answer: C", "", 2, ReadOutcome.ANSWERED),
        ("", "The correct answer is D.", 3, ReadOutcome.ANSWERED),
        ("", "I cannot help with that.", None, ReadOutcome.REFUSED),
        ("A or B", "A or B", None, ReadOutcome.ABSTAINED),
    ],
)
def test_what_was_chosen(said, raw, chosen, outcome):
    call = {"raw_response": raw, "success": True}
    found = row(0, said, inference_metadata=call)
    choice = read_choice(found, match_row(found, ITEMS))
    assert (choice.chosen, choice.outcome) == (chosen, outcome)


def test_what_the_file_claims_of_the_item_is_doubted():
    found = row(0, answer="B", keep=False, time_start=9.5)
    assert dict(claims_doubted(found, match_row(found, ITEMS))) == {
        "answer": "is another option than the item's key; ours counts",
        "keep": "is false, unlike the release's",
        "time_start": "is 9.5, not 1.5: another clip was seen",
    }


def test_a_shuffled_answer_that_is_the_same_option_is_not_doubted():
    shuffled = layout.question("What is step 1?", OPTIONS[::-1])
    found = row(1, "D", question=shuffled, answer="D")
    assert claims_doubted(found, match_row(found, ITEMS)) == []


def test_a_letter_that_the_reply_does_not_state_is_doubted():
    call = {"raw_response": "Not A. Answer: C", "success": True}
    found = row(0, "A", inference_metadata=call)
    doubts = dict(claims_doubted(found, match_row(found, ITEMS)))
    assert doubts == {"model_prediction": "is A, though the reply states C; the file's counts"}
