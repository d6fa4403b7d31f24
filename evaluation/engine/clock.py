"""Times by the database's clock, so that workers on machines with other clocks agree."""

from datetime import timedelta

from django.db import connection
from django.db.models import DateTimeField, ExpressionWrapper
from django.db.models.functions import Now


def from_now(seconds: float) -> ExpressionWrapper:
    """Return the expression of the moment `seconds` after the database's present."""
    return ExpressionWrapper(Now() + timedelta(seconds=seconds), output_field=DateTimeField())


def later(seconds: float) -> tuple[str, str | float]:
    """Return the same moment as SQL with one parameter, and the parameter."""
    if connection.vendor == "sqlite":
        return "STRFTIME('%%Y-%%m-%%d %%H:%%M:%%f', 'NOW', %s)", f"{seconds:+.3f} seconds"
    return "STATEMENT_TIMESTAMP() + make_interval(secs => %s)", seconds
