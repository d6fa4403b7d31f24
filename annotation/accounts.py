"""How people sign in: accounts are made by an admin, never by the visitor."""

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest


class ClosedSignup(DefaultAccountAdapter):
    """Refuses self-made accounts: a vote must come from somebody whom the team knows."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:  # noqa: ARG002  allauth's hook
        return False
