"""Counts in sentences."""

from annotation.domain.audit.summary import lines
from annotation.domain.counted import counted_text


def test_one_is_singular() -> None:
    assert [counted_text(n, "item") for n in (0, 1, 2)] == ["0 items", "1 item", "2 items"]


def test_the_audit_counts_one_item() -> None:
    report = {"sentences": [], "rules": [], "flags": {"a full stop alone": 1, "longest": 2}}
    assert list(lines(report))[1:] == ["a full stop alone: 1 item", "longest: 2 items"]
