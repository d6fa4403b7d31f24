"""Writes many rows, each with values of its own, in one round trip."""

from collections.abc import Sequence
from typing import Any

from django.db import connection, models

Row = Sequence[Any]


def update_each(
    model: type[models.Model], keys: Sequence[str], names: Sequence[str], rows: Sequence[Row]
) -> None:
    """Set the fields `names` of the rows that `keys` name; a row is its keys, then the values.

    Rows that are gone are left out silently; the caller holds the lock that forbids it.
    """
    if not rows:
        return
    chosen = _fields(model, (*keys, *names))
    quote, split = connection.ops.quote_name, len(keys)
    columns = [f"{quote(str(field.column))} = %s" for field in chosen]
    where, changes = " AND ".join(columns[:split]), ", ".join(columns[split:])
    # Table and columns are names of our own models; every value is a parameter.
    statement = f"UPDATE {quote(model._meta.db_table)} SET {changes} WHERE {where}"  # noqa: S608
    ready = [_prepared(chosen, row) for row in rows]
    with connection.cursor() as cursor:
        cursor.executemany(statement, [(*row[split:], *row[:split]) for row in ready])


def insert_each(model: type[models.Model], names: Sequence[str], rows: Sequence[Row]) -> None:
    """Insert rows; `names` has every field that cannot be left empty."""
    if not rows:
        return
    chosen = _fields(model, names)
    quote = connection.ops.quote_name
    columns = ", ".join(quote(str(field.column)) for field in chosen)
    marks = ", ".join(["%s"] * len(chosen))
    statement = f"INSERT INTO {quote(model._meta.db_table)} ({columns}) VALUES ({marks})"  # noqa: S608
    with connection.cursor() as cursor:
        cursor.executemany(statement, [_prepared(chosen, row) for row in rows])


def _fields(model: type[models.Model], names: Sequence[str]) -> list[models.Field]:
    by_name = {field.name: field for field in model._meta.concrete_fields}
    return [by_name[name] for name in names]


def _prepared(fields: Sequence[models.Field], row: Row) -> list[Any]:
    return [
        field.get_db_prep_save(value, connection) for field, value in zip(fields, row, strict=True)
    ]
