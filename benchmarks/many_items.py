"""Makes a large benchmark by copying one item in the database; for SQLite and PostgreSQL.

Not a measurement itself: `review_rate.py`, `page_rate.py` and `review_load.py` stand on it.
"""

from dataclasses import dataclass
from typing import Any

PER_VIDEO = 20
PER_SOURCE = 2  # videos
CATEGORIES, TYPES = 12, 3


@dataclass(frozen=True)
class Made:
    """`first` is the id of the first of `items` copies, which have consecutive ids; so have
    their versions, from `first_version` on."""

    slug: str
    benchmark: int
    items: int
    first: int
    first_version: int


def make(slug: str, items: int) -> Made:
    """Make a benchmark of `items` items in videos of PER_VIDEO."""
    from django.db import connection, transaction

    from tests import factories

    bench = factories.benchmark(slug=slug, name=f"{items:,} items")
    source = factories.source(bench, kind="file", key=f"{slug}.mp4")
    video = factories.video(bench, of=source)
    item = factories.mcq_item(video)
    version = factories.current(item).pk
    videos = -(-items // PER_VIDEO)
    with transaction.atomic():
        if connection.vendor == "sqlite":
            connection.cursor().execute("PRAGMA defer_foreign_keys = ON")
        multiply(
            "annotation_source",
            source.pk,
            -(-videos // PER_SOURCE),
            {"id": f"{source.pk} + n", "key": f"'{slug}-' || n || '.mp4'"},
        )
        multiply("annotation_video", video.pk, videos, video_changes(video, source.pk))
        multiply("annotation_item", item.pk, items, item_changes(item.pk, video, version))
        changes = {"id": f"{version} + n", "item_id": f"{item.pk} + n"}
        multiply("annotation_itemversion", version, items, changes)
    move_sequences("annotation_source", "annotation_video")
    move_sequences("annotation_item", "annotation_itemversion")
    settle()
    return Made(slug, bench.pk, items, item.pk + 1, version + 1)


def video_changes(video: Any, source_id: int) -> dict[str, str]:
    return {
        "id": f"{video.pk} + n",
        "source_id": f"{source_id} + 1 + (n - 1) / {PER_SOURCE}",
        "name": "'v' || n",
        "title": "'Video ' || n",
        "category": f"'Category ' || (n % {CATEGORIES})",
        "position": f"{video.position} + n",
    }


def item_changes(item_id: int, video: Any, version_id: int) -> dict[str, str]:
    return {
        "id": f"{item_id} + n",
        "video_id": f"{video.pk} + 1 + (n - 1) / {PER_VIDEO}",
        "index": f"(n - 1) % {PER_VIDEO}",
        "key": "'k' || n",
        "position": "n",
        "ordinal": "n",
        "video_position": f"{video.position} + 1 + (n - 1) / {PER_VIDEO}",
        "current_id": f"{version_id} + n",
        "question_type": f"'Type' || (n % {TYPES} + 1)",
        "text": "'What is shown in item ' || n || '?'",
        "state": "CASE n % 10 WHEN 0 THEN 'kept' WHEN 1 THEN 'dropped' ELSE 'todo' END",
        "keep": "CASE n % 10 WHEN 0 THEN TRUE WHEN 1 THEN FALSE END",
        "keep_source": "CASE WHEN n % 10 < 2 THEN 'import' ELSE '' END",
    }


def multiply(table: str, pk: int, count: int, changes: dict[str, str]) -> None:
    """Write `count` copies of a row; `changes` are SQL expressions over n, from 1."""
    from django.db import connection

    with connection.cursor() as cursor:
        (model,) = connection.introspection.installed_models([table])
        columns = [str(field.column) for field in model._meta.concrete_fields]
        values = ", ".join(changes.get(name, f't."{name}"') for name in columns)
        names = ", ".join(f'"{name}"' for name in columns)
        cursor.execute(
            f"WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {count}) "  # noqa: S608 our own numbers
            f'INSERT INTO "{table}" ({names}) SELECT {values} FROM s, "{table}" t WHERE t.id = {pk}'
        )


def move_sequences(*tables: str) -> None:
    """Let PostgreSQL number the next rows after those that brought their ids along."""
    from django.db import connection

    if connection.vendor == "sqlite":
        return
    with connection.cursor() as cursor:
        for table in tables:
            cursor.execute(
                f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), MAX(id)) FROM {table}"  # noqa: S608 our own names
            )


def settle() -> None:
    """Do now what the database would do in the background, in the middle of a measurement."""
    from django.db import connection

    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("ANALYZE")
        else:
            cursor.execute("VACUUM (ANALYZE)")
            cursor.execute("CHECKPOINT")


def vote(made: Made, readers: list[Any], votes: int) -> None:
    """Let the readers vote in turn: the first two on the same items, every ninth against."""

    from annotation.models import Item, Review

    def one(n: int) -> Review:
        place = (n // 2) * (made.items // votes or 1)
        drop = n % 9 == 0
        return Review(
            item_id=made.first + place % made.items,
            item_version_id=made.first_version + place % made.items,
            benchmark_id=made.benchmark,
            version_number=1,
            reviewer=readers[(n % 2) + 2 * ((n // 200) % (len(readers) // 2))],
            verdict="drop" if drop else "keep",
            reasons=[1 + n % 5] if drop else [],
            active_seconds=20,
        )

    Review.objects.bulk_create((one(n) for n in range(votes)), batch_size=2000)
    split = [
        made.first + (n // 2) * (made.items // votes or 1) % made.items for n in range(0, votes, 9)
    ]
    for start in range(0, len(split), 5000):
        Item.objects.filter(pk__in=split[start : start + 5000]).update(
            state="disagreement", keep=None, keep_source=""
        )
    settle()
