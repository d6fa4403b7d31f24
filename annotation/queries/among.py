"""Keeps the rows of a known set of ids, at one parameter a query and not one an id.

A reader may have voted on thousands of items: naming each apart takes the database longer to
read than to answer.
"""

from collections.abc import Collection
from typing import Any, TypeVar

from django.db import connection
from django.db.models import BooleanField, F, Func, QuerySet, Value

Rows = TypeVar("Rows", bound=QuerySet[Any])


class AnyOf(Func):
    """Whether a number is one of a list; PostgreSQL alone."""

    arity = 2
    output_field = BooleanField()
    template = "%(expressions)s)"
    arg_joiner = " = ANY("


def among(rows: Rows, ids: Collection[int], *, field: str = "pk") -> Rows:
    """Return those of `rows` whose ids, or those in another `field`, are among `ids`."""
    if connection.vendor != "postgresql":
        return rows.filter(**{f"{field}__in": ids})
    return rows.filter(AnyOf(F(field), Value(list(ids))))
