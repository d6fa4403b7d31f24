"""Tokens of an account: made, used, revoked."""

import secrets
from collections.abc import Sequence
from datetime import timedelta

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from annotation.actions.invitations import hash_of
from annotation.actions.trail import record
from annotation.models import ApiToken, User
from annotation.queries.tokens import working_tokens
from annotation.scopes import Scope, open_to

MARK = "snq_"  # so that a token that got into a file is known for what it is
TOKEN_BYTES = 32
PREFIX = 10  # signs that are shown afterwards; 36 bits of chance
MOST = 20  # that work at a time
LIVES = (7, 30, 90, 365)  # days


@transaction.atomic
def make_token(*, name: str, scopes: Sequence[Scope], days: int, by: User) -> tuple[ApiToken, str]:
    """Return a new token of `by` and its text, which is stored nowhere.

    Raises ValidationError where a scope is wider than the account, none is chosen, the life is
    not one of LIVES, the name is empty, or the account has MOST of them.
    """
    User.objects.select_for_update().get(pk=by.pk)  # one at a time, so that MOST holds
    if not scopes or not set(scopes) <= set(open_to(by)):
        raise ValidationError("Choose what the token may do, nothing that the account may not.")
    if days not in LIVES:
        raise ValidationError("Choose for how long the token works.")
    now = timezone.now()
    if working_tokens(by).count() >= MOST:
        raise ValidationError(f"An account has at most {MOST} tokens. Revoke one first.")
    text = MARK + secrets.token_urlsafe(TOKEN_BYTES)
    token = ApiToken(
        user=by,
        name=name,
        prefix=text[:PREFIX],
        token_hash=hash_of(text),
        scopes=[str(one) for one in Scope if one in scopes],
        expires_at=now + timedelta(days=days),
    )
    token.full_clean()
    token.save()
    after = {"scopes": token.scopes, "expires_at": token.expires_at.isoformat()}
    record(by=by, verb="make_token", target_kind="api_token", target_id=token.pk, after=after)
    return token, text


@transaction.atomic
def revoke_token(*, token: ApiToken, by: User) -> None:
    """End a token of `by`; a second call changes nothing. Raises ApiToken.DoesNotExist where it
    is somebody else's."""
    locked = ApiToken.objects.select_for_update().get(pk=token.pk, user=by)
    if locked.revoked_at is None:
        _end(locked, by)


def end_tokens_of(user: User, *, by: User) -> None:
    """Revoke all tokens of `user`. Call it in the transaction."""
    for token in ApiToken.objects.select_for_update().filter(user=user, revoked_at=None):
        _end(token, by)


def _end(token: ApiToken, by: User) -> None:
    token.revoked_at = timezone.now()
    token.save(update_fields=["revoked_at"])
    record(by=by, verb="revoke_token", target_kind="api_token", target_id=token.pk)


def find_working(text: str) -> ApiToken | None:
    """Return the token that a program sent, with its account, or None: unknown, revoked, expired
    or of a closed account, which of them is told to nobody. One query."""
    found = ApiToken.objects.select_related("user").filter(token_hash=hash_of(text)).first()
    return found if found and found.works and found.user.is_active else None


def note_used(token: ApiToken) -> None:
    """Store that a token was used just now."""
    now = timezone.now()
    ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
    User.objects.filter(pk=token.user_id).update(last_seen_at=now)
