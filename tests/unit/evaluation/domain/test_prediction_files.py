import pytest

from evaluation.domain.prediction_files import read_prediction, video_part
from tests import layout


def read(value):
    return read_prediction(4, value, file="f.json")


def reasons(found):
    assert isinstance(found, list), found
    return {(finding.field, finding.reason) for finding in found}


def test_a_good_mcq_reply():
    row = read(layout.reply(layout.mcq(), "C", time_start_extended=0.5))
    assert (row.prediction, row.raw, row.latency, row.failure) == ("C", "Answer: C", 1.5, "")
    assert row.shown.options == layout.OPTIONS
    assert row.verdict is None
    assert row.extra == {"time_start_extended": 0.5}


def test_the_judge_of_a_free_response():
    row = read(layout.judged(layout.free(), 1, judge_error_type="wrong_conclusion"))
    assert (row.verdict.score, row.verdict.error_type) == (1, "wrong_conclusion")
    assert row.verdict.explanation == "It agrees."


def test_the_score_of_an_mcq_is_never_read():
    for score in (1, 0, 9, -1, "x", None, [1]):
        row = read(layout.reply(layout.mcq(), eval_score=score, eval_max_score="nine"))
        assert row.verdict is None
        assert "eval_score" not in row.extra


@pytest.mark.parametrize("score", [9, 3, -1, 1.5, 2.0, "2", True, [2], {"s": 2}, 10**17])
def test_other_scores_are_refused(score):
    found = reasons(read(layout.judged(layout.free(), score)))
    assert {name for name, _ in found} == {"eval_score"}


@pytest.mark.parametrize("most", [1, 100, "2", None, True])
def test_another_scale_is_refused(most):
    found = reasons(read(layout.judged(layout.free(), 1, eval_max_score=most)))
    assert {name for name, _ in found} == {"eval_max_score"}


def test_an_unknown_error_type_is_left_out():
    row = read(layout.judged(layout.free(), 0, judge_error_type="<b>"))
    assert row.verdict.error_type == ""
    assert row.odd == (("judge_error_type", "'<b>' is unknown and was left out"),)


@pytest.mark.parametrize(
    "call",
    [
        {"raw_response": "", "success": False, "error_message": "Error 400"},
        {"raw_response": "half a reply", "success": False, "error_message": ""},
        {"raw_response": "", "success": True, "error_message": ""},
        {"raw_response": " \n", "success": True},
        {"raw_response": None, "success": None, "error_message": "Error"},
        {"raw_response": "half", "error_message": "Error"},
        {},
    ],
)
def test_a_failed_call_has_no_reply_and_no_verdict(call):
    row = read(layout.judged(layout.free(), 0, "", inference_metadata=call))
    assert row.failure
    assert (row.raw, row.prediction, row.verdict) == ("", "", None)


def test_an_error_message_beside_a_reply_is_odd_only():
    call = {"raw_response": "A", "success": True, "error_message": "slow"}
    row = read(layout.reply(layout.mcq(), inference_metadata=call))
    assert row.failure == ""
    assert row.odd[0][0] == "error_message"


def test_a_bare_submission_is_enough():
    row = read({"question": layout.mcq()["question"], "model_prediction": "B"})
    assert (row.raw, row.prediction, row.failure) == ("B", "B", "")
    assert read({"question": layout.free()["question"], "model_prediction": " "}).failure


@pytest.mark.parametrize(
    ("fields", "field", "reason"),
    [
        ({"question": None}, "question", "is missing"),
        ({"question": "[MCQ] What?\nA. one"}, "question", "is neither"),
        ({"question": 5}, "question", "is a number, not a text"),
        ({"model_prediction": ["A"]}, "model_prediction", "is a list"),
        ({"model_prediction": "x" * 200_001}, "model_prediction", "has 200001 characters"),
        ({"inference_metadata": "x"}, "inference_metadata", "is a text, not an object"),
        ({"inference_metadata": {"raw_response": 1}}, "raw_response", "is a number"),
        ({"inference_metadata": {"raw_response": "A", "success": "yes"}}, "success", "is a text"),
        ({"inference_metadata": {"raw_response": "A", "latency_ms": -1}}, "latency_ms", "outside"),
        ({"inference_metadata": {"raw_response": "A", "x": "y" * 30_000}}, "x", "is longer"),
        ({"original_question": {}}, "original_question", "is an object"),
    ],
)
def test_a_bad_field_is_named(fields, field, reason):
    found = reasons(read(layout.reply(layout.mcq()) | fields))
    assert any(one == field and reason in other for one, other in found), found


@pytest.mark.parametrize("value", [None, [], "x", 3])
def test_a_row_that_is_no_object(value):
    assert read(value)[0].reason.endswith("not an object")


def test_names_of_files():
    assert video_part("pred_V_1.json") == "V_1"
    assert video_part("score_pred_exam_(GI)_tract..json") == "exam_(GI)_tract."
    for name in ("batch_summary.json", "pred_.json", "xpred_V.json", "pred_V.txt", "V.json"):
        assert video_part(name) == ""
