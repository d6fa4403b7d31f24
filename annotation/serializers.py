"""What the API takes in: types and bounds. Whether it fits the item is for the actions."""

from typing import Any

from rest_framework import serializers

from annotation.actions.reviews import COMMENT_LIMIT, LONGEST_SITTING
from annotation.domain import edits
from annotation.models.review import DropReason, Verdict


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


def text(limit: int, **options: Any) -> Text:
    return Text(max_length=limit, allow_blank=True, trim_whitespace=False, **options)


def whole(least: int, most: int, **options: Any) -> serializers.IntegerField:
    return serializers.IntegerField(min_value=least, max_value=most, **options)


class VoteIn(Known):
    """`reader` is the account that voted: a vote kept in a browser never goes out as
    somebody else's."""

    version = whole(1, 2**31 - 1)
    verdict = serializers.ChoiceField(choices=Verdict.choices)
    reasons = serializers.ListField(
        child=serializers.ChoiceField(choices=DropReason.choices), max_length=9, default=list
    )
    comment = text(COMMENT_LIMIT, default="")
    active_seconds = serializers.FloatField(min_value=0, max_value=LONGEST_SITTING, default=0.0)
    reader = whole(1, 2**63 - 1, required=False)


class ChangesIn(Known):
    stem = text(edits.TEXT_LIMIT, required=False)
    options = serializers.ListField(
        child=text(edits.OPTION_LIMIT), max_length=edits.OPTIONS_LIMIT, required=False
    )
    key_index = whole(0, edits.OPTIONS_LIMIT, required=False)
    reference_answer = text(edits.TEXT_LIMIT, required=False)
    question_type = text(edits.TYPE_LIMIT, required=False)
    start = serializers.FloatField(min_value=0, max_value=1e6, required=False)
    end = serializers.FloatField(min_value=0, max_value=1e6, required=False)


class DecisionIn(Known):
    version = whole(1, 2**31 - 1)
    keep = serializers.BooleanField()
    reason = text(500, default="")


class EditIn(Known):
    base_version = whole(1, 2**31 - 1)
    changes = ChangesIn()
    reason = text(500, default="")
    cosmetic = serializers.BooleanField(default=False)
