"""Which items of a run stand on one page of its table.

What finished last comes first, then what has not finished. A page begins after a cursor, never
at a number, and looks at no more than WALK rows: so it takes about as long in a run of a million
items as in one of a thousand. States that few items are in are gathered by their index.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet

from evaluation.models import Prediction, Run, WorkItem
from evaluation.models.run import Origin, Stage, WorkState
from evaluation.queries.run_item_filter import ItemFilter, in_state, narrowed, step_in

PAGE = 50
WALK = 50_000  # rows that one page looks at
GATHERED = 5_000  # rows of a state that are looked at; more are never listed at once
ANSWERED_ELSEWHERE = (Origin.IMPORT, Origin.SUBMISSION, Origin.READERS)  # no steps of answers
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
CURSOR = re.compile(r"(\d{0,17})~(\d{1,18})(?:~(\d{1,5}))?")
Key = tuple[int | None, int, int]  # microseconds of the end, primary key or item version, repeat


@dataclass(frozen=True)
class ItemPage:
    """`rows` are work items or predictions. `next` is the cursor of the next page, "" at the
    end; `walked` says that the page ends where its search stopped. `total` is how many rows
    there are without a filter, None where nobody has counted."""

    rows: list[Any]
    next: str = ""
    walked: bool = False
    total: int | None = None
    is_first: bool = True


def item_page(run: Run, wanted: ItemFilter, cursor: str = "", *, size: int = PAGE) -> ItemPage:
    """Return the page after `cursor`, as it stands in the address; a cursor that cannot be
    understood is the beginning. At most four queries."""
    after = read_cursor(cursor)
    first = after is None
    total = None if wanted else int(run.extra.get("answers", 0)) or None
    if run.origin in ANSWERED_ELSEWHERE:
        rows = Prediction.objects.filter(run=run).order_by("item_version_id", "repeat")
        if wanted.state:
            rows = in_state(rows, run, wanted.state)
        found, upto, walked = _walk(rows, run, wanted, _after_place(after), size)
    elif wanted.state and wanted.state != "done":
        found, upto, walked = _gathered(run, wanted, after, size)
    else:
        found, upto, walked = _finished_first(run, wanted, after, size)
    shown = [row for row in found if row.pk][:size]
    more = cursor_of(shown[-1]) if len(found) > size else (upto if walked else "")
    paths = Prediction.objects if run.origin in ANSWERED_ELSEWHERE else WorkItem.objects
    full = paths.select_related("item_version__item__video").in_bulk([row.pk for row in shown])
    return ItemPage([full[row.pk] for row in shown], more, walked, total, first)


def read_cursor(text: str) -> Key | None:
    """Read where a page begins; None for the beginning."""
    match = CURSOR.fullmatch(text)
    if match is None:
        return None
    return (int(match[1]) if match[1] else None, int(match[2]), int(match[3] or 0))


def cursor_of(row: Any) -> str:
    """Return the cursor of the page that begins after `row`."""
    if isinstance(row, Prediction):
        return f"~{row.item_version_id}~{row.repeat}"
    micro = _micro(row.finished_at)
    return f"{'' if micro is None else micro}~{row.pk}"


def _micro(moment: datetime | None) -> int | None:
    return None if moment is None else (moment - EPOCH) // timedelta(microseconds=1)


def table_rows(run: Run) -> QuerySet[WorkItem]:
    """Return the steps that stand for the items: the questions and clips that are not cut, or
    the verdicts where answers are judged again."""
    if run.origin == Origin.REJUDGE:
        return WorkItem.objects.filter(run=run, stage=Stage.JUDGE)
    asked = Q(stage=Stage.PREDICT) | (Q(stage=Stage.CLIP) & ~Q(state=WorkState.DONE))
    return WorkItem.objects.filter(asked, run=run)


Found = tuple[list[Any], str, bool]  # one more than a page holds, the last looked at, walked


def _finished_first(run: Run, wanted: ItemFilter, after: Key | None, size: int) -> Found:
    rows = table_rows(run)
    if wanted.state:
        rows = in_state(rows, run, wanted.state)
    ended = rows.filter(finished_at__isnull=False).order_by("-finished_at", "-pk")
    open_ones = rows.filter(finished_at__isnull=True).order_by("pk")
    found: list[Any] = []
    if after is None or after[0] is not None:
        found, upto, walked = _walk(ended, run, wanted, _after_end(after), size)
        if walked or len(found) > size:
            return found, upto, walked
        after = None
    later = Q() if after is None else Q(pk__gt=after[1])
    more, upto, walked = _walk(open_ones, run, wanted, later, size - len(found))
    return [*found, *more], upto, walked


def _after_end(after: Key | None) -> Q:
    if after is None or after[0] is None:
        return Q()
    at = EPOCH + timedelta(microseconds=min(after[0], 10**17 - 1))
    tied = Q(finished_at=at, pk__lt=after[1])
    return Q(finished_at__lte=at) & (Q(finished_at__lt=at) | tied)


def _after_place(after: Key | None) -> Q:
    if after is None:
        return Q()
    tied = Q(item_version_id=after[1], repeat__gt=after[2])
    return Q(item_version_id__gte=after[1]) & (Q(item_version_id__gt=after[1]) | tied)


def _walk(rows: QuerySet, run: Run, wanted: ItemFilter, later: Q, size: int) -> Found:
    """Return what fits among the next WALK rows, one more than `size`."""
    rows = rows.filter(later)
    if not wanted:
        return list(rows[: size + 1]), "", False
    looked_at = rows.values("pk")[:WALK]
    within = rows.model.objects.filter(pk__in=looked_at).order_by(*rows.query.order_by)
    found = list(narrowed(within, run, wanted)[: size + 1])
    if len(found) > size:
        return found, "", False
    last = list(rows[WALK - 1 : WALK])
    return found, cursor_of(last[0]) if last else "", bool(last)


def _gathered(run: Run, wanted: ItemFilter, after: Key | None, size: int) -> Found:
    """Return the page of those in a state that few are in."""
    steps = WorkItem.objects.filter(step_in(wanted.state), run=run)
    own = steps.exclude(stage=Stage.JUDGE).values_list("pk", flat=True)[:GATHERED]
    judged = steps.filter(stage=Stage.JUDGE).values_list("item_version_id", "repeat")[:GATHERED]
    places = set(judged)
    via = table_rows(run).filter(item_version__in={version for version, _ in places})
    rows = table_rows(run).filter(pk__in=list(own))
    candidates = {row.pk: row for row in narrowed(rows, run, wanted)}
    candidates |= {
        row.pk: row
        for row in narrowed(via, run, wanted)
        if (row.item_version_id, row.repeat) in places
    }
    ordered = sorted(candidates.values(), key=_order)
    if after is not None:
        ordered = [row for row in ordered if _order(row) > _order_of(after)]
    return ordered[: size + 1], "", False


def _order(row: WorkItem) -> tuple[bool, int, int]:
    return _order_of((_micro(row.finished_at), row.pk, 0))


def _order_of(key: Key) -> tuple[bool, int, int]:
    micro, pk, _ = key
    return (True, 0, pk) if micro is None else (False, -micro, -pk)
