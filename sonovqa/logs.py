"""Log lines without secrets: keys, tokens and passwords are replaced before a line is written."""

import logging
import re

HIDDEN = "***"
PATTERNS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"AIza[0-9A-Za-z_\-]{16,}"), HIDDEN),
    (re.compile(r"\bsk-[0-9A-Za-z_\-]{8,}"), HIDDEN),
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
