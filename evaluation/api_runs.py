"""The JSON API of a run's life: its figures, pause, resume, cancel, retry, extend, judge again.

Each change is idempotent: sent twice, it is done once, and `changed` says which it was.
"""

from decimal import Decimal
from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api_view import LimitedView, reader
from annotation.models import Release
from annotation.permissions import Verb, require
from annotation.scopes import Scope
from evaluation.actions.extending import check_extension, extend_run
from evaluation.actions.rejudging import rejudge_run
from evaluation.actions.run_checks import BUDGET_LIMIT, RunRefused
from evaluation.models import Contestant, Run
from evaluation.queries.extending import extension
from evaluation.queries.rejudging import at_work, judging_cost
from evaluation.run_actions import control
from evaluation.run_report import report
from sonovqa.problems import problem
from sonovqa.strict_fields import Known, Text


class BudgetField(serializers.DecimalField):
    """US dollars."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            max_digits=12,
            decimal_places=2,
            min_value=Decimal("0.01"),
            max_value=BUDGET_LIMIT,
            **options,
        )


class ExtendSerializer(Known):
    """`release` is a tag of the run's benchmark; `dry_run` only tells what it takes."""

    release = Text(max_length=32)
    budget = BudgetField(required=False, allow_null=True, default=None)
    dry_run = serializers.BooleanField(default=False)


class RejudgeSerializer(Known):
    """`judge` is the name or slug of a model that may judge; `swapped` lets it read the answer
    before the reference, which tells whether the order sways it."""

    judge = Text(max_length=120)
    budget = BudgetField()
    swapped = serializers.BooleanField(default=False)
    dry_run = serializers.BooleanField(default=False)


class ChangedSerializer(serializers.Serializer[Any]):
    """The run after the change; `steps` are those that are asked again."""

    run = serializers.IntegerField()
    state = serializers.CharField()
    changed = serializers.BooleanField()
    steps = serializers.IntegerField(required=False)


class RunView(LimitedView):
    """A view of one run; what an action refuses is told as a conflict."""

    permission_classes = (IsAuthenticated,)
    scope = Scope.RUN
    verb = Verb.RUN

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        require(reader(request), self.verb)

    def handle_exception(self, exc: Exception) -> Response:
        if isinstance(exc, RunRefused):
            return problem(409, "refused", str(exc))
        return super().handle_exception(exc)

    def run_of(self, pk: int) -> Run:
        path = ("contestant__provider", "judge__provider", "release", "benchmark")
        return get_object_or_404(Run.objects.select_related(*path), pk=pk)


class RunFigures(RunView):
    verb = Verb.SEE_RUNS

    @extend_schema(
        summary="The figures of a run, as its page shows them",
        responses=OpenApiTypes.OBJECT,
    )
    def get(self, request: Request, pk: int) -> Response:  # noqa: ARG002 DRF hands it over
        return Response(report(self.run_of(pk)))


class RunControl(RunView):
    name = ""

    def post(self, request: Request, pk: int) -> Response:
        run = self.run_of(pk)
        done = control(name=self.name, run=run, by=reader(request))
        run.refresh_from_db()
        return Response(changed(run, done.changed) | {"steps": done.steps})


def described(summary: str) -> Any:
    """Return the decorator that describes a control."""
    return extend_schema_view(
        post=extend_schema(summary=summary, request=None, responses=ChangedSerializer)
    )


@described("Pause a run: no new call begins")
class RunPause(RunControl):
    name = "pause"


@described("Let a paused run go on")
class RunResume(RunControl):
    name = "resume"


@described("Cancel a run for good; what was answered is kept")
class RunCancel(RunControl):
    name = "cancel"


@described("Ask again what failed in a run, and nothing else")
class RunRetryFailed(RunControl):
    name = "retry-failed"


class RunExtend(RunView):
    @extend_schema(
        summary="Extend a run to another release; only new or changed items are called",
        request=ExtendSerializer,
        responses={201: ChangedSerializer, 200: ChangedSerializer},
    )
    def post(self, request: Request, pk: int) -> Response:
        run, said = self.run_of(pk), checked(ExtendSerializer, request)
        release = Release.objects.filter(benchmark=run.benchmark_id, tag=said["release"]).first()
        if release is None:
            return problem(404, "not-found", "The benchmark has no such release.")
        if said["dry_run"]:
            check_extension(run=run, release=release, budget=said["budget"])
            found = extension(run, release)
            facts = {"answers": found.answers, "taken": found.taken}
            return Response(facts | {"estimate": found.estimate.as_json()})
        known = set(run.extensions.values_list("pk", flat=True))
        made = extend_run(run=run, release=release, by=reader(request), budget=said["budget"])
        is_new = made.pk not in known
        return Response(changed(made, is_new), status=201 if is_new else 200)


class RunRejudge(RunView):
    @extend_schema(
        summary="Let a judge mark the stored free responses once more",
        request=RejudgeSerializer,
        responses={201: ChangedSerializer, 200: ChangedSerializer},
    )
    def post(self, request: Request, pk: int) -> Response:
        run, said = self.run_of(pk), checked(RejudgeSerializer, request)
        judges = Contestant.objects.select_related("provider").filter(can_judge=True)
        judge = (
            judges.filter(name=said["judge"]).first() or judges.filter(slug=said["judge"]).first()
        )
        if judge is None:
            return problem(404, "not-found", "There is no such judge.")
        if said["dry_run"]:
            return Response(told(run, judge))
        before = at_work(run, judge, swapped=said["swapped"])
        made = rejudge_run(
            run=run, judge=judge, budget=said["budget"], by=reader(request),
            swapped=said["swapped"],
        )  # fmt: skip
        is_new = before is None or made.pk != before.pk
        return Response(changed(made, is_new), status=201 if is_new else 200)


def told(run: Run, judge: Contestant) -> dict[str, Any]:
    """Return what judging once more costs, money as text."""
    cost = judging_cost(run, judge)
    money = {"cost": cost.cost, "most": cost.most}
    return {"answers": cost.answers} | {
        name: None if value is None else str(value) for name, value in money.items()
    }


def changed(run: Run, is_changed: bool) -> dict[str, Any]:
    """Return how a run stands after a change."""
    return {"run": run.pk, "state": run.state, "changed": is_changed}


def checked(kind: type[serializers.Serializer[Any]], request: Request) -> dict[str, Any]:
    """Return the body of `request`. Raises ValidationError."""
    form = kind(data=request.data)
    form.is_valid(raise_exception=True)
    return dict(form.validated_data)
