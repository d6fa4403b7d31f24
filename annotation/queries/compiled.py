"""Queries whose SQL is made once and asked many times.

A page that every reader opens every few seconds asks some thirty queries, and Django takes longer
to write the SQL of most than the database takes to answer. The text does not depend on who asks.
"""

from collections.abc import Callable
from functools import cached_property
from inspect import signature
from typing import Any

from django.db import connection
from django.db.models import Expression, QuerySet


class Given(Expression):
    """A value that is given when the query is asked, under `name`."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def as_sql(self, *_compiler: Any, **_more: Any) -> tuple[str, tuple[Any, ...]]:
        return "%s", (self,)


class Compiled:
    """The query of values that `make` returns; its parameters are filled with `Given`s.

    Values come as the driver gives them: use it for numbers and texts. SQLite has 0 and 1 for
    false and true. What `make` builds must not depend on anything that changes.
    """

    def __init__(self, make: Callable[..., QuerySet[Any, Any]]) -> None:
        self.make = make

    @cached_property
    def sql(self) -> tuple[str, tuple[Any, ...]]:
        made = self.make(*(Given(name) for name in signature(self.make).parameters))
        return made.query.sql_with_params()

    def rows(self, **given: Any) -> list[tuple[Any, ...]]:
        """Return the rows for these values; many numbers are one of them, by `one_value`."""
        sql, params = self.sql
        with connection.cursor() as cursor:
            cursor.execute(sql, [given[p.name] if isinstance(p, Given) else p for p in params])
            return cursor.fetchall()

    def column(self, **given: Any) -> list[Any]:
        """Return the first value of each row."""
        return [row[0] for row in self.rows(**given)]

    def first(self, **given: Any) -> Any:
        """Return the first value of the first row, None without one."""
        return next(iter(self.column(**given)), None)
