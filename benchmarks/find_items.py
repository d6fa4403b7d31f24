"""Makes the items, votes and flags that `find_rate.py` searches, by copying rows in PostgreSQL.

Not a measurement itself. The words of questions stand in all of them, in half, in one of 400 or
2,000, in one alone, or in those of the last videos.
"""

from typing import Any

PER_VIDEO = 50
SLUG = "many"
ORGANS = ("aorta", "kidney", "liver", "spleen", "bladder", "uterus", "ovary", "thyroid", "thigh")
CATEGORIES = ("Vascular", "Abdomen", "Obstetric", "Rare one")


def multiply(table: str, pk: Any, count: int, changes: dict[str, str]) -> None:
    """Write `count` copies of a row; `changes` are SQL expressions over n, from 1."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT column_name FROM information_schema.columns"
            " WHERE table_name = %s AND is_generated = 'NEVER'",
            [table],
        )
        columns = [name for (name,) in cursor.fetchall()]
        values = ", ".join(changes.get(name, f't."{name}"') for name in columns)
        names = ", ".join(f'"{name}"' for name in columns)
        cursor.execute(  # without parameters, so that % means what it says
            f'INSERT INTO "{table}" ({names}) SELECT {values} FROM generate_series(1, {count}) n, '  # noqa: S608 our own names
            f"\"{table}\" t WHERE t.id = '{pk}'"
        )


def chosen(names: Any, number: str) -> str:
    listed = ", ".join(f"'{name}'" for name in names)
    return f"(ARRAY[{listed}])[1 + ({number}) % {len(names)}]"


def make(items: int) -> dict[str, int]:
    """Fill the tables; return what the searches name."""
    from django.db import connection, transaction

    from annotation.models import Review
    from tests import factories

    bench = factories.benchmark(slug=SLUG, name="Many items")
    reader = factories.account("reader")
    factories.account("adjudicator", role="adjudicator")
    video = factories.video(bench, title="v0", position=0)
    item = factories.mcq_item(video)
    version = factories.current(item)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        videos = items // PER_VIDEO
        multiply("annotation_video", video.pk, videos, video_changes(video.pk, videos))
        multiply("annotation_item", item.pk, items, item_changes(item, version.pk, items))
        ids = {"id": f"{version.pk} + n", "item_id": f"{item.pk} + n"}
        multiply("annotation_itemversion", version.pk, items, ids)
    vote = Review.objects.create(
        item=item, item_version=version, reviewer=reader, verdict="drop", reasons=[3]
    )
    votes(vote, item.pk, version.pk, items)
    flags(bench, item, items)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    half = items // 2
    return {"far": half, "one": half, "reader": reader.pk, "here": item.pk + half}


def video_changes(first: int, videos: int) -> dict[str, str]:
    """Return what is different in each video: three long runs of categories, and a rare one."""
    run = chosen(CATEGORIES[:3], f"n / ({videos} / 3 + 1)")
    rare = f"n % {min(997, videos)} = 0"
    return {
        "id": f"{first} + n",
        "name": "'v' || n",
        "title": "'v' || n",
        "position": "n",
        "category": f"CASE WHEN {rare} THEN '{CATEGORIES[3]}' ELSE {run} END",
    }


def item_changes(item: Any, version_id: int, items: int) -> dict[str, str]:
    """Return what is different in each item: its place, and what searches ask about."""
    place = f"(n - 1) / {PER_VIDEO}"
    state = (
        "CASE WHEN n % 1000 = 0 THEN 'disagreement' WHEN n % 10 < 3 THEN 'kept'"
        " WHEN n % 10 = 3 THEN 'dropped' ELSE 'todo' END"
    )
    types = "CASE WHEN n % 5000 = 1 THEN 'Type9_Rare' ELSE 'Type' || 1 + n % 3 || '_Artifact' END"
    return {
        "id": f"{item.pk} + n",
        "video_id": f"{item.video_id} + 1 + {place}",
        "video_position": f"1 + {place}",
        "index": f"(n - 1) % {PER_VIDEO}",
        "kind": "CASE WHEN n % 4 = 0 THEN 'free' ELSE 'mcq' END",
        "key": "'k' || n",
        "position": "n",
        "ordinal": "n",
        "current_id": f"{version_id} + n",
        "question_type": types,
        "start": "n % 31",
        "end": "n % 31 + 1 + (n % 5900 * 7919 % 5900) / 100.0",
        "text": question(items),
        "state": state,
        "keep": f"CASE {state} WHEN 'kept' THEN true WHEN 'dropped' THEN false END",
        "keep_source": f"CASE WHEN {state} NOT IN ('kept', 'dropped') THEN '' "
        "WHEN n % 500 = 1 THEN 'adjudicator' ELSE 'votes' END",
    }


def question(items: int) -> str:
    """Return the text of an item: words of all, of half, of one in 400 and 2,000, of one alone,
    and of the last 3 %."""
    organ = chosen(ORGANS, f"(n / ({items} / {len(ORGANS)} + 1))")
    return (
        "'What does the operator do ' || CASE n % 2 WHEN 0 THEN 'with the probe' ELSE 'next' END"
        f" || ' at the ' || {organ} || ', lesion' || n || ' plane' || n % 400"
        " || CASE WHEN n % 2000 = 7 THEN ' near the appendix' ELSE '' END"
        f" || CASE WHEN n > {items} * 0.97 THEN ' with the gallstone' ELSE '' END || '?'"
    )


def votes(vote: Any, item_pk: int, version_pk: int, items: int) -> None:
    """5,000 votes of the reader, and those of four others on a tenth of the items."""
    from tests import factories

    for share, reader in ((200, vote.reviewer), *((40, factories.account()) for _ in range(4))):
        multiply(
            "annotation_review",
            vote.pk,
            items // share,
            {
                "id": "gen_random_uuid()",
                "item_id": f"{item_pk} + n * {share}",
                "item_version_id": f"{version_pk} + n * {share}",
                "reviewer_id": str(reader.pk),
                "verdict": "CASE WHEN n % 5 = 0 THEN 'drop' ELSE 'keep' END",
                "reasons": "CASE WHEN n % 5 = 0 THEN jsonb_build_array(1 + n % 9) "
                "ELSE '[]'::jsonb END",
            },
        )


def flags(bench: Any, item: Any, items: int) -> None:
    from django.utils import timezone

    from annotation.models import AuditFlag, ShortcutAudit

    audit = ShortcutAudit.objects.create(
        benchmark=bench, state="done", finished_at=timezone.now(), report={}
    )
    flag = AuditFlag.objects.create(audit=audit, item=item, flag="clip-under-2s", reason="Short.")
    multiply(
        "annotation_auditflag",
        flag.pk,
        items // 20,
        {"id": f"{flag.pk} + n", "item_id": f"{item.pk} + n * 20"},
    )
