"""How often a run asks each kept item: its repeats, or every rotation of an MCQ's options."""

from typing import Any

from django.db.models import Case, Func, IntegerField, Value, When
from django.db.models.expressions import Combinable

from annotation.models.item import Kind


class ArrayLength(Func):
    """The length of a JSON array."""

    function = "JSON_ARRAY_LENGTH"
    output_field = IntegerField()

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, function="jsonb_array_length", **context)


def turns(*, repeats: int, circular: bool) -> Combinable:
    """Return how many answers are wanted of a row of a release, as an expression."""
    if not circular:
        return Value(repeats, output_field=IntegerField())
    options = ArrayLength("item_version__shown_order")
    return Case(
        When(item_version__item__kind=Kind.MCQ, then=options),
        default=Value(1),
        output_field=IntegerField(),
    )
