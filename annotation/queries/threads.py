"""Threads as a reader may see them: those of an item after the own vote.

Who is asked, or opened a thread, sees it before the vote too; others' comments in it stay
withheld until then, for they may tell how others see the item.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery

from annotation.models import Benchmark, Comment, Item, Thread, User
from annotation.permissions import Verb, has_permission
from annotation.queries.answering import sealed_among
from annotation.queries.compiled import Compiled, Given
from annotation.queries.standing import fresh, has_voted

SHOWN_THREADS = 50  # of one item
A_PAGE = 20


@dataclass(frozen=True)
class SeenComment:
    who: str
    is_own: bool
    text: str
    at: datetime


@dataclass(frozen=True)
class SeenThread:
    """`may_settle`: the reader may resolve or reopen it; `withheld` counts comments kept back."""

    thread: Thread
    comments: tuple[SeenComment, ...]
    asked: tuple[str, ...]
    is_asked: bool
    may_settle: bool
    withheld: int

    @property
    def is_open(self) -> bool:
        return self.thread.resolved_at is None

    @property
    def waits(self) -> bool:
        """Whether the reader is asked and has not had the last word."""
        had_last_word = bool(self.comments) and self.comments[-1].is_own
        return self.is_open and self.is_asked and not had_last_word


def may_see(user: User, thread: Thread) -> bool:
    """Say whether `user` may see a thread at all."""
    if thread.opened_by_id == user.pk or has_permission(user, Verb.ADJUDICATE):
        return True
    return thread.asked.filter(pk=user.pk).exists() or has_voted(user, thread.item_id)


def threads_of(user: User, item: Item, *, voted: bool) -> list[SeenThread]:
    """Return the threads on `item` that `user` may see on its review page, open ones first; at
    most three queries. Others are not named there, so that no name sways anybody."""
    threads = Thread.objects.filter(item=item)
    if not voted:
        threads = threads.filter(Q(opened_by=user) | Q(asked=user)).distinct()
    rows = open_first(threads)[:SHOWN_THREADS]
    return seen(user, rows, voted={item.pk} if voted else set(), named=False)


def threads_by_item(user: User, item_ids: Iterable[int]) -> dict[int, list[SeenThread]]:
    """Return the threads of items for an adjudicator, with names; at most three queries."""
    ids = list(item_ids)
    found: dict[int, list[SeenThread]] = defaultdict(list)
    for one in seen(user, open_first(Thread.objects.filter(item__in=ids)), voted=ids, named=True):
        found[one.thread.item_id].append(one)
    return dict(found)


def questions_to(user: User, page: str) -> Page[Thread]:
    """Return a page of the threads that ask `user` or were opened by `user`, open ones first."""
    mine = Thread.objects.filter(Q(asked=user) | Q(opened_by=user)).distinct()
    rows = open_first(mine).select_related("item__benchmark", "item__video")
    return Paginator(rows, A_PAGE).get_page(page or 1)


def questions_seen(user: User, page: Page[Thread]) -> list[SeenThread]:
    """Return the threads of one page as `user` may see them; five queries."""
    threads = list(page.object_list)
    ids = [thread.item_id for thread in threads]
    voted = set(fresh().filter(reviewer=user, item__in=ids).values_list("item_id", flat=True))
    sealed = set(sealed_among(user, Item.objects.filter(pk__in=ids)).values_list("pk", flat=True))
    return seen(user, threads, voted=voted, sealed=sealed, named=False)


def open_first(threads: QuerySet[Thread]) -> QuerySet[Thread]:
    """Open threads, then the resolved ones; in each the newest first."""
    return threads.order_by(F("resolved_at").desc(nulls_first=True), "-created_at")


def seen(
    user: User,
    rows: Iterable[Thread],
    *,
    voted: Collection[int],
    sealed: Collection[int] = (),
    named: bool,
) -> list[SeenThread]:
    """Return threads with their comments; `voted` are the items that `user` has voted on,
    `sealed` those that they have to answer first: a question may tell the key."""
    threads = list(rows)
    if not threads:
        return []
    said: dict[object, list[Comment]] = defaultdict(list)
    comments = Comment.objects.filter(thread__in=threads).select_related("author")
    for comment in comments.order_by("created_at"):
        said[comment.thread_id].append(comment)
    asked = asked_in(threads)
    settles = has_permission(user, Verb.ADJUDICATE)
    found = []
    for thread in threads:
        open_to = None if thread.item_id in voted else (user.pk, thread.opened_by_id)
        if thread.item_id in sealed:
            open_to = (user.pk, user.pk)
        own = [one for one in said[thread.pk] if open_to is None or one.author_id in open_to]
        readers = asked[thread.pk]
        found.append(
            SeenThread(
                thread,
                tuple(as_seen(user, one, named=named) for one in own),
                tuple(called(user, one, named=named) for one in readers),
                user.pk in [one.pk for one in readers],
                settles or thread.opened_by_id == user.pk,
                len(said[thread.pk]) - len(own),
            )
        )
    return found


def asked_in(threads: Sequence[Thread]) -> dict[object, list[User]]:
    """Return who is asked in each thread, by name; one query."""
    found: dict[object, list[User]] = defaultdict(list)
    rows = Thread.asked.through.objects.filter(thread__in=threads).select_related("user")
    for row in rows.order_by("user__username"):
        found[row.thread_id].append(row.user)
    return found


def as_seen(user: User, comment: Comment, *, named: bool) -> SeenComment:
    who = called(user, comment.author, named=named)
    return SeenComment(who, comment.author_id == user.pk, comment.text, comment.created_at)


def called(user: User, other: User, *, named: bool) -> str:
    if other.pk == user.pk:
        return "You"
    if named:
        return other.get_username()
    return "Adjudicator" if has_permission(other, Verb.ADJUDICATE) else "Reviewer"


def open_threads(benchmark: Benchmark) -> QuerySet[Thread]:
    return Thread.objects.filter(item__benchmark=benchmark, resolved_at__isnull=True)


def items_with_open_threads(benchmark: Benchmark, page: str) -> Page[Item]:
    """Return a page of items with open threads, the longest waiting first."""
    own = open_threads(benchmark).filter(item=OuterRef("pk")).order_by("created_at")
    items = (
        Item.objects.filter(Exists(own), benchmark=benchmark)
        .order_by(Subquery(own.values("created_at")[:1]), "pk")
        .select_related("current", "video")
    )
    return Paginator(items, A_PAGE).get_page(page or 1)


def waiting_for(user: User) -> int:
    """Count the open threads in which `user` is asked and has not had the last word."""
    return len(WAITING.rows(user=user.pk))


def waiting(user: Given) -> QuerySet[Thread, Any]:
    last = Comment.objects.filter(thread=OuterRef("pk")).order_by("-created_at")
    asking = Thread.objects.filter(asked=user, resolved_at__isnull=True).order_by()
    asking = asking.annotate(last_word=Subquery(last.values("author")[:1]))
    return asking.exclude(last_word=user).values_list("pk")


WAITING = Compiled(waiting)
