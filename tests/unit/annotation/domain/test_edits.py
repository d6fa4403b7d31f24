import pytest

from annotation.domain.edits import BadEdit, changed, check, overlap

MCQ = {
    "stem": "What next?",
    "options": ["Slide.", "Rotate."],
    "key_index": 0,
    "reference_answer": "",
    "question_type": "Type1_ActionGoalReasoning",
    "start": 1.0,
    "end": 4.0,
}
FREE = MCQ | {"options": [], "key_index": None, "reference_answer": "To see more."}


def errors_of(content, kind="mcq", segment=60.0):
    with pytest.raises(BadEdit) as caught:
        check(content, kind=kind, segment=segment)
    return set(caught.value.errors)


def test_good_content_passes():
    check(MCQ, kind="mcq", segment=60.0)
    check(FREE, kind="free", segment=60.0)
    check(MCQ | {"end": 60.35}, kind="mcq", segment=60.0)  # as published


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"stem": "  "}, "stem"),
        ({"stem": "x" * 8_001}, "stem"),
        ({"stem": "nul \x00"}, "stem"),
        ({"stem": "half \ud800"}, "stem"),
        ({"question_type": "x" * 65}, "question_type"),
        ({"options": ["one"]}, "options"),
        ({"options": ["a", " a "]}, "options"),
        ({"options": ["a", ""]}, "options"),
        ({"options": [str(n) for n in range(11)]}, "options"),
        ({"options": ["a", "x" * 2_001]}, "options"),
        ({"key_index": 2}, "key_index"),
        ({"key_index": None}, "key_index"),
        ({"start": -1.0}, "start"),
        ({"start": float("nan")}, "start"),
        ({"end": float("inf")}, "start"),
        ({"end": 1.0}, "end"),
        ({"end": 62.0}, "end"),
    ],
)
def test_bad_content_is_named_by_field(change, field):
    assert errors_of(MCQ | change) == {field}


def test_a_free_response_item_has_an_answer_and_no_options():
    assert errors_of(FREE | {"options": ["a", "b"]}, kind="free") == {"options"}
    assert errors_of(FREE | {"reference_answer": " "}, kind="free") == {"reference_answer"}


def test_edits_of_different_fields_do_not_overlap():
    current = MCQ | {"end": 5.0}
    assert changed(MCQ, current) == ["end"]
    assert not overlap(MCQ, current, {"stem": "Why?"})
    assert overlap(MCQ, current, {"start": 2.0}), "a window is one thing"


def test_a_key_is_a_place_among_options():
    assert overlap(MCQ, MCQ | {"options": ["Rotate.", "Slide."]}, {"key_index": 1})
