"""Bodies that are checked strictly, and how the API's description tells it."""

from typing import Any

from drf_spectacular.extensions import OpenApiSerializerExtension, OpenApiSerializerFieldExtension
from rest_framework import serializers

HIGHEST_ID = 10**18 - 1  # a number of a body has 18 digits at most


class Known(serializers.Serializer[Any]):
    """Refuses fields that it does not know: a misspelt one would be lost in silence."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict):
            unknown = sorted(str(name)[:64] for name in set(data) - set(self.fields))
            if unknown:
                raise serializers.ValidationError(dict.fromkeys(unknown, "unknown field"))
        return super().to_internal_value(data)


class Text(serializers.CharField):
    """Text, and not a number or a list that could be written as text."""

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class KnownFields(OpenApiSerializerExtension):
    """No other fields."""

    target_class = Known
    match_subclasses = True

    def map_serializer(self, auto_schema: Any, direction: Any) -> dict[str, Any]:
        found: dict[str, Any] = auto_schema._map_serializer(
            self.target, direction, bypass_extensions=True
        )
        return found | {"additionalProperties": False}


class PlainText(OpenApiSerializerFieldExtension):
    """No NUL."""

    target_class = Text

    def map_serializer_field(self, auto_schema: Any, direction: Any) -> dict[str, Any]:
        found: dict[str, Any] = auto_schema._map_serializer_field(
            self.target, direction, bypass_extensions=True
        )
        return found | {"pattern": "^[^\\u0000]*$"}
