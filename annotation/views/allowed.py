"""Who asks for a page: the account, once it may do what the page is for."""

from django.http import HttpRequest

from annotation.models import User
from annotation.permissions import Verb, require


def account_for(request: HttpRequest, verb: Verb) -> User:
    """Return the signed-in account. Raises PermissionDenied unless it may do `verb`."""
    require(request.user, verb)
    assert isinstance(request.user, User)  # noqa: S101  require lets nobody else through
    return request.user
