"""Which folders of a clone of the published benchmark hold results, and whose."""

from pathlib import Path

from evaluation.domain import result_folders


def fill(clone: Path, *folders: str) -> None:
    for name in folders:
        (clone / name).mkdir(parents=True)
        (clone / name / "score_pred_A.json").write_text("[]")


def found(clone):
    return {
        result_set.model: [str(folder.relative_to(clone)) for folder in result_set.folders]
        for result_set in result_folders.find(clone)
    }


def test_the_published_layout(tmp_path):
    fill(tmp_path, "final_scores_all_MCQ", "final_scores_all_free")
    fill(tmp_path, "qwen_result/scores_mcq2", "qwen_result/scores_free2", "qwen_result/mcq")

    assert found(tmp_path) == {
        "Gemini 3 Pro": ["final_scores_all_MCQ", "final_scores_all_free"],
        "Qwen3.5-397B": ["qwen_result/scores_mcq2", "qwen_result/scores_free2"],
    }


def test_higher_numbers_stand_above_lower_ones_and_scores_above_predictions(tmp_path):
    fill(tmp_path, "x_1_result/scores_mcq", "x_1_result/scores_mcq10", "x_1_result/scores_mcq9")
    fill(tmp_path, "x_1_result/free3", "x_1_result/scores_free")

    assert found(tmp_path) == {"x 1": ["x_1_result/scores_mcq10", "x_1_result/scores_free"]}


def test_bare_predictions_come_in_where_no_scores_are(tmp_path):
    (tmp_path / "llava_result" / "mcq").mkdir(parents=True)
    (tmp_path / "llava_result" / "mcq" / "pred_A.json").write_text("[]")

    assert found(tmp_path) == {"LLaVA-Video-72B": ["llava_result/mcq"]}


def test_folders_without_results_and_files_are_passed_over(tmp_path):
    (tmp_path / "empty_result" / "scores_mcq").mkdir(parents=True)
    (tmp_path / "odd_result").write_text("a file")
    fill(tmp_path, "other_result/notes", "benchmark_questions/mcq")

    assert found(tmp_path) == {}


def test_the_real_clone(rex):
    assert list(found(rex)) == ["Gemini 3 Pro", "Qwen3.5-397B"]
