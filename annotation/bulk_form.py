"""What the page that finds items sends to have something done to many of them."""

from typing import Any

from django import forms
from django.http import QueryDict

from annotation.actions.bulk import MOST_PICKED
from annotation.actions.saved_filters import QUERY_LIMIT
from annotation.domain.bulk import REPAIR, VALUE_LIMIT, VALUES, WORDS_LIMIT
from annotation.find_form import CURSORS, FindForm
from annotation.forms import is_id
from annotation.models import Benchmark, User
from annotation.models.bulk import BulkKind

HIGHEST = 2**63 - 1
MOST_READERS = 200


def whole(given: list[str]) -> list[int]:
    """Return those of `given` that are ids."""
    return [int(one) for one in given if is_id(one)]


class BulkForm(forms.Form):
    """What to do, why, and to which items: those picked (`item`, repeated), or with `all` those
    that the search `query` finds; `seen` is the newest revision that the page had seen."""

    kind = forms.ChoiceField(
        choices=[pair for pair in BulkKind.choices if pair[0] != REPAIR],
        error_messages={"required": "Choose what to do."},
    )
    words = forms.CharField(max_length=WORDS_LIMIT, error_messages={"required": "Say why."})
    category = forms.CharField(max_length=VALUE_LIMIT, required=False)
    type = forms.CharField(max_length=VALUE_LIMIT, required=False)
    round = forms.CharField(max_length=18, required=False)
    query = forms.CharField(max_length=QUERY_LIMIT, required=False)
    seen = forms.IntegerField(min_value=0, max_value=HIGHEST)
    all = forms.BooleanField(required=False)

    def __init__(self, data: QueryDict, *, user: User, benchmark: Benchmark) -> None:
        super().__init__(data)
        asked = data.get("query", "")
        fields = QueryDict(asked if len(asked) <= QUERY_LIMIT else "").copy()
        for name in CURSORS:
            fields.pop(name, None)
        self.search = FindForm(fields, user=user, benchmark=benchmark)
        self.picked = data.getlist("item")
        self.readers = data.getlist("readers")

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        said["readers"] = whole(self.readers)
        if not len(said["readers"]) == len(self.readers) <= MOST_READERS:
            raise forms.ValidationError("Some readers cannot be understood.")
        if not self.search.is_valid():
            raise forms.ValidationError("The search cannot be understood.")
        if not said.get("all"):
            picked = whole(self.picked)
            if not 0 < len(picked) == len(self.picked) <= MOST_PICKED:
                raise forms.ValidationError(f"Select 1 to {MOST_PICKED} items, or all that match.")
            said["picked"] = picked
        return said

    @property
    def address(self) -> str:
        """The search to go back to; the whole benchmark where it is none."""
        return self.search.asked if self.search.is_valid() else ""

    @property
    def asked(self) -> dict[str, Any]:
        """The arguments of `annotation.actions.bulk.ask_bulk`."""
        said = self.cleaned_data
        of_all = {"query": self.search.asked, "wanted": self.search.cleaned_data}
        return {
            "kind": said["kind"],
            "words": said["words"],
            "value": said.get(VALUES.get(said["kind"], ""), ""),
            "readers": said["readers"] if said["kind"] == BulkKind.ASSIGN else [],
            "seen": said["seen"],
            **({"picked": said["picked"]} if "picked" in said else of_all),
        }
