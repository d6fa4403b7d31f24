"""The seal on an item that its reader is to answer first, and who was shown which key."""

from collections.abc import Iterable

from annotation.actions.conflicts import FIRST, AnswerFirst
from annotation.models import ItemVersion, KeySight, User
from annotation.queries.answering import is_sealed, was_shown_key


def note_key_shown(*, version: ItemVersion, by: User) -> None:
    """Keep that the key of `version`, the current one of its item, is being shown to `by`.

    One query where it was shown before. The row is a record of its own and needs no revision.
    """
    if not was_shown_key(by, version.item_id):
        KeySight.objects.bulk_create(
            [KeySight(item_id=version.item_id, item_version=version, reader=by)],
            ignore_conflicts=True,
        )


def note_keys_shown(*, versions: Iterable[ItemVersion], by: User) -> None:
    """Keep that the keys of `versions`, each the current one of its item, are being shown to
    `by`. One query."""
    KeySight.objects.bulk_create(
        [KeySight(item_id=one.item_id, item_version=one, reader=by) for one in versions],
        ignore_conflicts=True,
    )


def refuse_while_sealed(*, item_id: int, by: User) -> None:
    """Raise AnswerFirst where `by` has to answer the item before they may do this."""
    if is_sealed(by, item_id):
        raise AnswerFirst(FIRST)
