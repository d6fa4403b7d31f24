"""The JSON API beside the edit form: who else is editing, and the category of a video."""

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.actions.categories import CategoryMoved, set_category
from annotation.actions.edit_hints import drop_hint, hold_hint
from annotation.api_errors import VERSION_MISSING
from annotation.api_shapes import CategoryOut, CategoryReceiptOut
from annotation.api_view import ReviewView, check_reader, reader, saved_at
from annotation.models import Item, User, Video
from annotation.queries.edit_hints import others_editing
from annotation.queries.find import categories
from annotation.scopes import Scope
from annotation.serializers import CategoryIn
from sonovqa.problems import problem


@extend_schema(exclude=True)  # of the edit form alone
class EditingView(ReviewView):
    """Who else has the edit form of an item open. PUT says that the asker has, DELETE that it
    is closed; a hint that is not said again goes stale by itself. It locks nothing."""

    scope = Scope.EDIT

    def get(self, request: Request, item_id: int) -> Response:
        get_object_or_404(Item.objects.only("pk"), pk=item_id)
        return Response(told(reader(request), item_id))

    def put(self, request: Request, item_id: int) -> Response:
        get_object_or_404(Item.objects.only("pk"), pk=item_id)
        hold_hint(item_id=item_id, by=reader(request))
        return Response(told(reader(request), item_id))

    def delete(self, request: Request, item_id: int) -> Response:
        get_object_or_404(Item.objects.only("pk"), pk=item_id)
        drop_hint(item_id=item_id, by=reader(request))
        return Response(status=204)


def told(user: User, item_id: int) -> dict[str, list[str]]:
    return {"others": [one.name for one in others_editing(user, item_id)]}


class CategoryView(ReviewView):
    """The category of a video, and so of all its items; GET tells those in use too."""

    scope = Scope.EDIT

    @extend_schema(summary="Category of a video", responses=CategoryOut)
    def get(self, _: Request, video_id: int) -> Response:
        video = get_object_or_404(Video.objects.select_related("benchmark"), pk=video_id)
        return Response({"category": video.category, "known": categories(video.benchmark)})

    @extend_schema(
        summary="Set the category of a video", request=CategoryIn, responses=CategoryReceiptOut
    )
    def put(self, request: Request, video_id: int) -> Response:
        if "was" not in (request.data if isinstance(request.data, dict) else {}):
            return problem(428, "version-missing", VERSION_MISSING)
        form = CategoryIn(data=request.data)
        form.is_valid(raise_exception=True)
        said, user = form.validated_data, reader(request)
        check_reader(said, user)
        wanted = said["category"].strip()
        if current_category(video_id) != wanted:  # else an answer was lost on its way
            try:
                set_category(video_id=video_id, **said | {"category": wanted}, by=user)
            except CategoryMoved:
                now = current_category(video_id)
                said = {"current": {"category": now}, "yours": {"category": wanted}}
                return problem(409, "stale", "The category is another one by now.", **said)
        return Response({"category": wanted, "saved_at": saved_at()})


def current_category(video_id: int) -> str:
    return get_object_or_404(Video.objects.only("category"), pk=video_id).category
