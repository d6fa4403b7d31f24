"""Forms about accounts: what a page may send, and within which bounds."""

from django import forms
from django.contrib.auth.validators import UnicodeUsernameValidator

from annotation.forms import REASON_LIMIT
from annotation.models import Role

NAME_LIMIT = 150
PASSWORD_LIMIT = 512  # a hash of more costs the server and protects nobody
WORDS_LIMIT = 100
ADDRESS_LIMIT = 254


class PeopleForm(forms.Form):
    q = forms.CharField(max_length=WORDS_LIMIT, required=False)
    page = forms.IntegerField(min_value=1, max_value=100_000, required=False)


class InviteForm(forms.Form):
    email = forms.EmailField(max_length=ADDRESS_LIMIT, required=False)
    role = forms.ChoiceField(choices=Role.choices, required=False)


class NameForm(forms.Form):
    first_name = forms.CharField(max_length=NAME_LIMIT, required=False)
    last_name = forms.CharField(max_length=NAME_LIMIT, required=False)


class AcceptForm(NameForm):
    username = forms.CharField(
        label="User name", max_length=NAME_LIMIT, validators=[UnicodeUsernameValidator()]
    )
    password = forms.CharField(max_length=PASSWORD_LIMIT, strip=False)


class PersonForm(forms.Form):
    """Role and state of an account, and why."""

    role = forms.ChoiceField(choices=Role.choices, required=False)
    is_active = forms.BooleanField(required=False)
    reason = forms.CharField(max_length=REASON_LIMIT, required=False)


class EraseForm(forms.Form):
    """The second question: the user name typed, and that it cannot be undone said."""

    username = forms.CharField(max_length=NAME_LIMIT)
    for_good = forms.BooleanField()

    def __init__(self, *args: object, expected: str, **more: object) -> None:
        super().__init__(*args, **more)  # type: ignore[arg-type]
        self.expected = expected

    def clean_username(self) -> str:
        if self.cleaned_data["username"] != self.expected:
            raise forms.ValidationError("Type the user name exactly as it stands above.")
        return self.expected
