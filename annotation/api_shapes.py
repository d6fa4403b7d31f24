"""What the JSON API of reviewing answers, as its description tells it."""

from typing import Any

from rest_framework import serializers

from annotation.models import Item, Review

Out = serializers.Serializer[Any]


class MeOut(Out):
    id = serializers.IntegerField()
    username = serializers.CharField()


class ReviewItemOut(serializers.ModelSerializer[Item]):
    """`version` is the number that a vote has to name."""

    video = serializers.CharField(source="video.name")
    version = serializers.IntegerField(source="current.number")
    stem = serializers.CharField(source="current.stem")

    class Meta:
        model = Item
        fields = ("id", "key", "kind", "question_type", "video", "version", "stem")


class OwnVoteOut(serializers.ModelSerializer[Review]):
    item = serializers.IntegerField(source="item_id")
    version = serializers.IntegerField(source="item_version.number")
    reasons = serializers.ListField(child=serializers.IntegerField())

    class Meta:
        model = Review
        fields = (
            "id", "item", "version", "verdict", "reasons", "comment", "skip_reason",
            "active_seconds", "created_at", "undone_at",
        )  # fmt: skip


class SeenVoteOut(Out):
    id = serializers.CharField()
    who = serializers.CharField()
    verdict = serializers.CharField()
    reasons = serializers.ListField(child=serializers.IntegerField())
    comment = serializers.CharField()


class BoxOut(Out):
    x_prop = serializers.FloatField()
    y_prop = serializers.FloatField()
    w_prop = serializers.FloatField()
    h_prop = serializers.FloatField()


class ItemOut(Out):
    """What tells the key is left out while the reader has to answer first (`sealed`)."""

    id = serializers.IntegerField()
    key = serializers.CharField()
    kind = serializers.CharField()
    version = serializers.IntegerField()
    stem = serializers.CharField()
    options = serializers.ListField(child=serializers.CharField())
    shown_order = serializers.ListField(child=serializers.IntegerField())
    key_index = serializers.IntegerField(allow_null=True, required=False)
    reference_answer = serializers.CharField(required=False)
    accepted_variants = serializers.ListField(child=serializers.CharField(), required=False)
    ground_truth = serializers.CharField(required=False)
    question_type = serializers.CharField()
    start = serializers.FloatField()
    end = serializers.FloatField()
    roi = BoxOut()
    sealed = serializers.BooleanField()
    own_answer = serializers.DictField(allow_null=True)
    own_vote = SeenVoteOut(allow_null=True)
    other_votes = SeenVoteOut(many=True)
    evidence = serializers.CharField()


class VoteOut(Out):
    id = serializers.UUIDField()
    verdict = serializers.CharField()
    reasons = serializers.ListField(child=serializers.IntegerField())
    comment = serializers.CharField()
    undone = serializers.BooleanField()
    saved_at = serializers.DateTimeField()


class AnswerReceiptOut(Out):
    undone = serializers.BooleanField()
    saved_at = serializers.DateTimeField()


class VersionOut(Out):
    id = serializers.IntegerField()
    version = serializers.IntegerField()
    saved_at = serializers.DateTimeField()
    warnings = serializers.ListField(child=serializers.CharField())


class DecisionOut(Out):
    state = serializers.CharField()
    keep = serializers.BooleanField(allow_null=True)
    source = serializers.CharField(allow_blank=True)  # type: ignore[assignment]
    saved_at = serializers.DateTimeField()


class CategoryOut(Out):
    category = serializers.CharField(allow_blank=True)
    known = serializers.ListField(child=serializers.CharField())


class CategoryReceiptOut(Out):
    category = serializers.CharField(allow_blank=True)
    saved_at = serializers.DateTimeField()


class BoxReceiptOut(Out):
    version = serializers.IntegerField()
    item = serializers.IntegerField(required=False)
    warnings = serializers.ListField(child=serializers.DictField(), required=False)
    saved_at = serializers.DateTimeField()


class ReportOut(Out):
    state = serializers.CharField()
