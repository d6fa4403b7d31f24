"""Opens threads on items, adds comments, resolves and reopens them."""

import uuid
from collections.abc import Sequence

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils import timezone

from annotation.actions.conflicts import sent_before, under_new_id
from annotation.actions.locked import lock
from annotation.actions.trail import record
from annotation.domain.edits import BadEdit, is_clean
from annotation.models import Comment, Thread, User
from annotation.permissions import Verb, has_permission, require
from annotation.queries.threads import may_see

TEXT_LIMIT = 4_000
MOST_ASKED = 20
MOST_COMMENTS = 200
MOST_OPEN = 50  # of one item


@transaction.atomic
def open_thread(
    *, thread_id: uuid.UUID, item_id: int, text: str, asked: Sequence[int] = (), by: User
) -> Thread:
    """Open a thread on an item; `asked` are accounts of readers, which adjudicators may name.

    Nobody asked means that the adjudicators are. `thread_id` is made by the client: the same
    one again returns the stored thread.

    Raises PermissionDenied, Item.DoesNotExist, BadEdit, IdTaken.
    """
    require(by, Verb.ADJUDICATE if asked else Verb.REVIEW)
    text = checked(text)
    item, current = lock(item_id)
    said = {"item_id": item_id, "opened_by_id": by.pk}
    stored = sent_before(Thread.objects.filter(pk=thread_id).first(), said, "thread")
    if stored is not None:
        return stored
    readers = readers_of(asked)
    if Thread.objects.filter(item=item, resolved_at__isnull=True).count() >= MOST_OPEN:
        raise BadEdit({"text": f"the item has {MOST_OPEN} open threads; resolve some first"})
    with under_new_id("thread or comment"):
        thread = Thread.objects.create(id=thread_id, item=item, item_version=current, opened_by=by)
        Comment.objects.create(id=thread_id, thread=thread, author=by, text=text)
    thread.asked.set(readers)
    write(thread, "open_thread", by, asked=[reader.pseudonym for reader in readers])
    return thread


@transaction.atomic
def add_comment(*, comment_id: uuid.UUID, thread_id: uuid.UUID, text: str, by: User) -> Comment:
    """Answer in a thread that `by` may see; a settled thread is open again with it.

    Raises PermissionDenied, Thread.DoesNotExist, BadEdit, IdTaken.
    """
    require(by, Verb.REVIEW)
    text = checked(text)
    thread = seen_thread(thread_id, by)
    said = {"thread_id": thread.pk, "author_id": by.pk}
    stored = sent_before(Comment.objects.filter(pk=comment_id).first(), said, "comment")
    if stored is not None:
        return stored
    if thread.comments.count() >= MOST_COMMENTS:
        raise BadEdit({"text": f"a thread has at most {MOST_COMMENTS} comments"})
    with under_new_id("comment"):
        comment = Comment.objects.create(id=comment_id, thread=thread, author=by, text=text)
    if thread.resolved_at is not None:
        thread.resolved_at = None
        thread.save(update_fields=["resolved_at"])
    write(thread, "comment", by)
    return comment


@transaction.atomic
def resolve_thread(*, thread_id: uuid.UUID, resolved: bool, by: User) -> Thread:
    """Settle a thread, or with False open it again: who opened it may, and adjudicators.

    Raises PermissionDenied, Thread.DoesNotExist.
    """
    require(by, Verb.REVIEW)
    thread = seen_thread(thread_id, by)
    if thread.opened_by_id != by.pk:
        require(by, Verb.ADJUDICATE)
    if (thread.resolved_at is not None) == resolved:
        return thread
    thread.resolved_at = timezone.now() if resolved else None
    thread.save(update_fields=["resolved_at"])
    write(thread, "resolve_thread" if resolved else "reopen_thread", by)
    return thread


def seen_thread(thread_id: uuid.UUID, by: User) -> Thread:
    """Return a thread that `by` may see, locked."""
    thread = Thread.objects.select_for_update().get(pk=thread_id)
    if not may_see(by, thread):
        raise PermissionDenied("Threads of an item open after your own vote.")
    return thread


def checked(text: str) -> str:
    text = text.strip()
    if not text or not is_clean(text, TEXT_LIMIT):
        raise BadEdit({"text": f"must be text of 1 to {TEXT_LIMIT} characters"})
    return text


def readers_of(ids: Sequence[int]) -> list[User]:
    """Return the accounts asked. Raises BadEdit where one may not review."""
    wanted = set(ids)
    if len(wanted) > MOST_ASKED:
        raise BadEdit({"asked": f"at most {MOST_ASKED} readers"})
    found = list(User.objects.filter(pk__in=wanted, is_active=True))
    if len(found) < len(wanted) or not all(has_permission(one, Verb.REVIEW) for one in found):
        raise BadEdit({"asked": "must be accounts that may review"})
    return found


def write(thread: Thread, verb: str, by: User, *, asked: Sequence[str] = ()) -> None:
    """Write the revision; the words stand in the thread, where an erased person's can go."""
    record(
        by=by,
        verb=verb,
        target_kind="thread",
        target_id=thread.item_id,
        benchmark_id=thread.item.benchmark_id,
        after={"thread": str(thread.pk), "item": thread.item_id}
        | ({"asked": list(asked)} if asked else {}),
    )
