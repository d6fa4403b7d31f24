"""What a submitted file says: which item, and what the model replied. All else is ignored.

Two layouts are read: lines of JSON, one `{"item": KEY, "prediction": TEXT}` each, and the
lists of rows of `pred_NAME.json`. Keys, flags, scores and verdicts of a file are dropped
before anything looks at them.
"""

from collections.abc import Iterator
from typing import IO, Any, NamedTuple

from annotation.domain.rows import Fields, Finding
from annotation.domain.strict_json import BadJson, Limits, parse_json
from evaluation.domain.prediction_files import LONGEST_REPLY

LONGEST_KEY = 300
LONGEST_LINE = 1_048_576  # bytes; a reply of 200,000 characters and its escapes
LINE_LIMITS = Limits(size=LONGEST_LINE, depth=8, nodes=2_000)
MOST_ROWS = 2_000_000
USED = ("question", "original_question", "model_prediction")


class Answer(NamedTuple):
    """One reply as submitted; `position` is its line, counted from 1."""

    position: str
    item: str
    prediction: str


def read_lines(file: IO[bytes], name: str) -> Iterator[Answer | Finding]:
    """Yield the answers of a file of lines, or what is wrong, line by line; one line is held.

    Blank lines are passed over. Reading ends at a line that is too long, since what follows
    cannot be told apart any more, and after MOST_ROWS lines.
    """
    number = 0
    while data := file.readline(LONGEST_LINE + 1):
        number += 1
        position = f"line {number}"
        if len(data) > LONGEST_LINE:
            yield Finding(name, position, "", f"is longer than {LONGEST_LINE} bytes")
            return
        if number > MOST_ROWS:
            yield Finding(name, position, "", f"a file has at most {MOST_ROWS} lines")
            return
        if data.strip():
            yield _read_line(data, name, position)


def _read_line(data: bytes, name: str, position: str) -> Answer | Finding:
    try:
        value = parse_json(data, name=name, limits=LINE_LIMITS)
    except BadJson as error:
        return Finding(name, position, "", error.reason)
    row = Fields(value, file=name, position=position)
    item = row.text("item", longest=LONGEST_KEY)
    prediction = row.text("prediction", longest=LONGEST_REPLY)
    return row.wrong[0] if row.wrong else Answer(position, item, prediction)


def replies_alone(value: Any) -> Any:
    """Return a row of the original layout with nothing but questions and reply; a value that
    is no object is returned as it is, to be refused by its reader."""
    if not isinstance(value, dict):
        return value
    return {name: value[name] for name in USED if name in value}
