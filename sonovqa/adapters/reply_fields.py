"""Reads fields of replies that may be anything."""

import json
from collections.abc import Mapping
from typing import Any

from sonovqa.adapters import errors

MOST_TOKENS = 2**31 - 1  # what the database counts to


def read_object(body: bytes) -> Mapping[str, Any]:
    """Return a body's JSON object. Raises errors.Unparsable."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise errors.Unparsable("the reply is not JSON") from None
    if not isinstance(found, dict):
        raise errors.Unparsable("the reply is no JSON object")
    return found


def told_error(body: bytes) -> Mapping[str, Any]:
    """Return what the body of a refusal says of the error, nothing where it says nothing."""
    try:
        found = mapping(json.loads(body))
    except (ValueError, RecursionError):
        return {}
    return mapping(found.get("error", found))


def mapping(value: Any) -> Mapping[str, Any]:
    """Return what should be an object, empty where it is none."""
    return value if isinstance(value, Mapping) else {}


def rows(value: Any) -> list[Any]:
    """Return what should be a list, empty where it is none."""
    return value if isinstance(value, list) else []


def count(value: Any) -> int:
    """Return a number of tokens; 0 for what is none."""
    return int(value) if isinstance(value, int | float) and 0 <= value <= MOST_TOKENS else 0
