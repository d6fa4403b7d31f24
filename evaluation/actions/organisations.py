"""Organisations that send predictions, and which account belongs to which."""

from django.db import IntegrityError, transaction

from annotation.actions.trail import record
from annotation.models import User
from annotation.permissions import Verb, require
from evaluation.models import Membership, Organisation

LONGEST_NAME = 120
MOST_A_DAY = 1000


class OrganisationRefused(ValueError):
    """An organisation cannot be made or changed; the message says why, in one sentence."""


@transaction.atomic
def make_organisation(*, name: str, a_day: int | None = None, by: User) -> Organisation:
    """Make an organisation that may send `a_day` submissions in 24 hours (None: the site's).

    Raises OrganisationRefused where the name is blank, too long or taken; PermissionDenied
    unless `by` may publish.
    """
    require(by, Verb.PUBLISH)
    name = " ".join(name.split())
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
        raise OrganisationRefused(f"A name has 1 to {LONGEST_NAME} printable characters.")
    if a_day is not None and not 0 <= a_day <= MOST_A_DAY:
        raise OrganisationRefused(f"An organisation sends 0 to {MOST_A_DAY} a day.")
    if Organisation.objects.filter(name__iexact=name).exists():
        raise OrganisationRefused(f"{name} is there already.")
    try:
        with transaction.atomic():
            made = Organisation.objects.create(name=name, a_day=a_day)
    except IntegrityError:
        raise OrganisationRefused(f"{name} is there already.") from None
    _record(made, by, "make_organisation", {"name": name, "a_day": a_day})
    return made


@transaction.atomic
def add_member(*, organisation: Organisation, username: str, by: User) -> None:
    """Let the account belong to `organisation`, and to no other any more.

    What it sent before stays counted where it was sent for. Raises OrganisationRefused where
    there is no such account; PermissionDenied unless `by` may publish.
    """
    require(by, Verb.PUBLISH)
    account = User.objects.filter(username=username.strip()).first()
    if account is None:
        raise OrganisationRefused("There is no such account.")
    Membership.objects.update_or_create(account=account, defaults={"organisation": organisation})
    _record(organisation, by, "add_member", {"account": account.pseudonym})


@transaction.atomic
def remove_member(*, organisation: Organisation, username: str, by: User) -> None:
    """Let the account belong to no organisation. Raises as add_member does."""
    require(by, Verb.PUBLISH)
    found = organisation.members.filter(account__username=username.strip())
    member = found.select_related("account").first()
    if member is None:
        raise OrganisationRefused("That account does not belong to it.")
    member.delete()
    _record(organisation, by, "remove_member", {"account": member.account.pseudonym})


def _record(organisation: Organisation, by: User, verb: str, after: dict[str, object]) -> None:
    record(by=by, verb=verb, target_kind="organisation", target_id=organisation.pk, after=after)
