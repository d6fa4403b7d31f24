"""Forms of the annotation room: what a page may send, and within which bounds."""

from typing import Any

from django import forms

from annotation.actions.releases import TAG
from annotation.actions.returns import QUESTION_LIMIT
from annotation.domain.guidelines import LIMIT
from annotation.models.item import Kind
from annotation.queries.find import MOST_PAGES
from annotation.queries.queue import LOOKS, QUERY_LIMIT

REASON_LIMIT = 500
NOTES_LIMIT = 4_000
TAG_HELP = "1 to 32 letters, digits, dots, hyphens and underscores, the first a letter or digit."
HIGHEST = 2**31 - 1


class ReleaseForm(forms.Form):
    tag = forms.RegexField(
        rf"^{TAG.pattern}\Z", max_length=32, error_messages={"invalid": TAG_HELP}
    )
    notes = forms.CharField(max_length=NOTES_LIMIT, required=False)


class DecisionForm(forms.Form):
    """An adjudicator's decision on the version that the page showed; the words belong to it."""

    version = forms.IntegerField(min_value=1, max_value=HIGHEST)
    action = forms.ChoiceField(choices=[(name, name) for name in ("keep", "drop", "return")])
    words = forms.CharField(max_length=REASON_LIMIT, required=False)

    def clean(self) -> dict[str, object]:
        said = super().clean() or {}
        words = str(said.get("words", ""))
        if said.get("action") == "return" and not 0 < len(words) <= QUESTION_LIMIT:
            self.add_error("words", f"A question of 1 to {QUESTION_LIMIT} characters is needed.")
        if said.get("action") in ("keep", "drop") and not words:
            self.add_error("words", "Say why: the reason stands in the history of the item.")
        return said


class ReasonForm(forms.Form):
    """Why something is done, and the item to come back to."""

    reason = forms.CharField(max_length=REASON_LIMIT, error_messages={"required": "Say why."})
    item = forms.IntegerField(min_value=1, max_value=2**63 - 1)


class RestoreForm(forms.Form):
    """A version to bring back, and the one that was current on the page."""

    number = forms.IntegerField(min_value=1, max_value=HIGHEST)
    base_version = forms.IntegerField(min_value=1, max_value=HIGHEST)
    reason = forms.CharField(max_length=REASON_LIMIT, required=False)


class GuidelinesForm(forms.Form):
    text = forms.CharField(max_length=LIMIT, required=False, strip=False)


class FindForm(forms.Form):
    """Which items to find; an empty field asks for nothing. Lengths in seconds."""

    q = forms.CharField(label="Question says", max_length=QUERY_LIMIT, required=False)
    kind = forms.ChoiceField(label="Kind", required=False, choices=[("", "Any"), *Kind.choices])
    type = forms.CharField(label="Type", max_length=64, required=False)
    category = forms.ChoiceField(label="Category", required=False)
    state = forms.ChoiceField(
        label="Your state",
        required=False,
        choices=[("", "Any"), *((name, look.word) for name, look in LOOKS.items())],
    )
    video = forms.CharField(label="Video", max_length=QUERY_LIMIT, required=False)
    least = forms.FloatField(label="At least, s", min_value=0, max_value=1e6, required=False)
    most = forms.FloatField(label="At most, s", min_value=0, max_value=1e6, required=False)
    page = forms.IntegerField(
        min_value=1, max_value=MOST_PAGES, required=False, widget=forms.HiddenInput
    )

    def __init__(self, *args: Any, categories: list[str], **more: Any) -> None:
        super().__init__(*args, **more)
        field = self.fields["category"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101  it is declared above
        field.choices = [("", "Any"), *((name, name) for name in categories)]
        for named in self.fields.values():
            select = isinstance(named, forms.ChoiceField)
            named.widget.attrs["class"] = "select" if select else "input"


class UndoForm(forms.Form):
    revision = forms.IntegerField(min_value=1, max_value=2**63 - 1)


def first_fault(form: forms.Form) -> str:
    """Return what is wrong with a form, in one sentence."""
    return next(str(texts[0]) for texts in form.errors.values())
