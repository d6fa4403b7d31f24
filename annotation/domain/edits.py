"""What an edit of an item may say, and what two edits have in common."""

import math
from collections.abc import Mapping
from typing import Any

from annotation.domain.roi import Roi

TEXT_FIELDS = ("stem", "reference_answer", "question_type")
TIME_FIELDS = ("start", "end")
FIELDS = (
    "stem",
    "options",
    "key_index",
    "reference_answer",
    "accepted_variants",
    "question_type",
    *TIME_FIELDS,
    "roi",
)
TEXT_LIMIT = 8_000
OPTION_LIMIT = 2_000
OPTIONS_LIMIT = 10
VARIANT_LIMIT = 2_000
VARIANTS_LIMIT = 10
TYPE_LIMIT = 64
SHORTEST_WINDOW = 0.05  # seconds; the shortest published clip is 0.42 s
WINDOW_SLACK = 1.0  # published windows end up to 0.35 s after their segment


class BadEdit(ValueError):
    """`errors` maps a field's name to what is wrong with it."""

    def __init__(self, errors: dict[str, str]) -> None:
        super().__init__("; ".join(f"{field}: {text}" for field, text in errors.items()))
        self.errors = errors


def check(content: Mapping[str, Any], *, kind: str, segment: float) -> None:
    """Raise BadEdit unless `content` (a value for each of FIELDS) can be an item version.

    Args:
        content: the whole content after the edit; times in seconds from the start of the video.
        kind: "mcq" or "free".
        segment: length of the video in seconds.
    """
    errors = text_errors(content) | window_errors(content, segment) | roi_errors(content["roi"])
    errors |= variant_errors(content, kind)
    if kind == "mcq":
        errors |= option_errors(content)
    elif content["options"] or content["key_index"] is not None:
        errors["options"] = "a free-response item has no options"
    elif not content["reference_answer"].strip():
        errors["reference_answer"] = "must not be empty"
    if errors:
        raise BadEdit(errors)


def text_errors(content: Mapping[str, Any]) -> dict[str, str]:
    errors = {}
    if not content["stem"].strip():
        errors["stem"] = "must not be empty"
    for field in TEXT_FIELDS:
        limit = TYPE_LIMIT if field == "question_type" else TEXT_LIMIT
        if not is_clean(content[field], limit):
            errors[field] = f"must be text of at most {limit} characters"
    return errors


def is_clean(text: object, limit: int) -> bool:
    """Say whether `text` can be stored everywhere: no NUL, no lone surrogate, not too long."""
    if not isinstance(text, str) or len(text) > limit or "\x00" in text:
        return False
    return not any(0xD800 <= ord(sign) <= 0xDFFF for sign in text)


def option_errors(content: Mapping[str, Any]) -> dict[str, str]:
    options, key = content["options"], content["key_index"]
    if not 2 <= len(options) <= OPTIONS_LIMIT:
        return {"options": f"an MCQ has 2 to {OPTIONS_LIMIT} options"}
    if not all(is_clean(option, OPTION_LIMIT) and option.strip() for option in options):
        return {"options": f"each option is text of 1 to {OPTION_LIMIT} characters"}
    if len({option.strip() for option in options}) < len(options):
        return {"options": "two options are equal"}
    if key is None or not 0 <= key < len(options):
        return {"key_index": "must name one of the options"}
    return {}


def variant_errors(content: Mapping[str, Any], kind: str) -> dict[str, str]:
    """Other answers that are as good as the reference answer; an MCQ has its key alone."""
    variants = content["accepted_variants"]
    if not variants:
        return {}
    if kind == "mcq":
        return {"accepted_variants": "an MCQ has a key and no accepted variants"}
    if len(variants) > VARIANTS_LIMIT:
        return {"accepted_variants": f"at most {VARIANTS_LIMIT} variants are taken"}
    if not all(is_clean(text, VARIANT_LIMIT) and text.strip() for text in variants):
        return {"accepted_variants": f"each variant is text of 1 to {VARIANT_LIMIT} characters"}
    said = [content["reference_answer"].strip(), *(text.strip() for text in variants)]
    if len(set(said)) < len(said):
        return {"accepted_variants": "two accepted answers are equal"}
    return {}


def roi_errors(box: Mapping[str, float] | None) -> dict[str, str]:
    """The item's own box, keys x, y, w, h in fractions of the frame; None follows the video."""
    try:
        if box is not None:
            Roi(**box)
    except (TypeError, ValueError) as error:
        return {"roi": str(error)}
    return {}


def window_errors(content: Mapping[str, Any], segment: float) -> dict[str, str]:
    start, end = content["start"], content["end"]
    if not (math.isfinite(start) and math.isfinite(end)) or start < 0:
        return {"start": "must be a time from 0 on"}
    if end - start < SHORTEST_WINDOW:
        return {"end": "the window must end after it starts"}
    if end > segment + WINDOW_SLACK:
        return {"end": "the window must end with its video"}
    return {}


def changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Return the names of the fields in which two contents differ."""
    return [field for field in FIELDS if before[field] != after[field]]
