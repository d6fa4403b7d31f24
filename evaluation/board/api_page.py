"""The API's description as its page shows it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Operation:
    """One address that can be asked: parameters, fields of the body and of the answer as
    (name, type, words)."""

    method: str
    path: str
    summary: str
    needs_account: bool
    parameters: list[tuple[str, str, str]]
    body: list[tuple[str, str, str]]
    fields: list[tuple[str, str, str]]


def operations(schema: Mapping[str, Any]) -> list[Operation]:
    """Return the operations of an OpenAPI 3 description, in its order."""
    return [
        Operation(
            method=method.upper(),
            path=path,
            summary=found.get("summary", ""),
            needs_account={} not in found.get("security", [{}]),
            parameters=[
                (one["name"], _type(one["schema"]), one.get("description", ""))
                for one in found.get("parameters", [])
            ],
            body=_fields(found.get("requestBody", {}), schema),
            fields=_fields(_answer(found), schema),
        )
        for path, methods in schema["paths"].items()
        for method, found in methods.items()
    ]


def _answer(found: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the answer of an operation that went well."""
    answers: Mapping[str, Mapping[str, Any]] = found["responses"]
    return next(answers[status] for status in sorted(answers) if status.startswith("2"))


def _fields(found: Mapping[str, Any], schema: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    content: Mapping[str, Any] = found.get("content", {})
    parts = _resolved(next((one["schema"] for one in content.values()), {}), schema)
    results = parts.get("properties", {}).get("results")
    if results:
        parts = _resolved(results["items"], schema)
    return [
        (name, _type(one), one.get("description", ""))
        for name, one in parts.get("properties", {}).items()
    ]


def _resolved(part: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = part.get("$ref", "")
    if not reference:
        return part
    found: Mapping[str, Any] = schema["components"]["schemas"][reference.rsplit("/", 1)[1]]
    return found


def _type(part: Mapping[str, Any]) -> str:
    if "$ref" in part or "allOf" in part:
        return "object"
    if "enum" in part:
        return f"one of {', '.join(str(one) for one in part['enum'])}"
    kind = part.get("format") or part.get("type", "")
    return f"list of {_type(part['items'])}" if "items" in part else str(kind)
