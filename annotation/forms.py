"""Forms of the annotation room: what a page may send, and within which bounds."""

from django import forms

from annotation.actions.releases import TAG
from annotation.actions.returns import QUESTION_LIMIT
from annotation.actions.threads import TEXT_LIMIT
from annotation.domain.guidelines import LIMIT

REASON_LIMIT = 500
NOTES_LIMIT = 4_000
TAG_HELP = "1 to 32 letters, digits, dots, hyphens and underscores, the first a letter or digit."
HIGHEST = 2**31 - 1
ID_DIGITS = 18  # any 18 digits fit a column of ids


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
    # Whose page it was sent from: in another tab somebody else may have signed in since.
    reader = forms.IntegerField(min_value=1, max_value=HIGHEST, required=False)

    def clean(self) -> dict[str, object]:
        said = super().clean() or {}
        words = str(said.get("words", ""))
        if said.get("action") == "return" and not 0 < len(words) <= QUESTION_LIMIT:
            self.add_error("words", f"A question of 1 to {QUESTION_LIMIT} characters is needed.")
        if said.get("action") in ("keep", "drop") and not words:
            self.add_error("words", "Say why: the reason stands in the history of the item.")
        return said


class HeldOutForm(forms.Form):
    """Items to hold out or put back by their keys, or a share of all to draw."""

    do = forms.ChoiceField(choices=[(name, name) for name in ("hold", "back", "draw")])
    keys = forms.CharField(max_length=3_100_000, required=False)
    percent = forms.IntegerField(min_value=1, max_value=90, required=False)
    seed = forms.IntegerField(min_value=0, max_value=HIGHEST, required=False)
    reason = forms.CharField(max_length=400)

    def clean(self) -> dict[str, object]:
        said = super().clean() or {}
        if said.get("do") == "draw":
            for name in ("percent", "seed"):
                if name not in self.errors and said.get(name) is None:
                    self.add_error(name, "A whole number is needed.")
        return said


class ExampleForm(forms.Form):
    """An item to show to the public as an example, or to take back, by its key."""

    do = forms.ChoiceField(choices=[(name, name) for name in ("show", "back")])
    key = forms.CharField(max_length=300)
    reason = forms.CharField(max_length=400, required=False)


class CommentForm(forms.Form):
    """An answer in a thread, under an id that the page made."""

    id = forms.UUIDField()
    text = forms.CharField(max_length=TEXT_LIMIT, error_messages={"required": "Write something."})


def is_id(text: str) -> bool:
    """Say whether `text` may be the id of a row: digits that a column of ids holds."""
    return text.isascii() and text.isdigit() and len(text) <= ID_DIGITS


class Ids(forms.Field):
    """Numbers of rows, each a value of its own, as check boxes send them; a list of ints."""

    widget = forms.MultipleHiddenInput

    def to_python(self, value: object) -> list[int]:
        found = value if isinstance(value, list) else []
        texts = [str(one) for one in found]
        if not all(is_id(one) for one in texts):
            raise forms.ValidationError("must be numbers")
        return [int(one) for one in texts]


class ThreadForm(CommentForm):
    """A thread to open; `asked` are the readers whom it is addressed to."""

    asked = Ids(required=False)


class SettleForm(forms.Form):
    resolved = forms.ChoiceField(choices=[("yes", "yes"), ("no", "no")])


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


class UndoForm(forms.Form):
    revision = forms.IntegerField(min_value=1, max_value=2**63 - 1)


class UndoAnyForm(forms.Form):
    """One of the own last decisions: a vote by its UUID, anything else by its number."""

    kind = forms.ChoiceField(choices=[(name, name) for name in ("vote", "decision", "bulk")])
    key = forms.RegexField(r"\A(?:[0-9a-f-]{36}|[1-9][0-9]{0,17})\Z", max_length=36)


def first_fault(form: forms.Form) -> str:
    """Return what is wrong with a form, in one sentence."""
    return next(str(texts[0]) for texts in form.errors.values())
