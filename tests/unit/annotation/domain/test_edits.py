import pytest

from annotation.domain.edits import BadEdit, changed, check

MCQ = {
    "stem": "What next?",
    "options": ["Slide.", "Rotate."],
    "key_index": 0,
    "reference_answer": "",
    "question_type": "Type1_ActionGoalReasoning",
    "start": 1.0,
    "end": 4.0,
    "accepted_variants": [],
    "roi": None,
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


def test_changed_names_the_fields():
    assert changed(MCQ, MCQ | {"end": 5.0}) == ["end"]


@pytest.mark.parametrize(
    "variants",
    [
        ["same"] * 2,
        ["To see more. "],  # the reference answer itself
        [" "],
        ["nul \x00"],
        ["x" * 2_001],
        [str(number) for number in range(11)],
    ],
)
def test_accepted_variants_are_bounded_and_differ(variants):
    errors = errors_of(FREE | {"accepted_variants": variants}, kind="free")
    assert errors == {"accepted_variants"}


def test_an_mcq_has_no_accepted_variants():
    check(FREE | {"accepted_variants": ["To look deeper."]}, kind="free", segment=60.0)
    assert errors_of(MCQ | {"accepted_variants": ["a"]}) == {"accepted_variants"}


@pytest.mark.parametrize(
    "box",
    [
        {"x": 0.5, "y": 0.0, "w": 0.6, "h": 0.5},
        {"x": float("nan"), "y": 0.0, "w": 0.6, "h": 0.5},
        {"x": 0.1},
        {"x": "0", "y": 0.0, "w": 0.6, "h": 0.5},
    ],
)
def test_an_own_box_stands_in_the_frame(box):
    assert errors_of(MCQ | {"roi": box}) == {"roi"}
