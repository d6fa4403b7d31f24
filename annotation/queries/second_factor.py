"""Who must have a second factor and has none."""

from allauth.mfa.models import Authenticator

from annotation.models import User
from annotation.permissions import must_have_second_factor

ENROL = "Your role needs a second factor. Set it up to go on."


def lacks_second_factor(user: User) -> bool:
    """Say whether `user` must have a second factor and has none. At most one query."""
    return must_have_second_factor(user) and not Authenticator.objects.filter(user=user).exists()
