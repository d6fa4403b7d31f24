"""Items for the tests of the audit: plain ones, changed where a test needs it."""

from typing import Any

from annotation.domain.audit.items import AuditItem

DEFAULTS: dict[str, Any] = {
    "pk": 1,
    "kind": "mcq",
    "keep": True,
    "source": "s1",
    "video": "v1",
    "question_type": "T1",
    "stem": "Which plane is shown?",
    "start": 5.0,
    "end": 15.0,
    "length": 60.0,
    "roi": (0.0, 0.0, 1.0, 1.0),
    "options": ("Slide up.", "Slide down.", "Turn.", "Wait."),
    "key_index": 0,
    "mark": "A. ",
}


def mcq(**changes: Any) -> AuditItem:
    return AuditItem(**DEFAULTS | changes)


def free(**changes: Any) -> AuditItem:
    own = {"kind": "free", "options": (), "key_index": None, "mark": ""}
    return AuditItem(**DEFAULTS | own | changes)
