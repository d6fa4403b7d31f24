"""Erasing a person: who they were goes, what they did stays under a pseudonym."""

from typing import Any

from allauth.account.internal.flows.login import (
    _AUTHENTICATION_METHODS_USER_SESSION_KEY as PENDING,
)
from allauth.account.internal.flows.login import AUTHENTICATION_METHODS_SESSION_KEY as METHODS
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.contrib.admin.models import LogEntry
from django.contrib.auth import SESSION_KEY
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from annotation.actions.invitations import end_invitations_of
from annotation.actions.trail import record
from annotation.models import ApiToken, EditHint, Invitation, Revision, Role, SavedFilter, User
from annotation.models.account import Theme
from annotation.permissions import Verb, require

BELONGINGS = (EmailAddress, SocialAccount, Authenticator, UserSession, ApiToken)


@transaction.atomic
def erase_account(*, user: User, by: User) -> None:
    """Take name, address, password, second factors, outside accounts and sessions off `user`.

    Votes, edits and the trail stay, under the pseudonym alone, so agreement figures and releases
    hold. It cannot be undone; a second call changes nothing. Raises PermissionDenied where `by`
    may not administer, or is that account: an admin is erased by another.
    """
    require(by, Verb.ADMINISTER)
    if by.pk == user.pk:
        raise PermissionDenied("Another admin has to erase your account.")
    locked = User.objects.select_for_update().get(pk=user.pk)
    if locked.erased_at:
        return
    end_invitations_of(locked, by=by)
    end_sessions(locked)
    forget_mentions(locked)
    for model in BELONGINGS:
        model.objects.filter(user=locked).delete()
    SavedFilter.objects.filter(owner=locked).delete()
    EditHint.objects.filter(user=locked).delete()
    locked.asked_threads.clear()
    blank(locked)
    record(by=by, verb="erase_account", target_kind="account", target_id=locked.pk)


def blank(user: User) -> None:
    """Leave of the row its number and its pseudonym."""
    user.username = f"erased-{user.pseudonym[:12]}"
    user.first_name = user.last_name = user.email = ""
    user.set_unusable_password()
    user.role, user.theme, user.keys = Role.NONE, Theme.UNCHOSEN, {}
    user.is_active = user.is_staff = user.is_superuser = False
    user.last_login = user.last_seen_at = user.erasure_asked_at = None
    user.erased_at = timezone.now()
    user.save()


def forget_mentions(user: User) -> None:
    """Take the name off rows that belong to others: invitations, admin log, reasons given."""
    theirs = Q(account=user)
    if user.email:
        theirs |= Q(email__iexact=user.email)
    Invitation.objects.filter(theirs).update(email="")
    LogEntry.objects.filter(
        content_type=ContentType.objects.get_for_model(User), object_id=str(user.pk)
    ).update(object_repr=user.pseudonym, change_message="")
    Revision.objects.filter(target_kind="account", target_id=user.pk).update(reason="")


def end_sessions(user: User) -> None:
    """Delete each session of `user`, half signed-in ones too: their data holds the name."""
    ended = [
        session.pk
        for session in Session.objects.iterator(chunk_size=500)
        if belongs(session.get_decoded(), user)
    ]
    Session.objects.filter(pk__in=ended).delete()


def belongs(data: dict[str, Any], user: User) -> bool:
    if str(user.pk) in (str(data.get(SESSION_KEY)), str(data.get(PENDING))):
        return True
    methods = data.get(METHODS)
    records = methods if isinstance(methods, list) else []
    return any(user.username == one.get("username") for one in records if isinstance(one, dict))
