"""How the items of a benchmark are to be judged."""

from django.db import transaction

from annotation.actions.trail import record
from annotation.domain.guidelines import LIMIT
from annotation.models import Benchmark, User
from annotation.permissions import Verb, require


@transaction.atomic
def write_guidelines(*, benchmark: Benchmark, text: str, by: User) -> None:
    """Set the guidelines, Markdown of at most `domain.guidelines.LIMIT` characters.

    The trail keeps what they said before. Raises PermissionDenied, and ValueError for a
    longer text.
    """
    require(by, Verb.IMPORT)
    if len(text) > LIMIT:
        raise ValueError(f"guidelines have at most {LIMIT} characters")
    before = benchmark.guidelines
    if text == before:
        return
    benchmark.guidelines = text
    benchmark.save(update_fields=["guidelines"])
    record(
        by=by,
        verb="write_guidelines",
        target_kind="benchmark",
        target_id=benchmark.pk,
        benchmark_id=benchmark.pk,
        before={"guidelines": before},
        after={"guidelines": text},
    )
