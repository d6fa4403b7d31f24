"""What is said about a benchmark as a whole."""

from django.db import transaction

from annotation.actions.trail import record
from annotation.models import Benchmark, User


@transaction.atomic
def describe_benchmark(
    *, benchmark: Benchmark, name: str, description: str, attribution: str, by: User | str
) -> bool:
    """Set name, description and attribution; returns whether anything changed."""
    wanted = {"name": name, "description": description, "attribution": attribution}
    before = {field: getattr(benchmark, field) for field in wanted}
    if before == wanted:
        return False
    for field, value in wanted.items():
        setattr(benchmark, field, value)
    benchmark.save(update_fields=list(wanted))
    record(
        by=by,
        verb="describe_benchmark",
        target_kind="benchmark",
        target_id=benchmark.pk,
        benchmark_id=benchmark.pk,
        before=before,
        after=wanted,
    )
    return True
