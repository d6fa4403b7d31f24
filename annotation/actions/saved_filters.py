"""Keeps searches under a name, each for the reader who made it."""

from django.db import IntegrityError, transaction

from annotation.actions.trail import record
from annotation.domain.edits import is_clean
from annotation.models import Benchmark, SavedFilter, User
from annotation.permissions import Verb, require

NAME_LIMIT = 60
QUERY_LIMIT = 2000
MOST = 50  # of one reader in one benchmark


class BadFilter(ValueError):
    """A search cannot be kept like this; the message says why, in one sentence."""


@transaction.atomic
def save_filter(*, benchmark: Benchmark, name: str, query: str, by: User) -> SavedFilter:
    """Keep `query`, the address of a search, under a name of the reader's own.

    Raises PermissionDenied, and BadFilter for a name that is empty, too long or taken, for an
    address that is too long, and where MOST are kept already.
    """
    require(by, Verb.REVIEW)
    name = checked_name(name)
    if len(query) > QUERY_LIMIT or not is_clean(query, QUERY_LIMIT):
        raise BadFilter("The search is too long to be kept.")
    if SavedFilter.objects.filter(benchmark=benchmark, owner=by).count() >= MOST:
        raise BadFilter(f"You keep {MOST} searches here already; delete one first.")
    made = SavedFilter(benchmark=benchmark, owner=by, name=name, query=query)
    write(made)
    note("save_filter", made, by, after={"name": name, "query": query})
    return made


@transaction.atomic
def rename_filter(*, filter_id: int, name: str, by: User) -> SavedFilter:
    """Rename an own search. Raises SavedFilter.DoesNotExist, BadFilter, PermissionDenied."""
    require(by, Verb.REVIEW)
    kept = SavedFilter.objects.select_for_update().get(pk=filter_id, owner=by)
    name, before = checked_name(name), kept.name
    if name != before:
        kept.name = name
        write(kept)
        note("rename_filter", kept, by, before={"name": before}, after={"name": name})
    return kept


@transaction.atomic
def delete_filter(*, filter_id: int, by: User) -> None:
    """Delete an own search. Raises SavedFilter.DoesNotExist, PermissionDenied."""
    require(by, Verb.REVIEW)
    kept = SavedFilter.objects.select_for_update().get(pk=filter_id, owner=by)
    note("delete_filter", kept, by, before={"name": kept.name, "query": kept.query})
    kept.delete()


def checked_name(name: str) -> str:
    name = " ".join(name.split())
    if not name or not is_clean(name, NAME_LIMIT):
        raise BadFilter(f"A name of 1 to {NAME_LIMIT} characters is needed.")
    return name


def write(kept: SavedFilter) -> None:
    try:
        with transaction.atomic():
            kept.save()
    except IntegrityError:
        raise BadFilter(f"You keep a search called “{kept.name}” already.") from None


def note(
    verb: str,
    kept: SavedFilter,
    by: User,
    *,
    before: dict[str, str] | None = None,
    after: dict[str, str] | None = None,
) -> None:
    record(
        by=by,
        verb=verb,
        target_kind="filter",
        target_id=kept.pk,
        benchmark_id=kept.benchmark_id,
        before=before,
        after=after,
    )
