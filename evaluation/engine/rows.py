"""Updates many rows, each to values of its own, in one round trip."""

from collections.abc import Sequence
from typing import Any

from django.db import connection, models


def update_each(
    model: type[models.Model], names: Sequence[str], rows: Sequence[Sequence[Any]]
) -> None:
    """Set the fields `names` of each row; a row is its primary key and then the values.

    Rows that are gone are left out silently; the caller holds the lock that forbids it.
    """
    if not rows:
        return
    by_name = {field.name: field for field in model._meta.concrete_fields}
    fields = [by_name[name] for name in names]
    quote = connection.ops.quote_name
    columns = ", ".join(f"{quote(str(field.column))} = %s" for field in fields)
    table, key = quote(model._meta.db_table), quote(str(model._meta.pk.column))
    values = [
        [
            *(
                field.get_db_prep_save(value, connection)
                for field, value in zip(fields, row[1:], strict=True)
            ),
            row[0],
        ]
        for row in rows
    ]
    with connection.cursor() as cursor:
        # Table and columns are names of our own models; every value is a parameter.
        cursor.executemany(f"UPDATE {table} SET {columns} WHERE {key} = %s", values)  # noqa: S608
