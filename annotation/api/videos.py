"""Videos: their ROI, and reports that their source does not play."""

from typing import Any

from django.shortcuts import get_object_or_404
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.actions.conflicts import StaleVersion
from annotation.actions.sources import record_finding
from annotation.actions.videos import change_roi, override_roi
from annotation.domain.edits import BadEdit
from annotation.domain.roi import Roi
from annotation.models import ItemVersion, User, Video
from annotation.models.benchmark import SourceState
from annotation.permissions import Verb, require

NO_BASE = "Send base_version: the version that you saw."


class BoxField(serializers.Serializer):
    """x, y, w, h: fractions of the frame."""

    x = serializers.FloatField(min_value=0, max_value=1)
    y = serializers.FloatField(min_value=0, max_value=1)
    w = serializers.FloatField(min_value=0, max_value=1)
    h = serializers.FloatField(min_value=0, max_value=1)

    def validate(self, attrs: dict[str, float]) -> Roi:
        try:
            return Roi(**attrs)
        except ValueError as error:
            raise serializers.ValidationError(str(error)) from error


class RoiChange(serializers.Serializer):
    """A new box for a video (`base_version` is the video's), or, where `item` is given, for
    that item alone (`base_version` is the item's; `roi` null gives it the video's box again)."""

    base_version = serializers.IntegerField(min_value=1)
    roi = BoxField(allow_null=True)
    item = serializers.IntegerField(min_value=1, required=False)
    reason = serializers.CharField(max_length=500, allow_blank=True, required=False, default="")
    cosmetic = serializers.BooleanField(required=False, default=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["roi"] is None and "item" not in attrs:
            raise serializers.ValidationError({"roi": "A video always has a box."})
        return attrs


class RoiView(APIView):
    """POST /api/v1/videos/<id>/roi/: 200 with the new version; 400, 403, 404, 409, 428."""

    def post(self, request: Request, video_id: int) -> Response:
        user = signed_in(request, Verb.EDIT_ITEM)
        video = get_object_or_404(Video, pk=video_id)
        if not isinstance(request.data, dict) or request.data.get("base_version") is None:
            return Response({"detail": NO_BASE}, status=status.HTTP_428_PRECONDITION_REQUIRED)
        change = RoiChange(data=request.data)
        change.is_valid(raise_exception=True)
        try:
            return Response(save_box(video, change.validated_data, by=user))
        except BadEdit as error:
            return Response({"errors": error.errors}, status=status.HTTP_400_BAD_REQUEST)
        except StaleVersion as error:
            body = {"base": error.base, "current": error.current, "yours": error.yours}
            return Response(body, status=status.HTTP_409_CONFLICT)


def save_box(video: Video, change: dict[str, Any], *, by: User) -> dict[str, Any]:
    """Carry out a checked RoiChange; return the version that stands now."""
    item_id = change.pop("item", None)
    if item_id is None:
        return {"version": change_roi(video_id=video.pk, by=by, **change).version}
    get_object_or_404(video.items, pk=item_id)
    version: ItemVersion = override_roi(item_id=item_id, by=by, **change)
    return {"version": version.number, "item": item_id}


class Report(serializers.Serializer):
    state = serializers.ChoiceField(choices=SourceState.choices)


class ReportView(APIView):
    """POST /api/v1/videos/<id>/report/: what a reader found out about the video's source."""

    def post(self, request: Request, video_id: int) -> Response:
        user = signed_in(request, Verb.REVIEW)
        video = get_object_or_404(Video, pk=video_id)
        report = Report(data=request.data)
        report.is_valid(raise_exception=True)
        state = report.validated_data["state"]
        record_finding(source_id=video.source_id, state=state, by=user)
        return Response({"state": state})


def signed_in(request: Request, verb: Verb) -> User:
    """Return the account behind the request. Raises PermissionDenied where it may not `verb`."""
    require(request.user, verb)
    assert isinstance(request.user, User)  # noqa: S101 - `require` lets nobody else pass
    return request.user
