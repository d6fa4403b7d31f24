"""How a benchmark is reviewed, and whether its leaderboard is public."""

from typing import Any

from django.db import transaction

from annotation.actions.trail import record
from annotation.models import Benchmark, User
from annotation.permissions import Verb, require

RULES = ("votes_required", "is_public", "allow_player_outline", "citation", "licence")


@transaction.atomic
def set_rules(*, benchmark: Benchmark, changes: dict[str, Any], by: User) -> None:
    """Set fields of RULES. Items that are settled stay settled; the next vote counts anew.

    Raises PermissionDenied, and ValueError for another field or a number of votes that is
    not 1, 2 or 3.
    """
    require(by, Verb.ADMINISTER)
    unknown = set(changes) - set(RULES)
    if unknown or not 1 <= changes.get("votes_required", 1) <= 3:
        raise ValueError(f"cannot set {sorted(unknown) or 'votes_required'}")
    before = {field: getattr(benchmark, field) for field in changes}
    if before == changes:
        return
    for field, value in changes.items():
        setattr(benchmark, field, value)
    benchmark.save(update_fields=list(changes))
    record(
        by=by,
        verb="set_rules",
        target_kind="benchmark",
        target_id=benchmark.pk,
        benchmark_id=benchmark.pk,
        before=before,
        after=changes,
    )
