"""Inviting people, and what becomes of an invitation."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.actions import addresses
from annotation.actions.trail import record
from annotation.models import Invitation, InvitationState, Role, User
from annotation.permissions import Verb, require

TOKEN_BYTES = 32
NAME_TAKEN = {"username": "Somebody has this user name already."}


class InvitationGone(Exception):
    """The link is unknown, used, revoked or expired; which of them is told to nobody."""


@dataclass(frozen=True)
class Person:
    """How somebody who accepts wants to be named. `password` is None where they sign in
    through their hospital alone."""

    username: str
    first_name: str = ""
    last_name: str = ""
    password: str | None = None


@transaction.atomic
def invite(*, role: Role, email: str = "", by: User) -> tuple[Invitation, str]:
    """Return a new invitation and the token of its link, which is stored nowhere.

    Raises PermissionDenied where `by` may not administer, ValidationError for an address that
    an account has already.
    """
    require(by, Verb.ADMINISTER)
    if email and addresses.owners(email).exists():
        raise ValidationError({"email": "An account has this address already."})
    token = secrets.token_urlsafe(TOKEN_BYTES)
    invitation = Invitation(
        role=role,
        email=email,
        invited_by=by,
        token_hash=hash_of(token),
        expires_at=end_of_life(),
    )
    invitation.full_clean()
    invitation.save()
    note(invitation, "invite", by, after={"role": str(role)})
    return invitation, token


@transaction.atomic
def renew(*, invitation: Invitation, by: User) -> str:
    """Give an open or expired invitation a new token and its full life; the old link ends.

    Raises PermissionDenied where `by` may not administer, InvitationGone where it was accepted
    or revoked.
    """
    require(by, Verb.ADMINISTER)
    locked = Invitation.objects.select_for_update().get(pk=invitation.pk)
    if locked.state not in (InvitationState.OPEN, InvitationState.EXPIRED):
        raise InvitationGone
    token = secrets.token_urlsafe(TOKEN_BYTES)
    locked.token_hash, locked.expires_at = hash_of(token), end_of_life()
    locked.mailed_at, locked.invited_by = None, by
    locked.save(update_fields=["token_hash", "expires_at", "mailed_at", "invited_by"])
    note(locked, "renew_invitation", by)
    return token


@transaction.atomic
def revoke(*, invitation: Invitation, by: User) -> None:
    """End an invitation that nobody has accepted.

    Raises PermissionDenied where `by` may not administer, InvitationGone where it was accepted
    or revoked.
    """
    require(by, Verb.ADMINISTER)
    locked = Invitation.objects.select_for_update().get(pk=invitation.pk)
    if locked.state not in (InvitationState.OPEN, InvitationState.EXPIRED):
        raise InvitationGone
    locked.revoked_at = timezone.now()
    locked.save(update_fields=["revoked_at"])
    note(locked, "revoke_invitation", by)


@transaction.atomic
def note_mailed(*, invitation: Invitation, by: User) -> None:
    """Store that the link went out to the invitation's own address."""
    require(by, Verb.ADMINISTER)
    invitation.mailed_at = timezone.now()
    invitation.save(update_fields=["mailed_at"])
    note(invitation, "mail_invitation", by)


def end_invitations_of(inviter: User, *, by: User) -> None:
    """Revoke what somebody who may invite no longer has left open. Call it in the transaction."""
    for invitation in Invitation.objects.select_for_update().filter(
        invited_by=inviter, accepted_at=None, revoked_at=None
    ):
        invitation.revoked_at = timezone.now()
        invitation.save(update_fields=["revoked_at"])
        note(invitation, "revoke_invitation", by, reason="The inviter may not invite any more.")


def find_open(token: str) -> Invitation:
    """Return the invitation of a link. Raises InvitationGone."""
    found = Invitation.objects.filter(token_hash=hash_of(token)).first()
    if found is None or found.state != InvitationState.OPEN:
        raise InvitationGone
    return found


@transaction.atomic
def accept(*, invitation: Invitation, person: Person, address_proven: bool = False) -> User:
    """Return the account that somebody makes for themselves, in the invitation's role.

    `address_proven`: somebody we trust says that the invitation's address is theirs. It is proven
    too where the link was mailed there. Raises InvitationGone where another was quicker,
    ValidationError for a name or password that will not do.
    """
    locked = Invitation.objects.select_for_update().get(pk=invitation.pk)
    if locked.state != InvitationState.OPEN or locked.token_hash != invitation.token_hash:
        raise InvitationGone
    if locked.email and addresses.owners(locked.email).exists():
        raise InvitationGone  # the address found an account on another way meanwhile
    user = new_account(person, Role(locked.role))
    if locked.email:
        proven = address_proven or locked.mailed_at is not None
        addresses.give(user, locked.email, verified=proven)
    locked.accepted_at, locked.account = timezone.now(), user
    locked.save(update_fields=["accepted_at", "account"])
    note(locked, "accept_invitation", user, after={"role": locked.role})
    return user


def new_account(person: Person, role: Role) -> User:
    """Return a saved account. Raises ValidationError, by field."""
    is_admin = role == Role.ADMIN
    user = User(
        username=person.username,
        first_name=person.first_name,
        last_name=person.last_name,
        role=role,
        is_staff=is_admin,
        is_superuser=is_admin,
    )
    if person.password is None:
        user.set_unusable_password()
    else:
        try:
            validate_password(person.password, user)
        except ValidationError as error:
            raise ValidationError({"password": error.messages}) from None
        user.set_password(person.password)
    if User.objects.filter(username__iexact=person.username).exists():
        raise ValidationError(NAME_TAKEN)
    user.full_clean()
    try:
        with transaction.atomic():
            user.save()
    except IntegrityError:  # somebody took the name since it was looked for
        raise ValidationError(NAME_TAKEN) from None
    return user


def hash_of(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def end_of_life() -> datetime:
    return timezone.now() + timedelta(days=settings.INVITATION_DAYS)


def note(
    invitation: Invitation,
    verb: str,
    by: User,
    *,
    after: dict[str, str] | None = None,
    reason: str = "",
) -> None:
    record(
        by=by,
        verb=verb,
        target_kind="invitation",
        target_id=invitation.pk,
        after=after,
        reason=reason,
    )
