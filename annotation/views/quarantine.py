"""Ends the quarantine of a video."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from annotation.actions.quarantine import clear_quarantine
from annotation.domain.edits import BadEdit
from annotation.forms import ReasonForm, first_fault, is_id
from annotation.models import Video
from annotation.permissions import Verb
from annotation.views.allowed import account_for


@login_required
@require_POST
def clear(request: HttpRequest, slug: str, video_id: int) -> HttpResponse:
    """Let a video be seen again, with a reason, and go back to the item."""
    user = account_for(request, Verb.ADJUDICATE)
    video = get_object_or_404(Video, pk=video_id, benchmark__slug=slug)
    form = ReasonForm(request.POST)
    item_id = form.data.get("item", "")
    if not form.is_valid():
        messages.error(request, first_fault(form))
    else:
        try:
            clear_quarantine(video_id=video.pk, reason=form.cleaned_data["reason"], by=user)
        except BadEdit as error:
            messages.error(request, f"Not saved: {error}.")
        else:
            messages.success(request, "The video may be seen again.")
    if is_id(item_id) and video.items.filter(pk=int(item_id)).exists():
        return redirect("annotation:review", slug, int(item_id))
    return redirect("annotation:review_next", slug)
