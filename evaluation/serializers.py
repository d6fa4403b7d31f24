"""What the public API shows: each field by name, none of them a key or a single item's score."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotation.domain.question_texts import letter
from annotation.models import Benchmark, Release, ReleaseItem
from evaluation.board.files import kind_json
from evaluation.models import LeaderboardEntry


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


class KeySerializer(ItemSerializer):
    """A kept item with what tells its answer. `key` is the letter of the answer key, "" for a
    free response; `version` the number of the item version."""

    id = serializers.IntegerField(source="item_version.item_id")
    version = serializers.IntegerField(source="item_version.number")
    key = serializers.SerializerMethodField()
    reference_answer = serializers.CharField(source="item_version.reference_answer")
    accepted_variants = serializers.ListField(
        child=serializers.CharField(), source="item_version.accepted_variants"
    )
    ground_truth = serializers.CharField(source="item_version.ground_truth")

    def get_key(self, row: ReleaseItem) -> str:
        version = row.item_version
        if version.key_index is None:
            return ""
        return letter(version.shown_order.index(version.key_index))


def shares(**options: Any) -> serializers.ListField:
    return serializers.ListField(child=serializers.FloatField(), allow_null=True, **options)


class SliceSerializer(serializers.Serializer[Any]):
    """Counts of one type of question: `correct` of an MCQ, `points` of a free response."""

    n = serializers.IntegerField()
    scored = serializers.IntegerField()
    correct = serializers.FloatField(required=False)
    points = serializers.FloatField(required=False)
    share = serializers.FloatField(allow_null=True, required=False)
    ci = shares()


class KindSerializer(SliceSerializer):
    """Figures of one kind; shares and intervals from 0 to 1."""

    by_type = serializers.DictField(child=SliceSerializer())


class EntryVersionSerializer(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    hash = serializers.CharField()
    note = serializers.CharField()


class EntrySerializer(serializers.Serializer[Any]):
    """A published leaderboard entry, as in the leaderboard's JSON file, its headline figures."""

    model = serializers.CharField()
    organisation = serializers.CharField()
    open_weights = serializers.BooleanField(allow_null=True)
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
    date = serializers.CharField(allow_null=True)
    entry = EntryVersionSerializer()


class LeaderboardSerializer(serializers.Serializer[Any]):
    release = serializers.CharField()
    hash = serializers.CharField()
    results = EntrySerializer(many=True)


class VersionSerializer(serializers.ModelSerializer[LeaderboardEntry]):
    """One published version of an entry: what it said then, and why it came."""

    model = serializers.CharField(source="run.contestant.name")
    condition = serializers.CharField(source="run.condition")
    items = serializers.IntegerField(source="figures.items")
    scored = serializers.IntegerField(source="figures.scored")
    mcq = serializers.SerializerMethodField()
    free = serializers.SerializerMethodField()

    class Meta:
        model = LeaderboardEntry
        fields = (
            "hash", "version", "note", "model", "condition", "provisional", "items", "scored",
            "mcq", "free", "published_at",
        )  # fmt: skip

    @extend_schema_field(KindSerializer)
    def get_mcq(self, row: LeaderboardEntry) -> Any:
        return KindSerializer(kind_json("mcq", row.figures)).data

    @extend_schema_field(KindSerializer)
    def get_free(self, row: LeaderboardEntry) -> Any:
        return KindSerializer(kind_json("free", row.figures)).data
