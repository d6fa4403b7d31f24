"""How far a reader is: in a whole benchmark, and video by video; exact, from their own votes."""

from collections.abc import Collection
from typing import Any

from django.db.models import Count, F, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.models import Benchmark, Item, User
from annotation.queries.among import AnyOf, one_value
from annotation.queries.compiled import Compiled, Given
from annotation.queries.counts import item_count
from annotation.queries.standing import own_counting, seen_as, voted_on


def items_of(benchmark: Benchmark | int | Given) -> QuerySet[Item]:
    """Return the items that a benchmark shows, in no order."""
    return Item.objects.filter(benchmark=benchmark, current__isnull=False).order_by()


def count(user: User, benchmark: Benchmark) -> dict[str, int]:
    """Return how many items each filter of the queue lets through, by its name; one query."""
    total = item_count(benchmark)
    ((voted, stale, disagree),) = COUNTED.rows(user=user.pk, benchmark=benchmark.pk)
    return {"all": total, "todo": total - voted + stale, "disagree": disagree, "stale": stale}


def counted(user: Given, benchmark: Given) -> QuerySet[Benchmark, Any]:
    items = items_of(benchmark)
    return Benchmark.objects.filter(pk=benchmark).values_list(
        how_many(own_counting(user, benchmark), "item"),
        how_many(seen_as(items, user, benchmark, "stale")),
        how_many(seen_as(items, user, benchmark, "disagreement")),
    )


def how_many(rows: QuerySet[Any], of: str = "pk") -> Coalesce:
    """Return the number of different values in rows of one benchmark, for a query around."""
    found = rows.values("benchmark").annotate(counted=Count(of, distinct=of != "pk"))
    return Coalesce(Subquery(found.values("counted")), 0)


def own_counts(user: User, benchmark: Benchmark) -> dict[str, int]:
    """Return how far a reader is: `done` of `total`, and the `disagreements` among them."""
    counts = count(user, benchmark)
    return {
        "done": counts["all"] - counts["todo"],
        "total": counts["all"],
        "disagreements": counts["disagree"],
    }


def done_by_video(user: User, benchmark: Benchmark, video_ids: Collection[int]) -> dict[int, int]:
    """Return on how many items of each video a vote of the reader stands; one query."""
    ids = one_value(video_ids)
    return dict(DONE.rows(user=user.pk, benchmark=benchmark.pk, videos=ids))


def done_in(user: Given, benchmark: Given, videos: Given) -> QuerySet[Item, Any]:
    return by_video(voted_on(items_in(benchmark, videos), user, benchmark))


def total_by_video(benchmark: Benchmark, video_ids: Collection[int]) -> dict[int, int]:
    """Return how many items each video shows; one query."""
    return dict(TOTAL.rows(benchmark=benchmark.pk, videos=one_value(video_ids)))


def items_in(benchmark: Given, videos: Given) -> QuerySet[Item]:
    return items_of(benchmark).filter(AnyOf(F("video"), videos))


def by_video(items: QuerySet[Item]) -> QuerySet[Item, Any]:
    return items.values_list("video_id").annotate(number=Count("pk"))


COUNTED = Compiled(counted)
DONE = Compiled(done_in)
TOTAL = Compiled(lambda benchmark, videos: by_video(items_in(benchmark, videos)))
