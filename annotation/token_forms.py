"""The form that makes a token."""

from django import forms

from annotation.actions.tokens import LIVES
from annotation.models import ApiToken
from annotation.scopes import Scope

NAME_LIMIT = ApiToken._meta.get_field("name").max_length
USUAL = 90  # days


class TokenForm(forms.Form):
    name = forms.CharField(max_length=NAME_LIMIT)
    scopes = forms.MultipleChoiceField(
        choices=[(str(one), str(one)) for one in Scope],
        error_messages={"required": "Choose what the token may do."},
    )
    days = forms.TypedChoiceField(
        choices=[(str(days), f"{days} days") for days in LIVES], coerce=int, initial=str(USUAL)
    )

    def chosen(self) -> list[Scope]:
        return [Scope(one) for one in self.cleaned_data["scopes"]]
