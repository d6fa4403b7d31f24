"""What the page that finds items is asked: its address, checked.

A field that its reader may not search by is no field of the form, so that nothing withheld can
be asked out of it.
"""

from typing import Any

from django import forms
from django.utils.http import urlencode

from annotation.domain.audit.flag_titles import TITLES
from annotation.models import Benchmark, User
from annotation.models.item import ItemState, KeepSource, Kind
from annotation.models.review import DropReason
from annotation.permissions import Verb, has_permission
from annotation.queries.find import MOST_NAMES, SORTS, categories, key_of, readers, types
from annotation.queries.find_filters import FOR_ADJUDICATORS
from annotation.queries.queue import LOOKS, QUERY_LIMIT

ANY = ("", "Any")
FIRST = ("q", "kind", "type", "category", "state", "settled", "sort")
CURSORS = ("after", "before")


def choice(label: str, choices: list[tuple[Any, str]] | None = None) -> forms.ChoiceField:
    return forms.ChoiceField(label=label, required=False, choices=[ANY, *(choices or [])])


class FindForm(forms.Form):
    """Which items to find; an empty field asks for nothing. Lengths in seconds."""

    q = forms.CharField(label="Question says", max_length=QUERY_LIMIT, required=False)
    kind = choice("Kind", Kind.choices)
    type = choice("Type")
    category = choice("Category")
    state = choice("Your state", [(name, look.word) for name, look in LOOKS.items()])
    settled = choice("Settled as", ItemState.choices)
    source = choice("Settled by", [pair for pair in KeepSource.choices if pair[0]])
    reason = choice("Dropped because", [(str(value), text) for value, text in DropReason.choices])
    reviewer = choice("Reviewed by")
    round = choice("In the round")
    flag = choice("Audit flag", sorted(TITLES.items(), key=lambda pair: pair[1]))
    video = forms.CharField(label="Video", max_length=QUERY_LIMIT, required=False)
    least = forms.FloatField(label="At least, s", min_value=0, max_value=1e6, required=False)
    most = forms.FloatField(label="At most, s", min_value=0, max_value=1e6, required=False)
    sort = forms.ChoiceField(label="Sorted", required=False, choices=list(SORTS.items()))
    after = forms.CharField(max_length=40, required=False, widget=forms.HiddenInput)
    before = forms.CharField(max_length=40, required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, user: User, benchmark: Benchmark, **more: Any) -> None:
        super().__init__(*args, **more)
        self.offered = {"type": types(benchmark), "category": categories(benchmark)}
        choices = {name: [(one, one) for one in names] for name, names in self.offered.items()}
        if has_permission(user, Verb.ADJUDICATE):
            choices["reviewer"] = readers(benchmark)
            rounds = benchmark.rounds.values_list("pk", "name")[:MOST_NAMES]
            choices["round"] = [(str(pk), name) for pk, name in rounds]
        else:
            for name in FOR_ADJUDICATORS:
                del self.fields[name]
        for name, pairs in choices.items():
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)  # noqa: S101  it is declared above
            field.choices = [ANY, *pairs]
        for named in self.fields.values():
            select = isinstance(named, forms.ChoiceField)
            named.widget.attrs["class"] = "select" if select else "input"

    def clean_after(self) -> str:
        return self.place("after")

    def clean_before(self) -> str:
        return self.place("before")

    def place(self, name: str) -> str:
        cursor = str(self.cleaned_data[name])
        if cursor:
            try:
                key_of(cursor)
            except ValueError as error:
                raise forms.ValidationError(str(error)) from None
        return cursor

    @property
    def asked(self) -> str:
        """What was asked, as an address: without what was left empty, and without the page."""
        given = {name: self.data.get(name) for name in self.fields if name not in CURSORS}
        return urlencode({name: value for name, value in given.items() if value})

    @property
    def first_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in FIRST if name in self.fields]

    @property
    def more_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name not in (*FIRST, *CURSORS)]

    @property
    def asks_more(self) -> bool:
        return any(field.data for field in self.more_fields)

    @property
    def asks_order(self) -> bool:
        return bool(self.data.get("sort"))

    @property
    def types(self) -> list[str]:
        return self.offered["type"]

    @property
    def categories(self) -> list[str]:
        return self.offered["category"]
