"""Forms of review rounds: what their pages may send, and within which bounds."""

from typing import Any

from django import forms

from annotation.actions.round_items import TEXT_LIMIT
from annotation.actions.rounds import INSTRUCTIONS_LIMIT, NAME_LIMIT
from annotation.domain.round_order import SEEDS
from annotation.find_form import CURSORS, FindForm
from annotation.forms import is_id
from annotation.models import Benchmark, User
from annotation.models.review import Verdict
from annotation.models.round import MOST_REPEATED, MOST_VOTES, RoundMode, RoundOrder
from annotation.queries.round_choice import LISTED, WAYS, unknown

USUAL = ("q", "kind", "type", "category", "video")
LIST_LIMIT = 400_000  # characters of a list of items
VERDICTS = [(name, label) for name, label in Verdict.choices if name in ("keep", "drop", "unsure")]


class Readers(forms.ModelMultipleChoiceField):
    """Accounts that may be readers, to be ticked."""

    widget = forms.CheckboxSelectMultiple

    def label_from_instance(self, obj: Any) -> str:
        return str(obj.get_username())

    def clean(self, value: Any) -> Any:
        """Ask the database for ids alone: a number that no column holds is an error there."""
        for one in value or ():
            if not is_id(str(one)):
                code = "invalid_pk_value"
                raise forms.ValidationError(
                    self.error_messages[code], code=code, params={"pk": str(one)[:20]}
                )
        return super().clean(value)


class SettingsForm(forms.Form):
    """What of a round may still be changed while it is open."""

    name = forms.CharField(label="Name", max_length=NAME_LIMIT)
    votes_wanted = forms.TypedChoiceField(
        label="Votes wanted of each item",
        coerce=int,
        choices=[(n, str(n)) for n in range(1, MOST_VOTES + 1)],
        initial=1,
    )
    repeats = forms.FloatField(
        label="Second looks, %",
        min_value=0,
        max_value=100 * MOST_REPEATED,
        initial=0,
        help_text="This share of what a reader has judged comes back to them, their vote hidden.",
    )
    instructions = forms.CharField(
        label="Instructions",
        max_length=INSTRUCTIONS_LIMIT,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Shown to its readers over their queue.",
    )

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        dress(self)

    def settings(self) -> dict[str, Any]:
        """Return the settings of the round, as its actions take them."""
        said = self.cleaned_data
        names = ("name", "votes_wanted", "instructions")
        return {name: said[name] for name in names} | {"repeat_share": said["repeats"] / 100}


class RoundForm(FindForm, SettingsForm):
    """A new round: its settings, its items (of `which`, narrowed as in the search), its readers."""

    field_order = ("name", "mode", "votes_wanted", "order", "repeats", "seed", "instructions")
    mode = forms.ChoiceField(label="Way to look", choices=RoundMode.choices)
    order = forms.ChoiceField(label="Order", choices=RoundOrder.choices)
    seed = forms.IntegerField(
        label="Seed",
        min_value=0,
        max_value=SEEDS - 1,
        required=False,
        help_text="Empty: drawn. The same seed gives the same orders.",
    )
    which = forms.ChoiceField(label="Items", choices=list(WAYS.items()), initial="all")
    listed = forms.CharField(
        label="Keys or ids, one a line",
        required=False,
        max_length=LIST_LIMIT,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    readers = Readers(queryset=User.objects.none(), label="Readers", required=False)

    def __init__(
        self, *args: Any, user: User, benchmark: Benchmark, accounts: list[User], **more: Any
    ) -> None:
        super().__init__(*args, user=user, benchmark=benchmark, **more)
        self.benchmark = benchmark
        for name in (*CURSORS, "state", "sort"):  # of the search page alone
            del self.fields[name]
        field = self.fields["readers"]
        assert isinstance(field, Readers)  # noqa: S101  it is declared above
        field.queryset = User.objects.filter(pk__in=[account.pk for account in accounts])
        dress(self)

    @property
    def narrowing(self) -> list[forms.BoundField]:
        """The fields of the search that are asked for most."""
        return [self[name] for name in USUAL]

    @property
    def narrowing_more(self) -> list[forms.BoundField]:
        """The other fields of the search, in its order."""
        names = [name for name in FindForm.base_fields if name not in USUAL]
        return [self[name] for name in names if name in self.fields]

    @property
    def narrows_more(self) -> bool:
        return any(field.data for field in self.narrowing_more)

    def clean_listed(self) -> list[str]:
        """Return the lines that say something. Each must name an item, if the list is used."""
        lines = [line.strip() for line in self.cleaned_data["listed"].splitlines()]
        words = list(dict.fromkeys(line for line in lines if line))
        if self.data.get("which") != "listed":
            return words
        if not 0 < len(words) <= LISTED:
            raise forms.ValidationError(f"Name 1 to {LISTED:,} items.")
        if missing := unknown(self.benchmark, words):
            shown = ", ".join(word[:60] for word in missing[:3])
            raise forms.ValidationError(f"{len(missing)} of them are no items here: {shown}.")
        return words

    def settings(self) -> dict[str, Any]:
        said = self.cleaned_data
        settings = super().settings() | {"mode": said["mode"], "order": said["order"]}
        return settings if said["seed"] is None else settings | {"seed": said["seed"]}


class ReadersForm(forms.Form):
    """Accounts that are to read in a round."""

    readers = Readers(queryset=User.objects.none(), error_messages={"required": "Name a reader."})

    def __init__(self, *args: Any, accounts: list[User], **more: Any) -> None:
        super().__init__(*args, **more)
        field = self.fields["readers"]
        assert isinstance(field, Readers)  # noqa: S101  it is declared above
        field.queryset = User.objects.filter(pk__in=[account.pk for account in accounts])


class TrainingForm(forms.Form):
    """An item that the readers of a round train with, and what is told after their vote."""

    item = forms.CharField(
        label="Item (key or id)", max_length=300, help_text="As in the list of items."
    )
    expected_verdict = forms.ChoiceField(label="Expected", choices=VERDICTS)
    expected_answer = forms.CharField(label="Answer", max_length=TEXT_LIMIT, required=False)
    feedback = forms.CharField(
        label="What to tell after the vote",
        max_length=TEXT_LIMIT,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        dress(self)


class PersonForm(forms.Form):
    """One reader of a round."""

    reader = forms.IntegerField(min_value=1, max_value=2**63 - 1)


class ItemForm(forms.Form):
    """One item of a round."""

    item = forms.IntegerField(min_value=1, max_value=2**63 - 1)


def dress(form: forms.Form) -> None:
    """Give the fields their looks."""
    for field in form.fields.values():
        if isinstance(field, Readers):
            field.widget.attrs.pop("class", None)
            continue
        select = isinstance(field, forms.ChoiceField)
        field.widget.attrs["class"] = "select" if select else "input"
