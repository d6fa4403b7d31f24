"""Log lines without secrets: keys, tokens and passwords are replaced before a line is written."""

import json
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

HIDDEN = "***"
LONGEST = 20_000  # characters of one line
# What the present work is about: `run` and `item`, the number of the work item.
about: ContextVar[dict[str, int]] = ContextVar("about", default={})  # noqa: B039 never changed
PATTERNS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"AIza[0-9A-Za-z_\-]{16,}"), HIDDEN),
    (re.compile(r"\bsk-[0-9A-Za-z_\-]{8,}"), HIDDEN),
    (re.compile(r"\bsnq_[0-9A-Za-z_\-]{8,}"), HIDDEN),  # a token of our own API
    (re.compile(r"(?i)\b(bearer|basic)\s+[0-9a-z._~+/=\-]{8,}"), rf"\1 {HIDDEN}"),
    (
        re.compile(
            r"(?i)\b(authorization|x-goog-api-key|api[-_]?key|access[-_]?token|token|secret"
            r"|password|sig|signature|lsig|key)(['\"]?\s*[=:]\s*['\"]?)"
            r"(?!\*\*\*)(?!bearer|basic)[^\s&'\",;)}\]]{6,}"
        ),
        rf"\1\2{HIDDEN}",
    ),
    # Links that make or open an account carry their token in the path.
    (re.compile(r"(/invitation/|/reset/key/|/confirm-email/)[-\w:]+"), rf"\1{HIDDEN}"),
    (re.compile(r"(?i)(\bhttps?://[^\s?'\"]+)\?[^\s'\"]+"), rf"\1?{HIDDEN}"),  # may be signed
    (re.compile(r"(://[^/\s:@]*):[^@/\s]+@"), rf"\1:{HIDDEN}@"),
)


def hide(text: str) -> str:
    """Return `text` with whatever looks like a key, a token or a password replaced."""
    for pattern, replacement in PATTERNS:
        text = pattern.sub(replacement, text)
    return text


class OneLineRefusals(logging.Filter):
    """Takes the traceback off what the server refuses on purpose; its own faults keep theirs."""

    def filter(self, record: logging.LogRecord) -> bool:
        if getattr(record, "status_code", 500) < 500:
            record.exc_info = record.exc_text = None
        return True


class SafeFormatter(logging.Formatter):
    """Hides secrets in the finished line, so in its arguments and its traceback too."""

    def format(self, record: logging.LogRecord) -> str:
        return hide(super().format(record))


@contextmanager
def telling_of(**numbers: int) -> Iterator[None]:
    """Let the lines that are logged within name a run or a work item."""
    token = about.set(about.get() | numbers)
    try:
        yield
    finally:
        about.reset(token)


class JsonFormatter(SafeFormatter):
    """One JSON object a line: time (UTC), level, logger, message, and what it is about."""

    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created, UTC)
        line: dict[str, Any] = {
            "time": moment.isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": super().format(record)[:LONGEST],
        }
        return json.dumps(line | about.get(), ensure_ascii=True)
