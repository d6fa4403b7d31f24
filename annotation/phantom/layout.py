"""Writes the demo in the published layout, from the same scripts that the videos are drawn by."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from annotation.domain.benchmark_files import METADATA, SOURCE_FILE
from annotation.domain.benchmark_folder import file_name
from annotation.domain.questions import compose_question, default_style
from annotation.phantom.film import Scene
from annotation.phantom.reels import REELS
from annotation.phantom.script import TYPES, Free, Mcq, Script

LETTERS = "ABCD"
FOLDER = "phantom"  # of the reels, below the store's folder of sources
ROUND = 6


def layout() -> dict[str, Any]:
    """Return the content of every file of the layout by its path."""
    files: dict[str, Any] = {METADATA: {}}
    ordered = sorted(_scenes(), key=lambda found: found[2].script.name)
    for place, (source, start, scene) in enumerate(ordered):
        script = scene.script
        files[METADATA][script.name] = _metadata(source, start, scene)
        files[file_name("events", script.name)] = [
            {
                "start": step.start,
                "end": step.end,
                "action": step.action,
                "interpretation": step.interpretation,
            }
            for step in script.steps
        ]
        # One item a video is left undecided, so that there is something to review.
        undecided = "mcq" if place % 2 else "free"
        for kind, rows in (("mcq", mcq_rows(script)), ("free", free_rows(script))):
            if kind == undecided:
                del rows[-1]["keep"]
            files[file_name(kind, script.name)] = rows
    return files


def write_layout(folder: Path) -> bool:
    """Write the layout below `folder`; returns whether anything was not there yet."""
    changed = False
    for name, value in layout().items():
        path, text = folder / name, json.dumps(value, indent=2)
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        changed = True
    return changed


def mcq_rows(script: Script) -> list[dict[str, Any]]:
    """Return the rows of the file of MCQs."""
    style = default_style("mcq")
    return [
        _row(
            script,
            item,
            question=compose_question(item.stem, item.options, style),
            answer=LETTERS[item.key],
        )
        for item in script.mcq
    ]


def free_rows(script: Script) -> list[dict[str, Any]]:
    """Return the rows of the file of free-response items."""
    style = default_style("free")
    return [
        _row(script, item, question=compose_question(item.stem, (), style), answer=item.answer)
        for item in script.free
    ]


def _row(script: Script, item: Mcq | Free, *, question: str, answer: str) -> dict[str, Any]:
    return {
        "question": question,
        "answer": answer,
        "groundtruth": item.truth,
        "time_start": script.steps[item.first].start,
        "time_end": script.steps[item.last].end,
        "keep": True,
        "question_type": TYPES[item.kind],
    }


def _scenes() -> Iterator[tuple[str, float, Scene]]:
    """Yield (source, second at which it begins there, scene)."""
    for reel in REELS:
        for start, scene in zip(reel.starts(), reel.scenes, strict=True):
            yield f"{FOLDER}/{reel.name}.mp4", start, scene


def _metadata(source: str, start: float, scene: Scene) -> dict[str, Any]:
    x, y, w, h = (round(part, ROUND) for part in scene.roi)
    return {
        SOURCE_FILE: source,
        "start_time": start,
        "end_time": start + scene.script.duration,
        "roi": {"x_prop": x, "y_prop": y, "w_prop": w, "h_prop": h},
    }
