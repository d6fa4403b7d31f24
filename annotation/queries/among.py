"""Keeps the rows of a known set of ids, at one parameter a query and not one an id.

A reader may have voted on thousands of items: naming each apart takes the database longer to
read than to answer.
"""

import json
from collections.abc import Collection
from typing import Any, TypeVar

from django.db import connection
from django.db.models import BooleanField, F, Func, QuerySet, Value

Rows = TypeVar("Rows", bound=QuerySet[Any])


class AnyOf(Func):
    """Whether a number is one of a list, as `one_value` makes it."""

    arity = 2
    output_field = BooleanField()
    template = "%(expressions)s)"
    arg_joiner = " = ANY("

    def as_sqlite(self, compiler: Any, connection: Any, **more: Any) -> tuple[str, Any]:
        more |= {"arg_joiner": " IN (SELECT value FROM json_each(", "template": "%(expressions)s))"}
        return self.as_sql(compiler, connection, **more)


def one_value(ids: Collection[int]) -> Any:
    """Return numbers as the one parameter that `AnyOf` takes."""
    return list(ids) if connection.vendor == "postgresql" else json.dumps(list(ids))


def among(rows: Rows, ids: Collection[int], *, field: str = "pk") -> Rows:
    """Return those of `rows` whose ids, or those in another `field`, are among `ids`."""
    return rows.filter(AnyOf(F(field), Value(one_value(ids))))
