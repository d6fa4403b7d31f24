"""Prediction files that lie, break the layout, or are no files."""

import json

import pytest

from annotation.models import Item
from evaluation.models import LeaderboardEntry, Prediction
from tests import layout
from tests.imported_replies import bring, scores

pytestmark = pytest.mark.django_db


SMUGGLED = [
    {"answer": "B", "keep": False},
    {"answer": "B", "original_answer": "B", "eval_score": 1, "eval_max_score": 1},
    {"eval_score": 9},
    {"score": 9, "key_index": 1, "correct": True},
    {"keep": False, "groundtruth": "B is right", "question_type": "Type9"},
]


@pytest.mark.parametrize("smuggled", SMUGGLED)
def test_nothing_that_a_file_claims_changes_a_score(bench, folder, smuggled):
    for name in ("V_0_Kidney", "V_1_Kidney"):
        path = folder / f"mcq/score_pred_{name}.json"
        rows = [row | smuggled for row in json.loads(path.read_text())]
        layout.write(path, rows)
    before = list(Item.objects.order_by("pk").values()), bench.releases.get().hash
    bring(folder / "mcq", bench)
    assert scores() == [1.0, 0.0, 0.0] * 2
    assert (list(Item.objects.order_by("pk").values()), bench.releases.get().hash) == before
    entry = LeaderboardEntry.objects.get(run__origin="import")
    assert entry.figures["mcq"]["n"] == 6


def test_a_score_of_nine_is_refused_alone(bench, folder):
    path = folder / "free/score_pred_V_0_Kidney.json"
    layout.change(path, 0, eval_score=9)
    report = bring(folder / "free", bench)
    assert str(report.refused.first[0]) == (
        "free/score_pred_V_0_Kidney.json, row 0, eval_score: is 9, not 0, 1 or 2"
    )
    assert Prediction.objects.filter(run__origin="import").count() == 3


def test_a_letter_beyond_the_options_is_no_answer(bench, folder):
    layout.write(
        folder / "mcq/score_pred_V_0_Kidney.json", [layout.reply(layout.mcq(0), "F", keep=True)]
    )
    report = bring(folder / "mcq", bench)
    found = Prediction.objects.get(item_version__item__key="mcq/V_0_Kidney/0")
    assert (found.outcome, found.chosen, found.score) == ("abstained", None, 0.0)
    assert "states no option" in report.doubts.first[0].reason


HOSTILE = ["[" * 100_000, '[{"question": "a", "question": "b"}]', "[NaN]", '["\\ud800"]', "{}", ""]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_hostile_file_is_refused_alone(bench, folder, hostile):
    layout.write(folder / "mcq/score_pred_V_0_Kidney.json", hostile)
    report = bring(folder / "mcq", bench)
    assert report.tallies["files"].refused == 1
    assert Prediction.objects.filter(run__origin="import").count() == 3
    json.dumps(report.as_dict())


@pytest.mark.parametrize("value", [None, [], {}, True, 10**17, "x" * 300_000, "a\tb", [[[]]]])
@pytest.mark.parametrize(
    "name",
    ["question", "model_prediction", "inference_metadata", "eval_score", "judge_explanation"],
)
def test_wrong_types_are_rows_refused_not_errors(bench, folder, name, value):
    layout.change(folder / "free/score_pred_V_0_Kidney.json", 0, **{name: value})
    report = bring(folder / "free", bench)
    stored = Prediction.objects.filter(run__origin="import").count()
    assert stored == 4 - report.tallies["replies"].refused


def test_links_and_folders_named_like_files_are_refused(bench, folder, tmp_path):
    target = folder / "mcq/score_pred_V_0_Kidney.json"
    moved = target.rename(tmp_path / "elsewhere.json")
    target.symlink_to(moved)
    (folder / "mcq/pred_V_0_Kidney.json").mkdir()
    report = bring(folder / "mcq", bench)
    assert [finding.reason for finding in report.refused.first] == [
        "is not a regular file",
        "is a symbolic link",
    ]
