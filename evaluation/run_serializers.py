"""What the API shows of runs, predictions and submissions, and what it takes."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotation.domain.question_texts import letter
from annotation.models import Benchmark, Release
from evaluation.board.files import kind_json
from evaluation.models import Judgement, Prediction, Run, Submission
from evaluation.models.run import Condition
from evaluation.queries.submissions import progress_of
from evaluation.serializers import KindSerializer


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


class VerdictSerializer(serializers.ModelSerializer[Judgement]):
    """0, 1 or 2 by a judge; a judge that failed has no score."""

    class Meta:
        model = Judgement
        fields = (
            "judge_label", "judge_version", "rubric_version", "repeat", "score", "error_type",
            "explanation", "failed",
        )  # fmt: skip


class PredictionSerializer(serializers.ModelSerializer[Prediction]):
    """The reply to one item. `chosen` is the letter in the order that the model was shown, ""
    where it chose none; `score` is that of an MCQ, of a free response it stands in `verdicts`."""

    item = serializers.CharField(source="item_version.item.key")
    version = serializers.IntegerField(source="item_version.number")
    chosen = serializers.SerializerMethodField()
    verdicts = VerdictSerializer(many=True)

    class Meta:
        model = Prediction
        fields = (
            "id", "item", "version", "repeat", "outcome", "raw_reply", "answer_text", "chosen",
            "score", "error_class", "latency", "tokens_in", "tokens_out", "model_version",
            "clip_sha256", "verdicts",
        )  # fmt: skip

    def get_chosen(self, row: Prediction) -> str:
        order = row.shown_order or row.item_version.shown_order
        return letter(order.index(row.chosen)) if row.chosen in order else ""


class PredictionIn(serializers.Serializer[Any]):
    """One line of a submission; anything else in it is ignored."""

    item = serializers.CharField(max_length=300)
    prediction = serializers.CharField(allow_blank=True)


class SubmissionIn(serializers.Serializer[Any]):
    """Who was asked what."""

    model = serializers.CharField(max_length=120, help_text="As it is to stand on the board.")
    condition = serializers.ChoiceField(choices=Condition.choices, help_text="What it was shown.")
    organisation = serializers.CharField(max_length=120, required=False, allow_blank=True)
    open_weights = serializers.BooleanField(required=False, allow_null=True, default=None)


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


class FileSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    bytes = serializers.IntegerField()
    sha256 = serializers.CharField()


class SubmissionDetailSerializer(SubmissionSerializer):
    """With the report (what was refused, by file, position, field and reason), the place in the
    queue (1 is next, 0 is none) and, once there is an entry of it, the figures."""

    files = FileSerializer(many=True, read_only=True)
    report = serializers.DictField(read_only=True)
    place = serializers.SerializerMethodField()
    mcq = serializers.SerializerMethodField()
    free = serializers.SerializerMethodField()

    class Meta(SubmissionSerializer.Meta):
        fields = (  # type: ignore[assignment]
            *SubmissionSerializer.Meta.fields, "files", "report", "place", "mcq", "free",
        )  # fmt: skip

    def get_place(self, row: Submission) -> int:
        return progress_of(row).place

    @extend_schema_field(KindSerializer(allow_null=True))
    def get_mcq(self, row: Submission) -> Any:
        return figures_of(row, "mcq")

    @extend_schema_field(KindSerializer(allow_null=True))
    def get_free(self, row: Submission) -> Any:
        return figures_of(row, "free")


def figures_of(row: Submission, kind: str) -> Any:
    entry = row.run.entries.order_by("-version").first() if row.run else None
    return KindSerializer(kind_json(kind, entry.figures)).data if entry else None
