"""Finds the result sets in a clone of the published benchmark."""

import re
from dataclasses import dataclass
from pathlib import Path

FIRST_SET = ("final_scores_all_MCQ", "final_scores_all_free")
FIRST_MODEL = "Gemini 3 Pro"
OTHERS = "_result"  # <model>_result/scores_mcq2, <model>_result/scores_free2, …
NAMES = {
    "qwen": "Qwen3.5-397B",
    "seed": "Seed 2.0 Pro",
    "llava": "LLaVA-Video-72B",
}
SCORED = re.compile(r"scores?_(mcq|free)(\d*)", re.IGNORECASE)
PREDICTED = re.compile(r"(mcq|free)(\d*)", re.IGNORECASE)


@dataclass(frozen=True)
class ResultSet:
    """The folders that hold one model's results: its MCQs, its free responses, or both."""

    model: str
    folders: tuple[Path, ...]


def find(clone: Path) -> list[ResultSet]:
    """Return the result sets below `clone`, in order of name, the first set first.

    Scored files stand above bare predictions of the same kind, and a folder with a higher
    number above one with a lower. Folders without result files are passed over.
    """
    sets = []
    first = tuple(clone / name for name in FIRST_SET if has_results(clone / name))
    if first:
        sets.append(ResultSet(FIRST_MODEL, first))
    for folder in sorted(clone.glob(f"*{OTHERS}")):
        folders = best_folders(folder) if folder.is_dir() else ()
        if folders:
            sets.append(ResultSet(model_name(folder.name.removesuffix(OTHERS)), folders))
    return sets


def best_folders(folder: Path) -> tuple[Path, ...]:
    """Return the best folder of each kind below `folder`: MCQ, then free response."""
    best: dict[str, tuple[bool, int, Path]] = {}
    for path in sorted(folder.iterdir()):
        for pattern, scored in ((SCORED, True), (PREDICTED, False)):
            found = pattern.fullmatch(path.name)
            if found and has_results(path):
                kind = found[1].lower()
                best[kind] = max(
                    best.get(kind, (False, -1, path)), (scored, int(found[2] or 0), path)
                )
    return tuple(best[kind][2] for kind in ("mcq", "free") if kind in best)


def has_results(folder: Path) -> bool:
    """Say whether `folder` holds prediction files, scored or not."""
    return any(folder.glob("score_pred_*.json")) or any(folder.glob("pred_*.json"))


def model_name(stem: str) -> str:
    """Return the model's name: the one known for the folder, else the folder's own words."""
    return NAMES.get(stem.lower()) or stem.replace("_", " ").strip() or "Unnamed model"
