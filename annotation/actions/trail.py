"""Writes the trail."""

from collections.abc import Iterable
from typing import Any

from annotation.models import Revision, User

IMPORT = "import"
SYSTEM = "system"


def record(
    *,
    by: User | str,
    verb: str,
    target_kind: str,
    target_id: int,
    benchmark_id: int | None = None,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
    reason: str = "",
) -> Revision:
    """Write one revision. Call it inside the transaction of the change that it records.

    `by` is an account, or IMPORT or SYSTEM where no person acted.
    """
    return Revision.objects.create(
        actor=by if isinstance(by, str) else by.pseudonym,
        verb=verb,
        target_kind=target_kind,
        target_id=target_id,
        benchmark_id=benchmark_id,
        before=before or {},
        after=after or {},
        reason=reason[:500],
    )


def record_many(revisions: Iterable[Revision]) -> None:
    """Write many revisions in one query; for changes that touch a video's items at once."""
    Revision.objects.bulk_create(revisions, batch_size=500)
