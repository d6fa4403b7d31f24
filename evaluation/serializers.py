"""What the public API shows: each field by name, none of them a key or a single item's score."""

from typing import Any

from rest_framework import serializers

from annotation.domain.question_texts import letter
from annotation.models import Benchmark, Release, ReleaseItem
from evaluation.models import Run, Submission


class BenchmarkSerializer(serializers.ModelSerializer[Benchmark]):
    class Meta:
        model = Benchmark
        fields = ("slug", "name", "description", "citation", "attribution", "created_at")


class ReleaseSerializer(serializers.ModelSerializer[Release]):
    class Meta:
        model = Release
        fields = ("tag", "hash", "kept_mcq", "kept_free", "created_at")


class ItemSerializer(serializers.Serializer[ReleaseItem]):
    """A kept item as a model is asked it. `options` by letter, in the shown order; `start` and
    `end` are seconds of the source."""

    item = serializers.CharField(source="item_version.item.key")
    kind = serializers.CharField(source="item_version.item.kind")
    question_type = serializers.CharField(source="item_version.question_type")
    question = serializers.CharField(source="item_version.stem")
    options = serializers.SerializerMethodField()
    video = serializers.CharField(source="item_version.item.video.name")
    start = serializers.SerializerMethodField()
    end = serializers.SerializerMethodField()

    def get_options(self, row: ReleaseItem) -> dict[str, str]:
        version = row.item_version
        return {letter(n): version.options[index] for n, index in enumerate(version.shown_order)}

    def get_start(self, row: ReleaseItem) -> float:
        return round(row.item_version.video_start + row.item_version.start, 3)

    def get_end(self, row: ReleaseItem) -> float:
        return round(row.item_version.video_start + row.item_version.end, 3)


class KindSerializer(serializers.Serializer[Any]):
    """Figures of one kind; shares and intervals from 0 to 1."""

    n = serializers.IntegerField()
    scored = serializers.IntegerField()
    share = serializers.FloatField(allow_null=True, required=False)
    ci = serializers.ListField(child=serializers.FloatField(), allow_null=True)


class EntrySerializer(serializers.Serializer[Any]):
    """A published leaderboard entry, as in the leaderboard's JSON file, its headline figures."""

    model = serializers.CharField()
    organisation = serializers.CharField()
    condition = serializers.CharField()
    reference = serializers.BooleanField()
    human = serializers.BooleanField(default=False)
    self_reported = serializers.BooleanField()
    provisional = serializers.BooleanField()
    rank = serializers.ListField(child=serializers.IntegerField(), allow_null=True)
    items = serializers.IntegerField()
    scored = serializers.IntegerField()
    mcq = KindSerializer()
    free = KindSerializer()


class EntriesSerializer(serializers.Serializer[Any]):
    release = serializers.CharField()
    hash = serializers.CharField()
    results = EntrySerializer(many=True)


class RunSerializer(serializers.ModelSerializer[Run]):
    benchmark = serializers.SlugRelatedField[Benchmark](slug_field="slug", read_only=True)
    release = serializers.SlugRelatedField[Release](slug_field="tag", read_only=True)
    model = serializers.CharField(source="contestant.name")

    class Meta:
        model = Run
        fields = (
            "id", "benchmark", "release", "model", "condition", "origin", "state",
            "state_reason", "repeats", "created_at", "finished_at",
        )  # fmt: skip


class SubmissionSerializer(serializers.ModelSerializer[Submission]):
    """`state` is the one that people see: judging and scored are told from the run."""

    benchmark = serializers.SlugRelatedField[Benchmark](slug_field="slug", read_only=True)
    release = serializers.SlugRelatedField[Release](slug_field="tag", read_only=True)
    model = serializers.CharField(source="model_name")
    state = serializers.SerializerMethodField()

    class Meta:
        model = Submission
        fields = (
            "id", "benchmark", "release", "model", "condition", "state", "reason",
            "created_at", "checked_at", "decided_at",
        )  # fmt: skip

    def get_state(self, row: Submission) -> str:
        return row.shown_state[0]


class SubmissionDetailSerializer(SubmissionSerializer):
    """With the report: what was refused, by file, position, field and reason."""

    class Meta(SubmissionSerializer.Meta):
        fields = (*SubmissionSerializer.Meta.fields, "files", "report")  # type: ignore[assignment]
