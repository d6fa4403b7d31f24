"""Stores what readers answer before the key is shown, and takes it back until then."""

import math
import uuid
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation.actions.conflicts import sent_before, under_new_id
from annotation.actions.locked import lock, unread
from annotation.actions.reviews import LONGEST_SITTING
from annotation.actions.trail import record
from annotation.domain.edits import is_clean
from annotation.models import Answer, Item, ItemVersion, KeySight, User
from annotation.models.answer import LONGEST_ANSWER
from annotation.models.item import Kind
from annotation.permissions import Verb, require
from annotation.queries.answering import answers_asked, has_seen_key, standing_answers


class BadAnswer(ValueError):
    """`errors` maps a field's name to what is wrong with it."""

    def __init__(self, errors: dict[str, str]) -> None:
        super().__init__("; ".join(f"{field}: {text}" for field, text in errors.items()))
        self.errors = errors


class KeyShown(Exception):
    """The key was shown to the reader already: no answer is taken, or taken back, any more."""


class AnsweredBefore(Exception):
    """The reader has answered this item as it is now, under another id."""


@transaction.atomic
def give_answer(
    *,
    answer_id: uuid.UUID,
    item_id: int,
    version_number: int,
    option_index: int | None = None,
    text: str = "",
    could_not_tell: bool = False,
    active_seconds: float = 0.0,
    by: User,
) -> Answer:
    """Store what `by` answers to a version of an item whose key was not shown to them.

    It is one of three: an option by its index in the store, a text, or that the reader could
    not tell. `answer_id` is made by the client: sending the same answer again returns the
    stored one, also after it was taken back or its key shown.

    Raises:
        PermissionDenied: `by` may not review.
        BadAnswer: not one of the three, or not for an item of this kind.
        Item.DoesNotExist: no such item.
        IdTaken: the id was used for another answer.
        StaleVersion: the item has moved on since `version_number`; no text of it is told.
        AnsweredBefore, KeyShown: the answer would not be a blind one.
    """
    require(by, Verb.REVIEW)
    check_bounds(text, active_seconds)
    item, current = lock(item_id)
    said: dict[str, Any] = {
        "item_id": item_id,
        "reader_id": by.pk,
        "option_index": option_index,
        "text": text.strip(),
        "could_not_tell": could_not_tell,
    }
    stored = sent_before(Answer.objects.filter(pk=answer_id).first(), said, "answer")
    if stored is not None:
        return stored
    if version_number != current.number:
        raise unread(current, {"version": version_number})
    check_fits(item, current, said)
    _refuse_unless_blind(item, by=by)
    said |= {"id": answer_id, "active_seconds": active_seconds}
    answer = _store(current, said, by=by)
    _record(answer, by, "give_answer")
    return answer


def _refuse_unless_blind(item: Item, *, by: User) -> None:
    if standing_answers().filter(reader=by, item=item).exists():
        raise AnsweredBefore("You have answered this item already.")
    if has_seen_key(by, item.pk):
        raise KeyShown("The key of this item was shown to you, so no answer is taken any more.")


def _store(current: ItemVersion, said: dict[str, Any], *, by: User) -> Answer:
    asked = answers_asked(by).filter(item_id=current.item_id)
    first = asked.order_by("round__opened_at", "round_id").first()
    with under_new_id("answer"):
        return Answer.objects.create(
            item_version=current,
            round_id=first.round_id if first else None,
            key_seen_before=KeySight.objects.filter(reader=by, item=current.item_id).exists(),
            **said,
        )


@transaction.atomic
def undo_answer(*, answer_id: uuid.UUID, by: User) -> Answer:
    """Take back an answer of `by` whose key was not shown yet: it is marked, not erased.

    Taking it back twice does nothing more. Raises PermissionDenied, KeyShown, and
    Answer.DoesNotExist where `by` has given no such answer.
    """
    require(by, Verb.REVIEW)
    lock(Answer.objects.values_list("item_id", flat=True).get(pk=answer_id, reader=by))
    answer = Answer.objects.select_related("item", "item_version").get(pk=answer_id)
    if answer.undone_at is not None:
        return answer
    if KeySight.objects.filter(reader=by, item_id=answer.item_id).exists():
        raise KeyShown("The key was shown to you: this answer stands as it is.")
    answer.undone_at = timezone.now()
    answer.save(update_fields=["undone_at"])
    _record(answer, by, "undo_answer")
    return answer


def check_bounds(text: str, active_seconds: float) -> None:
    errors = {}
    if not is_clean(text, LONGEST_ANSWER):
        errors["text"] = f"must be text of at most {LONGEST_ANSWER} characters"
    if not (math.isfinite(active_seconds) and 0 <= active_seconds <= LONGEST_SITTING):
        errors["active_seconds"] = f"must be from 0 to {LONGEST_SITTING:.0f}"
    if errors:
        raise BadAnswer(errors)


def check_fits(item: Item, version: ItemVersion, said: dict[str, Any]) -> None:
    """Raise BadAnswer unless `said` is one answer, of the kind that the item asks for."""
    option, text = said["option_index"], said["text"]
    given = (option is not None, bool(text), bool(said["could_not_tell"]))
    if sum(given) != 1:
        raise BadAnswer({"answer": "must be one of an option, a text, or could not tell"})
    if text and item.kind == Kind.MCQ:
        raise BadAnswer({"text": "an MCQ is answered with an option"})
    if option is not None and item.kind != Kind.MCQ:
        raise BadAnswer({"option_index": "a free response is answered with a text"})
    if option is not None and not 0 <= option < len(version.options):
        raise BadAnswer({"option_index": "must name one of the options"})


def _record(answer: Answer, by: User, verb: str) -> None:
    """The trail holds that there is an answer, not what it says: trails are exported."""
    record(
        by=by,
        verb=verb,
        target_kind="answer",
        target_id=answer.item_id,
        benchmark_id=answer.item.benchmark_id,
        after={"answer": str(answer.pk), "version": answer.item_version.number},
    )
