"""Keeps rewritten options as a proposal: a person accepts or rejects it, nothing applies it."""

from collections.abc import Sequence

from django.db import transaction

from annotation.actions.trail import record
from annotation.models import ItemVersion, Repair, User
from annotation.permissions import Verb, require
from annotation.queries.repairs import LENGTH


@transaction.atomic
def propose_length(
    *, version: ItemVersion, options: Sequence[str], words: str, by: User
) -> Repair | None:
    """Keep `options`, in the published order with the key unchanged, as a proposal for
    `version`; None where one stands for it already, open or decided, or it is not current.

    It is not cosmetic: accepted, the item is looked at again. Raises ValueError where the key
    would change or the number of options, PermissionDenied unless `by` may adjudicate.
    """
    require(by, Verb.ADJUDICATE)
    key = version.key_index
    if key is None or len(options) != len(version.options) or options[key] != version.options[key]:
        raise ValueError("a proposal for lengths leaves the key and the number of options alone")
    known = Repair.objects.filter(item_version=version, kind=LENGTH).exists()
    if known or version.item.current_id != version.pk:
        return None
    made = Repair.objects.create(
        benchmark_id=version.item.benchmark_id,
        item_id=version.item_id,
        item_version=version,
        kind=LENGTH,
        changes={"options": list(options)},
        words=words[:300],
        cosmetic=False,
    )
    record(
        by=by,
        verb="propose_length",
        target_kind="item",
        target_id=version.item_id,
        benchmark_id=version.item.benchmark_id,
        after={"repair": made.pk},
        reason=words,
    )
    return made
