"""The history of an item: its versions side by side, and the way back to one of them."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.actions.conflicts import FIRST, AnswerFirst, StaleVersion
from annotation.actions.restore import restore_version
from annotation.actions.seal import note_key_shown
from annotation.domain.edits import BadEdit
from annotation.forms import RestoreForm, first_fault
from annotation.models import Item, ItemVersion
from annotation.permissions import Verb
from annotation.queries.answering import is_sealed
from annotation.queries.item_history import item_history
from annotation.views.allowed import account_for
from annotation.views.review import filter_of, item_or_404, query_of

DIGITS = 9  # of a version's number in an address


@login_required
@never_cache
@require_safe
def history(request: HttpRequest, slug: str, item_id: int) -> HttpResponse:
    """All versions, two of them compared (`?old=&new=`), and who is behind each field."""
    user = account_for(request, Verb.REVIEW)
    item = item_or_404(slug, item_id)
    if is_sealed(user, item.pk):
        return to_the_item(request, item)
    if item.current is not None:
        note_key_shown(version=item.current, by=user)
    old, new = (number_of(request.GET.get(name, "")) for name in ("old", "new"))
    context = item_history(user, item, old=old, new=new)
    context |= {
        "benchmark": item.benchmark,
        "nav_active": "review",
        "filter_query": query_of(filter_of(request)),
    }
    return render(request, "annotation/item_history.html", context)


def to_the_item(request: HttpRequest, item: Item) -> HttpResponse:
    """Lead back to an item that has to be answered before this page of it opens."""
    messages.info(request, FIRST)
    return redirect(
        reverse("annotation:review", args=[item.benchmark.slug, item.pk])
        + query_of(filter_of(request))
    )


def number_of(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= DIGITS else None


@login_required
@require_POST
def restore(request: HttpRequest, slug: str, item_id: int) -> HttpResponse:
    """Bring back an older version as a new one."""
    user = account_for(request, Verb.EDIT_ITEM)
    item = item_or_404(slug, item_id)
    form = RestoreForm(request.POST)
    if not form.is_valid():
        messages.error(request, first_fault(form))
        return back(slug, item_id)
    try:
        version = restore_version(item_id=item.pk, by=user, **form.cleaned_data)
    except ItemVersion.DoesNotExist:
        raise Http404("The item has no such version.") from None
    except AnswerFirst as error:
        messages.error(request, str(error))
        return redirect(reverse("annotation:review", args=[slug, item_id]))
    except StaleVersion:
        messages.error(request, "Somebody saved another version meanwhile. Look at it first.")
    except BadEdit as error:
        messages.error(request, f"That version cannot come back as it is: {error}.")
    else:
        messages.success(request, f"Saved as version {version.number}; the item is open again.")
    return back(slug, item_id)


def back(slug: str, item_id: int) -> HttpResponse:
    return redirect(reverse("annotation:item_history", args=[slug, item_id]))
