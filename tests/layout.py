"""Writes small benchmarks and prediction files in the published layout, for tests."""

import json
from pathlib import Path
from typing import Any

URL = "https://www.youtube.com/watch?v=abcdefghij{}"
OPTIONS = ("Slide cranially", "Rotate to the long axis.", "Raise the gain.", "Freeze.")


def metadata(number: int = 0, **fields: Any) -> dict[str, Any]:
    roi = {"x_prop": 0.25, "y_prop": 0.125, "w_prop": 0.5, "h_prop": 0.5}
    row = {"youtube_url": URL.format(number), "start_time": 10.5, "end_time": 70.25, "roi": roi}
    return row | fields


def question(stem: str, options: tuple[str, ...] = OPTIONS, mark: str = "A. ") -> str:
    lines = [f"[MCQ] {stem}"]
    lines += [mark.replace("A", "ABCDEFGH"[i], 1) + text for i, text in enumerate(options)]
    return "\n".join(lines)


def mcq(number: int = 0, **fields: Any) -> dict[str, Any]:
    row = {
        "question": question(f"What is step {number}?"),
        "answer": "A",
        "groundtruth": f"The probe slides, {number}.",
        "time_start": 1.5 + number,
        "time_end": 6.25 + number,
        "keep": True,
        "question_type": "Type1_ActionGoalReasoning",
    }
    return row | fields


def free(number: int = 0, **fields: Any) -> dict[str, Any]:
    row = {
        "question": f"[FREE] Why is step {number} made?",
        "answer": f"To see the “long axis”, {number}.",
        "groundtruth": "The probe rotates.",
        "time_start": 2.5 + number,
        "time_end": 9.5 + number,
        "keep": True,
        "question_type": "Type3_ProcedureContextPlanning",
    }
    return row | fields


def event(number: int = 0, **fields: Any) -> dict[str, Any]:
    row = {
        "start": 1.5 + number,
        "end": 3.5 + number,
        "action": f"Slide, {number}.",
        "interpretation": "The aorta comes into view.",
    }
    return row | fields


def write(path: Path, value: Any) -> Path:
    """Write `value` as JSON, or as it is where it is text or bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(value, bytes):
        path.write_bytes(value)
    else:
        path.write_text(value if isinstance(value, str) else json.dumps(value, indent=2))
    return path


def benchmark(root: Path, videos: int = 2) -> Path:
    """Write `videos` videos V_0, V_1, …, each with three MCQs, two free and four events."""
    names = [f"V_{number}_Kidney" for number in range(videos)]
    write(
        root / "video_metadata_new.json",
        {name: metadata(number % 10) for number, name in enumerate(names)},
    )
    for name in names:
        write(root / f"benchmark_questions/mcq/{name}.json", [mcq(i) for i in range(3)])
        write(root / f"benchmark_questions/free/{name}.json", [free(i) for i in range(2)])
        write(root / f"gt_all/gt_{name}.json", [event(i) for i in range(4)])
    return root


def change(path: Path, place: int | str, **fields: Any) -> None:
    """Change fields of one row, or of one entry of an object, in a file."""
    rows = json.loads(path.read_text())
    rows[place] = rows[place] | fields
    write(path, rows)


def reply(row: dict[str, Any], said: str = "A", **fields: Any) -> dict[str, Any]:
    """A row of a prediction file for a row of the benchmark."""
    return {
        **row,
        "model_prediction": said,
        "inference_metadata": {
            "raw_response": f"Answer: {said}",
            "latency_ms": 1500.0,
            "success": True,
            "error_message": "",
        },
    } | fields


def judged(row: dict[str, Any], score: Any = 2, said: str = "To see it.", **fields: Any) -> Any:
    """A row of a judged prediction file for a free-response row of the benchmark."""
    verdict = {
        "eval_score": score,
        "eval_max_score": 2,
        "judge_explanation": "It agrees.",
        "judge_error_type": "none" if score == 2 else "both_fail",
    }
    return reply(row, said) | verdict | fields


def failed(row: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A row whose call failed, scored 0 as the published scripts do."""
    call = {"raw_response": "", "latency_ms": 9.5, "success": False, "error_message": "Error 400"}
    verdict = {"eval_score": 0, "eval_max_score": 2, "judge_error_type": "both_fail"}
    return {**row, "model_prediction": "", "inference_metadata": call, **verdict} | fields
