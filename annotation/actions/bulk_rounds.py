"""Gives the items of a bulk action to readers of a round, and takes them back: all as one."""

from django.db import transaction

from annotation.actions.bulk import settle_bulk
from annotation.actions.round_assignment import assign_items, withdraw_items
from annotation.actions.round_locks import BadRound
from annotation.models import BulkAction, Round, User
from annotation.models.bulk import BulkState, Outcome


@transaction.atomic
def assign(bulk: BulkAction, *, by: User) -> None:
    """Give all targets at once, since they go to the readers in turn.

    Raises PermissionDenied, BadRound.
    """
    waiting = bulk.targets.filter(outcome=Outcome.WAITING)
    ids = list(waiting.order_by("pk").values_list("item_id", flat=True))
    if ids:
        try:
            given = assign_items(
                round_id=int(bulk.value), item_ids=ids, reader_ids=bulk.readers, by=by
            )
        except Round.DoesNotExist:
            raise BadRound({"round": "it is no more"}) from None
        waiting.update(outcome=Outcome.DONE, revision_id=given.pk)
    settle_bulk(bulk, BulkState.DONE)


@transaction.atomic
def withdraw(bulk: BulkAction, *, by: User) -> None:
    """Take back what nobody has begun with; what readers hold or voted on stays with them."""
    given = bulk.targets.filter(outcome=Outcome.DONE)
    for revision_id in set(given.values_list("revision_id", flat=True)):
        withdraw_items(revision_id=revision_id or 0, by=by)
    given.update(outcome=Outcome.UNDONE)
    settle_bulk(bulk, BulkState.UNDONE)
