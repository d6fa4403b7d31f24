"""Runs and what models replied in them, for those who may see it."""

from django.db.models import Prefetch, QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.generics import ListAPIView, RetrieveAPIView

from annotation.permissions import Verb, require
from annotation.scopes import Scope
from evaluation.api_base import AccountView
from evaluation.models import Judgement, Prediction, Run
from evaluation.run_serializers import PredictionSerializer, RunSerializer
from sonovqa.cursors import AsStored, NewestFirst


class SeesRuns(AccountView):
    scope = Scope.RUN

    def runs(self) -> QuerySet[Run]:
        """Return the runs. Raises PermissionDenied."""
        require(self.request.user, Verb.SEE_RUNS)
        rows = Run.objects.select_related("benchmark", "release", "contestant")
        return rows.defer("prompt_text", "extra", "parameters")


@extend_schema(summary="Runs, for those who may see them")
class Runs(SeesRuns, ListAPIView[Run]):
    queryset = Run.objects.none()  # tells the description its model
    serializer_class = RunSerializer
    pagination_class = NewestFirst

    def get_queryset(self) -> QuerySet[Run]:
        return self.runs()


@extend_schema(summary="One run")
class OneRun(SeesRuns, RetrieveAPIView[Run]):
    queryset = Run.objects.none()  # tells the description its model
    serializer_class = RunSerializer

    def get_queryset(self) -> QuerySet[Run]:
        return self.runs()


@extend_schema(summary="Predictions of a run with their scores and verdicts")
class Predictions(SeesRuns, ListAPIView[Prediction]):
    queryset = Prediction.objects.none()  # tells the description its model
    serializer_class = PredictionSerializer
    pagination_class = AsStored

    def get_queryset(self) -> QuerySet[Prediction]:
        run = get_object_or_404(self.runs(), pk=self.kwargs["pk"])
        own = Judgement.objects.own().order_by("repeat", "pk").defer("raw_reply")
        rows = Prediction.objects.filter(run_id=run.answered_by).select_related(
            "item_version__item"
        )
        return rows.prefetch_related(Prefetch("judgements", own, to_attr="verdicts"))
