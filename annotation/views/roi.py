"""The ROI editor of one item's video."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.permissions import Verb, require
from annotation.queries.answering import is_sealed
from annotation.queries.roi import roi_page
from annotation.queries.withheld import withheld_player
from annotation.views.item_history import to_the_item
from annotation.views.review import filter_of, item_or_404, query_of, reader_of


@login_required
@never_cache
@require_safe
def roi(request: HttpRequest, slug: str, item_id: int) -> HttpResponse:
    """The editor on a still; saving goes through the API. What is in quarantine has no still."""
    user = reader_of(request)
    require(user, Verb.EDIT_ITEM)
    wanted = filter_of(request)
    item = item_or_404(slug, item_id)
    if is_sealed(user, item.pk):
        return to_the_item(request, item)  # why a box was moved may tell the key
    if withheld_player(item.video):
        return redirect(reverse("annotation:review", args=[slug, item_id]) + query_of(wanted))
    context = roi_page(user, item, wanted)
    context |= {"nav_active": "review", "filter_query": query_of(wanted)}
    return render(request, "annotation/roi.html", context)
