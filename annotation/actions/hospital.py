"""Accounts of people who come through their hospital's sign-in."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction

from annotation.actions import addresses
from annotation.actions.invitations import InvitationGone, Person, accept, new_account
from annotation.actions.trail import record
from annotation.models import Invitation, InvitationState, Role, User

STRENGTH = [Role.NONE, Role.REVIEWER, Role.ADJUDICATOR, Role.MAINTAINER, Role.ADMIN]
NAME_LIMIT = 150
NOT_IN_NAMES = re.compile(r"[^\w.@+-]+")


class Refused(Exception):
    """Nobody is let in; the text says why, to the person."""


@dataclass(frozen=True)
class Visitor:
    """What a hospital says of somebody. `email` is lower case and vouched for."""

    email: str
    username: str
    first_name: str = ""
    last_name: str = ""
    role: Role = field(default=Role.NONE)


def read_claims(claims: dict[str, Any]) -> Visitor:
    """Return who it is. Raises Refused where the address is missing, not vouched for, or of a
    domain that is not let in."""
    email = claims.get("email")
    if not isinstance(email, str) or claims.get("email_verified") is not True:
        raise Refused("Your hospital does not vouch for your mail address, so we cannot tell you.")
    try:
        validate_email(email)
    except ValidationError:
        raise Refused("Your hospital gives a mail address that is none.") from None
    domain = email.lower().rpartition("@")[2]
    if settings.OIDC_DOMAINS and domain not in settings.OIDC_DOMAINS:
        raise Refused("Addresses of your domain are not let in here.")
    return Visitor(
        email=email.lower(),
        username=username_from(claims.get("preferred_username"), email),
        first_name=text(claims.get("given_name")),
        last_name=text(claims.get("family_name")),
        role=role_from(claims.get(settings.OIDC_ROLE_CLAIM)),
    )


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Account and link come to be together or not at all.

    Raises Refused where another request of the same person was quicker.
    """
    try:
        with transaction.atomic():
            yield
    except IntegrityError:
        raise Refused("You were signed in twice at once. Try again.") from None


def find_account(visitor: Visitor, *, invitation: Invitation | None = None) -> User:
    """Return the account of somebody who comes for the first time; call it in a transaction.

    It is the one that has confirmed the same address, else a new one: in the role of an
    invitation (by its link, or to that address), or, where SONOVQA_OIDC_SIGNUP lets the domains
    in, in the role that the claims give. Raises Refused.
    """
    known = EmailAddress.objects.filter(email__iexact=visitor.email, verified=True).first()
    if known is not None:
        return User.objects.get(pk=known.user_id)
    if addresses.owners(visitor.email).exists():
        raise Refused(
            "An account has your address and has not confirmed it. Sign in to it with its "
            "password, and link your hospital on its page."
        )
    invitation = invitation or invitation_to(visitor.email)
    if invitation is not None:
        return invited_account(visitor, invitation)
    if not settings.OIDC_SIGNUP:
        raise Refused("You have no account here yet. Ask for an invitation.")
    return own_account(visitor)


def invitation_to(email: str) -> Invitation | None:
    waiting = Invitation.objects.filter(email__iexact=email, accepted_at=None, revoked_at=None)
    return next((one for one in waiting if one.state == InvitationState.OPEN), None)


def invited_account(visitor: Visitor, invitation: Invitation) -> User:
    try:
        user = accept(invitation=invitation, person=person(visitor), address_proven=True)
    except InvitationGone:
        raise Refused("The invitation has ended. Ask for another.") from None
    addresses.give(user, visitor.email, verified=True)
    return user


def own_account(visitor: Visitor) -> User:
    """Return a new account of a domain that is let in, in the role that the claims give."""
    user = new_account(person(visitor), visitor.role)
    addresses.give(user, visitor.email, verified=True)
    record(
        by=user,
        verb="make_account",
        target_kind="account",
        target_id=user.pk,
        after={"role": str(user.role), "pseudonym": user.pseudonym, "through": "hospital"},
    )
    return user


def person(visitor: Visitor) -> Person:
    return Person(free_name(visitor.username), visitor.first_name, visitor.last_name)


def free_name(wanted: str) -> str:
    """Return `wanted`, or with a number behind it where somebody has it."""
    name, number = wanted, 1
    while User.objects.filter(username__iexact=name).exists():
        number += 1
        name = f"{wanted[: NAME_LIMIT - 8]}-{number}"
    return name


def username_from(preferred: object, email: str) -> str:
    name = preferred if isinstance(preferred, str) else ""
    local = email.partition("@")[0]
    return (
        NOT_IN_NAMES.sub("-", name.partition("@")[0] or local)[:NAME_LIMIT].strip("-") or "reader"
    )


def text(claim: object) -> str:
    return claim.replace("\0", "")[:NAME_LIMIT] if isinstance(claim, str) else ""


def role_from(claim: object) -> Role:
    """Return the strongest role that SONOVQA_OIDC_ROLES gives for a claim's value or values."""
    values = claim if isinstance(claim, list) else [claim]
    given = [settings.OIDC_ROLES.get(value) for value in values if isinstance(value, str)]
    return max((Role(role) for role in given if role), key=STRENGTH.index, default=Role.NONE)
