"""Writes that cannot be carried out as they stand."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from django.db import IntegrityError, models, transaction

Row = TypeVar("Row", bound=models.Model)
FIRST = "Answer this item first; its key opens with your answer."


class StaleVersion(Exception):
    """The writer saw an older version than the current one.

    `base`, `current` and `yours` are JSON-ready: what the writer started from (None where
    no such version exists), what stands now, and what the writer sent. `conflicts` names the
    parts (`annotation.domain.merging.PARTS`) that both sides changed to different things;
    `mergeable` says that there are none, so that both edits can be kept.
    """

    def __init__(
        self,
        *,
        base: dict[str, Any] | None,
        current: dict[str, Any],
        yours: dict[str, Any],
        mergeable: bool = False,
        conflicts: Sequence[str] = (),
    ) -> None:
        super().__init__("The version that this was based on is no longer the current one.")
        self.base = base
        self.current = current
        self.yours = yours
        self.mergeable = mergeable
        self.conflicts = list(conflicts)


class IdTaken(Exception):
    """The client-made id belongs to something else."""


@contextmanager
def under_new_id(what: str) -> Iterator[None]:
    """Store rows under an id that a client made; all of them or none.

    An item's lock keeps nobody from using the id at another item, so that the id is free is
    known for sure only once the row is stored. Raises IdTaken where it is not.
    """
    try:
        with transaction.atomic():
            yield
    except IntegrityError:
        raise IdTaken(f"This id was used for another {what}.") from None


def sent_before(stored: Row | None, said: dict[str, Any], what: str) -> Row | None:
    """Return the row that an id names already, where it says the same: a message sent again.

    Raises IdTaken where it says something else.
    """
    if stored is not None and any(getattr(stored, name) != value for name, value in said.items()):
        raise IdTaken(f"This id was used for another {what}.")
    return stored


class AnswerFirst(Exception):
    """The reader has to answer the item before anything that tells, or needs, its key."""
