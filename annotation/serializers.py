"""What the API takes in: types and bounds. Whether it fits the item is for the actions."""

from dataclasses import asdict
from typing import Any

from rest_framework import serializers

from annotation.actions.reviews import COMMENT_LIMIT, LONGEST_SITTING
from annotation.domain import edits
from annotation.domain.roi import Roi
from annotation.models.answer import LONGEST_ANSWER
from annotation.models.review import DropReason, SkipReason, Verdict
from sonovqa.strict_fields import HIGHEST_ID, Known, Text


def text(limit: int, **options: Any) -> Text:
    return Text(max_length=limit, allow_blank=True, trim_whitespace=False, **options)


def whole(least: int, most: int, **options: Any) -> serializers.IntegerField:
    return serializers.IntegerField(min_value=least, max_value=most, **options)


def account(**options: Any) -> serializers.IntegerField:
    """The account whose decision it is: what a browser keeps never goes out as another's."""
    return whole(1, HIGHEST_ID, **options)


class VoteIn(Known):
    """A vote; see `annotation.actions.reviews.cast_vote`."""

    version = whole(1, 2**31 - 1)
    verdict = serializers.ChoiceField(choices=Verdict.choices)
    reasons = serializers.ListField(
        child=serializers.ChoiceField(choices=DropReason.choices), max_length=9, default=list
    )
    comment = text(COMMENT_LIMIT, default="")
    skip_reason = serializers.ChoiceField(choices=SkipReason.choices, default="", allow_blank=True)
    active_seconds = serializers.FloatField(min_value=0, max_value=LONGEST_SITTING, default=0.0)
    reader = account(required=False)


def share() -> serializers.FloatField:
    return serializers.FloatField(min_value=0, max_value=1)


class BoxIn(Known):
    """x, y, w, h: fractions of the frame; becomes a Roi."""

    x = share()
    y = share()
    w = share()
    h = share()

    def validate(self, attrs: dict[str, float]) -> Any:
        try:
            return Roi(**attrs)
        except ValueError as error:
            raise serializers.ValidationError(str(error)) from error


class AnswerIn(Known):
    """One of three: `option_index` (in the stored order), `text`, or `could_not_tell`."""

    version = whole(1, 2**31 - 1)
    option_index = whole(0, edits.OPTIONS_LIMIT, default=None, allow_null=True)
    text = text(LONGEST_ANSWER, default="")
    could_not_tell = serializers.BooleanField(default=False)
    active_seconds = serializers.FloatField(min_value=0, max_value=LONGEST_SITTING, default=0.0)
    reader = whole(1, HIGHEST_ID, required=False)


class ChangesIn(Known):
    stem = text(edits.TEXT_LIMIT, required=False)
    options = serializers.ListField(
        child=text(edits.OPTION_LIMIT), max_length=edits.OPTIONS_LIMIT, required=False
    )
    key_index = whole(0, edits.OPTIONS_LIMIT, required=False)
    reference_answer = text(edits.TEXT_LIMIT, required=False)
    accepted_variants = serializers.ListField(
        child=text(edits.VARIANT_LIMIT), max_length=edits.VARIANTS_LIMIT, required=False
    )
    question_type = text(edits.TYPE_LIMIT, required=False)
    start = serializers.FloatField(min_value=0, max_value=1e6, required=False)
    end = serializers.FloatField(min_value=0, max_value=1e6, required=False)
    roi = BoxIn(allow_null=True, required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs.get("roi") is not None:
            attrs["roi"] = asdict(attrs["roi"])
        return attrs


class DecisionIn(Known):
    version = whole(1, 2**31 - 1)
    keep = serializers.BooleanField()
    reason = text(500, default="")
    reader = account(required=False)


class EditIn(Known):
    base_version = whole(1, 2**31 - 1)
    changes = ChangesIn()
    reason = text(500, default="")
    reader = account(required=False)
    cosmetic = serializers.BooleanField(default=False)


class CategoryIn(Known):
    """`was` is the category that the editor saw."""

    was = text(64)
    category = text(64)
    reason = text(500, default="")
    reader = account(required=False)
