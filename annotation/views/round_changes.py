"""What is changed of a round from its page: one route, one named change at a time."""

from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from annotation.actions.round_items import remove_training, set_training
from annotation.actions.round_locks import BadRound
from annotation.actions.round_readers import add_readers, remove_reader
from annotation.actions.rounds import close_round, edit_round, open_round
from annotation.forms import first_fault
from annotation.models import Item, Round, User
from annotation.permissions import Verb
from annotation.queries.round_choice import named
from annotation.queries.round_progress import may_read
from annotation.round_forms import (
    ItemForm,
    PersonForm,
    ReadersForm,
    SettingsForm,
    TrainingForm,
)
from annotation.views.allowed import account_for

Change = Callable[[HttpRequest, Round, User], str]


class Misread(ValueError):
    """A form cannot be understood; the message says what is wrong with it."""


@login_required
@require_POST
def change(request: HttpRequest, slug: str, pk: int, name: str) -> HttpResponse:
    """Carry out the change `name` and say what came of it."""
    user = account_for(request, Verb.ADJUDICATE)
    round_ = get_object_or_404(Round.objects.select_related("benchmark"), pk=pk)
    if round_.benchmark.slug != slug or name not in CHANGES:
        raise Http404("No such round, or no such change.")
    try:
        messages.success(request, CHANGES[name](request, round_, user))
    except Misread as error:
        messages.error(request, str(error))
    except BadRound as error:
        messages.error(request, f"Not done: {'; '.join(error.errors.values())}.")
    return redirect("annotation:round", slug, pk)


def read(form: Form) -> dict[str, object]:
    """Return what a form says. Raises Misread."""
    if not form.is_valid():
        raise Misread(first_fault(form))
    return form.cleaned_data


def open_it(_request: HttpRequest, round_: Round, user: User) -> str:
    open_round(round_id=round_.pk, by=user)
    return "The round is open: its readers are given its items from now on."


def close_it(_request: HttpRequest, round_: Round, user: User) -> str:
    close_round(round_id=round_.pk, by=user)
    return "The round is closed. It can be opened again."


def edit(request: HttpRequest, round_: Round, user: User) -> str:
    form = SettingsForm(request.POST)
    read(form)
    edit_round(round_id=round_.pk, changes=form.settings(), by=user)
    return "The settings are saved."


def add(request: HttpRequest, round_: Round, user: User) -> str:
    said = read(ReadersForm(request.POST, accounts=may_read()))
    ids = [reader.pk for reader in said["readers"]]  # type: ignore[attr-defined]
    add_readers(round_id=round_.pk, reader_ids=ids, by=user)
    return f"{len(ids)} reader{'' if len(ids) == 1 else 's'} added."


def remove(request: HttpRequest, round_: Round, user: User) -> str:
    said = read(PersonForm(request.POST))
    remove_reader(round_id=round_.pk, reader_id=int(str(said["reader"])), by=user)
    return "The reader is out of the round; their votes stay. Adding them again brings them back."


def train(request: HttpRequest, round_: Round, user: User) -> str:
    said = read(TrainingForm(request.POST))
    word = str(said.pop("item")).strip()
    found = Item.objects.filter(named([word]), benchmark=round_.benchmark).first()
    if found is None:
        raise Misread(f"No item here is called “{word[:60]}”.")
    set_training(round_id=round_.pk, item_id=found.pk, by=user, **said)  # type: ignore[arg-type]
    return "The training item is saved."


def stop_training(request: HttpRequest, round_: Round, user: User) -> str:
    said = read(ItemForm(request.POST))
    remove_training(round_id=round_.pk, item_id=int(str(said["item"])), by=user)
    return "The item is no training item any more."


CHANGES: dict[str, Change] = {
    "open": open_it,
    "close": close_it,
    "edit": edit,
    "add-readers": add,
    "remove-reader": remove,
    "train": train,
    "stop-training": stop_training,
}
