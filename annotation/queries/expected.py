"""How many rows PostgreSQL expects of a query, without asking it."""

import json
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import QuerySet


def expected(rows: QuerySet[Any]) -> int:
    """Return how many rows PostgreSQL expects; 0 on another database."""
    if connection.vendor != "postgresql":
        return 0
    try:
        sql, given = rows.values_list("pk").query.sql_with_params()
    except EmptyResultSet:
        return 0
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}", given)
        (told,) = cursor.fetchone()
    plan = json.loads(told) if isinstance(told, str) else told
    return int(plan[0]["Plan"]["Plan Rows"])
