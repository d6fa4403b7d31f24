"""Times by the database's clock, so that workers on machines with other clocks agree."""

from datetime import timedelta

from django.db.models import DateTimeField, ExpressionWrapper
from django.db.models.functions import Now


def from_now(seconds: float) -> ExpressionWrapper:
    """Return the expression of the moment `seconds` after the database's present."""
    return ExpressionWrapper(Now() + timedelta(seconds=seconds), output_field=DateTimeField())
