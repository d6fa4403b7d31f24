"""Checks a JSONL of predictions against the template of a release. Needs Python alone.

    python check_predictions.py TEMPLATE.jsonl PREDICTIONS.jsonl

Prints what is wrong line by line and how complete the file is; exit status 1 if anything is.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

LONGEST = 200_000  # characters of a prediction


def rows(path: Path) -> Iterator[tuple[int, object, str]]:
    """Yield line number, value, and what is wrong with the line ("" if nothing)."""
    with path.open(encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                try:
                    yield number, json.loads(line), ""
                except (ValueError, RecursionError) as error:
                    yield number, None, f"is not JSON: {error}"


def fault(value: object, items: dict[str, dict], seen: set[str]) -> str:
    """Say what is wrong with one row, "" if nothing."""
    if not isinstance(value, dict):
        return "is not an object"
    item, prediction = value.get("item"), value.get("prediction")
    if not isinstance(item, str) or item not in items:
        return "item: is the key of no item of this release"
    if item in seen:
        return f"item: answers {item} a second time"
    if not isinstance(prediction, str) or not prediction.strip():
        return "prediction: is no text, or blank"
    if len(prediction) > LONGEST or "\0" in prediction:
        return f"prediction: has over {LONGEST} characters, or a NUL"
    letters = items[item].get("options") or {}
    if letters and len(prediction.strip()) == 1 and prediction.strip().upper() not in letters:
        return f"prediction: {prediction!r} is none of {', '.join(letters)}"
    return ""


def main(template: str, predictions: str) -> int:
    items = {row["item"]: row for _, row, _ in rows(Path(template)) if isinstance(row, dict)}
    seen: set[str] = set()
    faults = 0
    for number, value, wrong in rows(Path(predictions)):
        wrong = wrong or fault(value, items, seen)
        if wrong:
            faults += 1
            sys.stdout.write(f"line {number}: {wrong}\n")
        elif isinstance(value, dict):
            seen.add(value["item"])
    sys.stdout.write(f"{len(seen)} of {len(items)} items answered; wrong lines: {faults}\n")
    return 1 if faults else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
