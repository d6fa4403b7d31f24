"""The JSON API of a box in the making: a suggestion for it, and the clip that it gives."""

from collections.abc import Callable
from typing import Any

from django.core.exceptions import PermissionDenied
from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from kombu.exceptions import OperationalError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation import clip_previews, roi_suggestions
from annotation.actions.returns import UndoRefused
from annotation.actions.roi_undo import undo_change_roi, undo_override_roi
from annotation.api_errors import VERSION_MISSING
from annotation.api_view import ReviewView, reader
from annotation.clip_previews import PreviewState
from annotation.models import Item, Video
from annotation.permissions import Verb, require
from annotation.queries.withheld import withheld_player
from annotation.roi_suggestions import SuggestionState, as_json
from annotation.scopes import Scope
from annotation.serializers import BoxIn, whole
from annotation.source_access import Withheld
from annotation.tasks import cut_preview, suggest_roi
from sonovqa.problems import problem
from sonovqa.strict_fields import HIGHEST_ID, Known

NO_WORKER = "No worker can be told to do it. Start the worker and its broker: manage.py up."


class EditView(ReviewView):
    """A view for those who may edit, on pixels that may be seen."""

    scope = Scope.EDIT

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        require(reader(request), Verb.EDIT_ITEM)

    def visible(self, video: Video) -> Video:
        if withheld_player(video):
            raise PermissionDenied(Withheld().reason)
        return video


@extend_schema(exclude=True)  # of the box editor alone
class SuggestionView(EditView):
    """The box suggested for a video. GET says what is known, POST has a worker look."""

    def get(self, _request: Request, video_id: int) -> Response:
        return _suggestion(roi_suggestions.known(self.video(video_id)))

    def post(self, _request: Request, video_id: int) -> Response:
        video = self.video(video_id)
        state = roi_suggestions.ask(video)
        if state.start and not _told(suggest_roi.delay, video.pk):
            roi_suggestions.give_up(video)
            return problem(503, "no-worker", NO_WORKER)
        return _suggestion(state)

    def video(self, video_id: int) -> Video:
        return self.visible(get_object_or_404(Video.objects.select_related("source"), pk=video_id))


class PreviewIn(Known):
    """The box to try; without one the clip is cut to the box that is saved."""

    roi = BoxIn(required=False, allow_null=True)


@extend_schema(exclude=True)  # of the box editor alone
class PreviewView(EditView):
    """The clip of an item as a model gets it; asking again tells how it stands."""

    def post(self, request: Request, item_id: int) -> Response:
        form = PreviewIn(data=request.data)
        form.is_valid(raise_exception=True)
        items = Item.objects.select_related("current", "video__source")
        item = get_object_or_404(items, pk=item_id, current__isnull=False)
        self.visible(item.video)
        roi = form.validated_data.get("roi")
        state = clip_previews.ask(item, roi)
        if state.start:
            box = list(roi.fractions) if roi else None
            if not _told(cut_preview.delay, item.pk, box):
                clip_previews.give_up(item, roi)
                return problem(503, "no-worker", NO_WORKER)
        return _preview(item, state)


class UndoIn(Known):
    """The version that the last change made: the video's, or with `item` that item's."""

    base_version = whole(1, 2**31 - 1)
    item = whole(1, HIGHEST_ID, required=False)


@extend_schema(exclude=True)  # of the box editor alone
class UndoView(EditView):
    """Takes the own last change of a box back, with what it did to votes and decisions."""

    def post(self, request: Request, video_id: int) -> Response:
        if "base_version" not in (request.data if isinstance(request.data, dict) else {}):
            return problem(428, "version-missing", VERSION_MISSING)
        form = UndoIn(data=request.data)
        form.is_valid(raise_exception=True)
        video = get_object_or_404(Video, pk=video_id)
        base, item = form.validated_data["base_version"], form.validated_data.get("item")
        try:
            if item is None:
                back = undo_change_roi(video_id=video.pk, base_version=base, by=reader(request))
                return Response({"version": back.version}, status=201)
            get_object_or_404(video.items, pk=item)
            made = undo_override_roi(item_id=item, base_version=base, by=reader(request))
        except UndoRefused as refused:
            return problem(409, "undo-refused", str(refused))
        return Response({"version": made.number, "item": item}, status=201)


def _told(tell: Callable[..., Any], *values: Any) -> bool:
    try:
        tell(*values)
    except (OperationalError, OSError):
        return False
    return True


def _suggestion(state: SuggestionState) -> Response:
    if state.found:
        return Response({"state": "done", **as_json(state.found)})
    if state.reason:
        return Response({"state": "failed", "reason": state.reason, "advice": state.advice})
    if state.working:
        body = {"state": "working", "done": state.done, "total": state.total}
        return Response(body, status=202)
    return Response({"state": "none"})


def _preview(item: Item, state: PreviewState) -> Response:
    if state.facts is not None:
        url = reverse("annotation:preview", args=[item.video_id, state.name])
        return Response({"state": "done", "url": url, "clip": state.facts})
    if state.reason:
        return Response({"state": "failed", "reason": state.reason, "advice": state.advice})
    return Response({"state": "working"}, status=202)
