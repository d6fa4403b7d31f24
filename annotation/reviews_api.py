"""The JSON API of a reader's programs: which items there are, and the own votes so far."""

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.generics import ListAPIView

from annotation.api_shapes import OwnVoteOut, ReviewItemOut
from annotation.api_view import ReviewView, reader
from annotation.models import Benchmark, Item, Review
from annotation.queries.second_look import under_way
from sonovqa.cursors import InOrder, LatestFirst


@extend_schema(summary="Items of a benchmark as they are now, for reviewers")
class ReviewItems(ReviewView, ListAPIView[Item]):
    queryset = Item.objects.none()  # tells the description its model
    serializer_class = ReviewItemOut
    pagination_class = InOrder

    def get_queryset(self) -> QuerySet[Item]:
        benchmark = get_object_or_404(Benchmark, slug=self.kwargs["slug"])
        rows = Item.objects.filter(benchmark=benchmark, current__isnull=False)
        return rows.select_related("video", "current")


@extend_schema(summary="Your votes, the latest first")
class OwnVotes(ReviewView, ListAPIView[Review]):
    """Without those on items that the reader is looking at a second time."""

    queryset = Review.objects.none()  # tells the description its model
    serializer_class = OwnVoteOut
    pagination_class = LatestFirst

    def get_queryset(self) -> QuerySet[Review]:
        user = reader(self.request)
        again = under_way(user).values("round_item__item")
        rows = Review.objects.filter(reviewer=user).exclude(item__in=again)
        return rows.select_related("item_version")
