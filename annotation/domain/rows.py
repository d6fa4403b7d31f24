"""Reads the fields of one row of a file; what is wrong is collected, not thrown."""

import json
from dataclasses import dataclass
from typing import Any

LONGEST_TEXT = 20_000
MOST_UNKNOWN_KEYS = 50
LONGEST_KEY = 100
RESERVED = "_import"  # under which an import keeps what it needs to know the row again


@dataclass(frozen=True)
class Finding:
    """Something about a file that a person should read: refused, doubted or mapped.

    `position` is a place in the file ("row 3", counted from 0, or "line 2, column 5").
    """

    file: str
    position: str
    field: str
    reason: str

    def __str__(self) -> str:
        where = ", ".join(part for part in (self.file, self.position, self.field) if part)
        return f"{where}: {self.reason}"


class Fields:
    """The fields of one object. Each reader returns a value; after the last of them `wrong`
    lists what was not as it should be, and then the values mean nothing.
    """

    def __init__(self, row: Any, *, file: str, position: str) -> None:
        self.file, self.position = file, position
        self.wrong: list[Finding] = []
        self.row: dict[str, Any] = row if isinstance(row, dict) else {}
        if not isinstance(row, dict):
            self.refuse("", f"is {_kind(row)}, not an object")

    def refuse(self, field: str, reason: str) -> None:
        """Note that a field is wrong."""
        self.wrong.append(Finding(self.file, self.position, field, reason))

    def text(
        self, name: str, *, longest: int = LONGEST_TEXT, required: bool = True, blank: bool = False
    ) -> str:
        """Return a text field; "" where it is wrong, or absent and not required."""
        value = self.row.get(name)
        if value is None and not required:
            return ""
        if value is None:
            self.refuse(name, "is missing")
        elif not isinstance(value, str):
            self.refuse(name, f"is {_kind(value)}, not a text")
        elif len(value) > longest:
            self.refuse(name, f"has {len(value)} characters; at most {longest} are taken")
        elif not blank and required and not value.strip():
            self.refuse(name, "is blank")
        else:
            return value
        return ""

    def texts(self, name: str, *, most: int, longest: int) -> list[str]:
        """Return a list of texts; [] where it is absent, null or wrong."""
        value = self.row.get(name)
        if value is None:
            return []
        if not isinstance(value, list):
            self.refuse(name, f"is {_kind(value)}, not a list")
        elif len(value) > most:
            self.refuse(name, f"has {len(value)} entries; at most {most} are taken")
        elif not all(isinstance(text, str) and text.strip() for text in value):
            self.refuse(name, "has an entry that is no text, or blank")
        elif any(len(text) > longest for text in value):
            self.refuse(name, f"has an entry of more than {longest} characters")
        else:
            return value
        return []

    def number(self, name: str, *, low: float, high: float, required: bool = True) -> float:
        """Return a number within [low, high]; 0 where it is wrong or absent."""
        value = self.row.get(name)
        if value is None and not required:
            return 0.0
        if value is None:
            self.refuse(name, "is missing")
        elif isinstance(value, bool) or not isinstance(value, int | float):
            self.refuse(name, f"is {_kind(value)}, not a number")
        elif not low <= value <= high:
            self.refuse(name, f"is {value:g}, outside {low:g} to {high:g}")
        else:
            return float(value)
        return 0.0

    def flag(self, name: str) -> bool | None:
        """Return true, false, or None where the field is absent, null or wrong."""
        value = self.row.get(name)
        if value is not None and not isinstance(value, bool):
            self.refuse(name, f"is {_kind(value)}, not true or false")
            return None
        return value

    def inner(self, name: str) -> "Fields | None":
        """Return the reader of an object within the row, or None where there is none.

        What it finds wrong is noted in this row's list too.
        """
        value = self.row.get(name)
        if value is None:
            return None
        fields = Fields(value, file=self.file, position=self.position)
        if fields.wrong:
            self.refuse(name, f"is {_kind(value)}, not an object")
        fields.wrong = self.wrong
        return fields

    def unknown(self, known: frozenset[str]) -> dict[str, Any]:
        """Return the keys that the layout does not know, with their values, bounded."""
        found = {key: value for key, value in self.row.items() if key not in known}
        if len(found) > MOST_UNKNOWN_KEYS:
            self.refuse("", f"has {len(found)} unknown keys; at most {MOST_UNKNOWN_KEYS} are kept")
            return {}
        for key, value in found.items():
            if key == RESERVED:
                self.refuse(key, "is a key that the import keeps for itself")
            if len(key) > LONGEST_KEY:
                self.refuse(key[:40], f"is a key of {len(key)} characters")
            elif len(json.dumps(value)) > LONGEST_TEXT:
                self.refuse(key, f"is longer than {LONGEST_TEXT} characters")
        return found


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a text"
    return "a list" if isinstance(value, list) else "an object"
