"""What is found out about a source when it is opened."""

from typing import Any

from django.db import transaction

from annotation.actions.trail import SYSTEM, record
from annotation.models import Source, User


@transaction.atomic
def record_finding(
    *,
    source_id: int,
    state: str | None = None,
    width: int | None = None,
    height: int | None = None,
    duration: float | None = None,
    by: User | str = SYSTEM,
) -> bool:
    """Keep the state, size (pixels) and duration (seconds) of a source; None leaves a value.

    Returns whether anything changed; only a change writes a revision.
    """
    source = Source.objects.get(pk=source_id)
    found = {"state": state, "width": width, "height": height, "duration": duration}
    before: dict[str, Any] = {}
    for name, value in found.items():
        if value is not None and value != getattr(source, name):
            before[name] = getattr(source, name)
            setattr(source, name, value)
    if not before:
        return False
    source.save(update_fields=list(before))
    record(
        by=by,
        verb="source_finding",
        target_kind="source",
        target_id=source.pk,
        benchmark_id=source.benchmark_id,
        before=before,
        after={name: found[name] for name in before},
    )
    return True
