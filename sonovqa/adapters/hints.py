"""What providers say about their limits in the headers of a reply."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from sonovqa.adapters.errors import seconds_of

KINDS = ("requests", "tokens")
PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def used_up_for(headers: Mapping[str, str]) -> float:
    """Return for how many seconds the limit of requests or tokens is used up, 0 where it is not.

    Reads `x-ratelimit-remaining-KIND` and `x-ratelimit-reset-KIND`, as OpenAI, Groq, vLLM
    gateways and others send them.
    """
    waits = (
        length(headers.get(f"x-ratelimit-reset-{kind}")) or 0.0
        for kind in KINDS
        if (headers.get(f"x-ratelimit-remaining-{kind}") or "").strip() == "0"
    )
    return max(waits, default=0.0)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds after which a provider wants to be asked again, None where it does
    not say: Retry-After, else the reset of what is used up."""
    exact = headers.get("retry-after-ms")
    if exact and (found := seconds_of(exact)) is not None:
        return found / 1000
    asked = headers.get("retry-after")
    found = seconds_of(asked)
    if found is None and asked:
        found = until(asked)
    return found if found is not None else (used_up_for(headers) or None)


def until(date: str) -> float | None:
    """Return the seconds until an HTTP date, 0 to 3600; None where it is none."""
    try:
        moment = parsedate_to_datetime(date[:64])
    except (ValueError, OverflowError):  # a year or a zone of twenty digits is the latter
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return min(max(0.0, (moment - datetime.now(UTC)).total_seconds()), 3600.0)


def length(text: str | None) -> float | None:
    """Read `6m0s`, `120ms`, `1.5` or `2h` as seconds, at most an hour; None for anything else."""
    if not text or len(text) > 40:
        return None
    plain = seconds_of(text)
    if plain is not None:
        return plain
    parts = PART.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text.strip():
        return None
    return min(sum(float(number) * UNITS[unit] for number, unit in parts), 3600.0)
