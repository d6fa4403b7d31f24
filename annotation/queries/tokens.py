"""Tokens of an account."""

from django.db.models import QuerySet
from django.utils import timezone

from annotation.models import ApiToken, User


def working_tokens(user: User) -> QuerySet[ApiToken]:
    """Return the tokens by which programs get in as `user` now."""
    return ApiToken.objects.filter(user=user, revoked_at=None, expires_at__gt=timezone.now())
