"""The JSON API of videos: their ROI, and reports of what is wrong with them."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation import roi_suggestions
from annotation.actions.quarantine import NOTE_LIMIT, quarantine_video, report_video
from annotation.actions.sources import record_finding
from annotation.actions.videos import change_roi, override_roi
from annotation.api_errors import VERSION_MISSING
from annotation.api_shapes import BoxReceiptOut, ReportOut
from annotation.api_view import ReviewView, check_reader, reader, saved_at
from annotation.domain import roi_checks
from annotation.domain.clips import SMALLEST_SIDE
from annotation.domain.roi import Roi
from annotation.models import User, Video
from annotation.models.benchmark import SourceState
from annotation.scopes import Scope
from annotation.serializers import BoxIn, account, text, whole
from sonovqa.problems import problem
from sonovqa.strict_fields import HIGHEST_ID, Known


class RoiIn(Known):
    """A new box for a video (`base_version` is the video's), or, where `item` is given, for
    that item alone (`base_version` is the item's; `roi` null gives it the video's box again)."""

    base_version = whole(1, 2**31 - 1)
    roi = BoxIn(allow_null=True)
    item = whole(1, HIGHEST_ID, required=False)
    reason = text(500, default="")
    cosmetic = serializers.BooleanField(default=False)
    reader = account(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["roi"] is None and "item" not in attrs:
            raise serializers.ValidationError({"roi": "A video always has a box."})
        return attrs


class RoiView(ReviewView):
    """A new box, based on the version that the editor saw."""

    scope = Scope.EDIT

    @extend_schema(
        summary="Change the box of a video, or of one item",
        request=RoiIn,
        responses={201: BoxReceiptOut},
    )
    def post(self, request: Request, video_id: int) -> Response:
        if "base_version" not in (request.data if isinstance(request.data, dict) else {}):
            return problem(428, "version-missing", VERSION_MISSING)
        form = RoiIn(data=request.data)
        form.is_valid(raise_exception=True)
        video = get_object_or_404(Video.objects.select_related("source"), pk=video_id)
        said, user = form.validated_data, reader(request)
        check_reader(said, user)
        return Response(save_box(video, said, by=user) | {"saved_at": saved_at()}, status=201)


def save_box(video: Video, change: dict[str, Any], *, by: User) -> dict[str, Any]:
    """Carry out a checked RoiIn; return the version that stands now, and what is to be said of
    its box. Warnings keep nobody from saving."""
    item_id, roi = change.pop("item", None), change["roi"]
    said = {"warnings": box_warnings(video, roi)} if roi else {}
    if item_id is None:
        return {"version": change_roi(video_id=video.pk, by=by, **change).version, **said}
    get_object_or_404(video.items, pk=item_id)
    version = override_roi(item_id=item_id, by=by, **change)
    return {"version": version.number, "item": item_id, **said}


def box_warnings(video: Video, roi: Roi) -> list[dict[str, str]]:
    """Return what is to be said against a box; nothing where the frame's size is unknown."""
    width, height = video.source.width, video.source.height
    if not width or not height or min(width, height) < SMALLEST_SIDE:
        return []
    looked = roi_suggestions.known(video).found
    found = roi_checks.checks(
        roi,
        width=width,
        height=height,
        suggested=looked.roi if looked else None,
        scan=looked.scan if looked else None,
    )
    return roi_checks.warnings(found)


IDENTIFIER, OTHER = "identifier", "other"


class ReportIn(Known):
    """`state` of the video's source, or "identifier" where a person can be told from the
    picture, or "other", which needs a note."""

    state = serializers.ChoiceField(choices=[*SourceState.values, IDENTIFIER, OTHER])
    note = text(NOTE_LIMIT, default="")


class ReportView(ReviewView):
    """What a reader, or the player for the reader, found out about a video."""

    @extend_schema(
        summary="Report what is wrong with a video", request=ReportIn, responses={200: ReportOut}
    )
    def post(self, request: Request, video_id: int) -> Response:
        form = ReportIn(data=request.data)
        form.is_valid(raise_exception=True)
        video = get_object_or_404(Video, pk=video_id)
        report(video, **form.validated_data, by=reader(request))
        return Response({"state": form.validated_data["state"]})


def report(video: Video, *, state: str, note: str, by: User) -> None:
    """Carry out a checked ReportIn."""
    if state == IDENTIFIER:
        quarantine_video(video_id=video.pk, note=note, by=by)
        return
    if state != OTHER:
        record_finding(source_id=video.source_id, state=state, by=by)
    if state == OTHER or note.strip():
        report_video(video_id=video.pk, note=note, by=by)
