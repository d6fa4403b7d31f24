"""Changes of accounts: making them, their roles, how pages look to them."""

from typing import Any

from allauth.mfa.models import Authenticator
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils import timezone

from annotation.actions import addresses
from annotation.actions.invitations import end_invitations_of
from annotation.actions.tokens import end_tokens_of
from annotation.actions.trail import SYSTEM, record
from annotation.domain import key_map
from annotation.models import Role, User
from annotation.models.account import Theme
from annotation.permissions import Verb, has_permission, require

CHANGEABLE = frozenset({"username", "first_name", "last_name", "email", "role", "is_active"})
KEPT_IN_TRAIL = ("role", "is_active")


@transaction.atomic
def make_account(*, username: str, role: Role, password: str, by: User | str = SYSTEM) -> User:
    """Return a new account. An admin may enter the admin site, and everything else.

    `by` is an account that may administer, or SYSTEM at the first start. Raises
    ValidationError where the password or the name will not do, PermissionDenied where `by`
    may not administer.
    """
    if isinstance(by, User):
        require(by, Verb.ADMINISTER)
    is_admin = role == Role.ADMIN
    user = User(username=username, role=role, is_staff=is_admin, is_superuser=is_admin)
    validate_password(password, user)
    user.set_password(password)
    user.full_clean()
    user.save()
    record(
        by=by,
        verb="make_account",
        target_kind="account",
        target_id=user.pk,
        after={"role": str(role), "pseudonym": user.pseudonym},
    )
    return user


@transaction.atomic
def change_account(*, user: User, changes: dict[str, Any], by: User, reason: str = "") -> User:
    """Change an account's name, role or state; only an admin's enters the admin site.

    `changes` maps fields of CHANGEABLE to their new values. The trail keeps the values of
    role and state, and only the names of fields that hold personal data.

    What somebody who may not administer any more has invited ends with that.

    Raises PermissionDenied where `by` may not administer, no active admin would be left, or the
    person was erased; ValueError for another field.
    """
    require(by, Verb.ADMINISTER)
    if unknown := set(changes) - CHANGEABLE:
        raise ValueError(f"not a field of accounts that can be changed: {sorted(unknown)}")
    locked = User.objects.select_for_update().get(pk=user.pk)
    refuse_erased(locked)
    before = {name: getattr(locked, name) for name in KEPT_IN_TRAIL}
    for name, value in changes.items():
        setattr(locked, name, value)
    locked.is_staff = locked.is_superuser = locked.role == Role.ADMIN
    locked.full_clean()
    locked.save()
    if "email" in changes:
        addresses.give(locked, changes["email"], verified=False)
    if not has_permission(locked, Verb.ADMINISTER):
        end_invitations_of(locked, by=by)
    if not User.objects.filter(role=Role.ADMIN, is_active=True).exists():
        raise PermissionDenied("The last active admin keeps role and account.")
    record(
        by=by,
        verb="change_account",
        target_kind="account",
        target_id=locked.pk,
        before=before,
        after={name: getattr(locked, name) for name in KEPT_IN_TRAIL} | {"fields": sorted(changes)},
        reason=reason,
    )
    return locked


def refuse_erased(user: User) -> None:
    """Raise PermissionDenied where the person of an account was erased."""
    if user.erased_at:
        raise PermissionDenied("This person was erased; nobody signs in here any more.")


@transaction.atomic
def set_password(*, user: User, password: str, by: User) -> None:
    """Give `user` a new password, which ends their sessions and their tokens.

    Raises PermissionDenied where `by` may not administer or the person was erased,
    ValidationError where the password will not do.
    """
    require(by, Verb.ADMINISTER)
    refuse_erased(user)
    validate_password(password, user)
    user.set_password(password)
    user.save(update_fields=["password"])
    end_tokens_of(user, by=by)
    record(by=by, verb="set_password", target_kind="account", target_id=user.pk)


@transaction.atomic
def remove_second_factor(*, user: User, by: User, reason: str = "") -> None:
    """Take all second factors off an account whose owner has lost them.

    Raises PermissionDenied where `by` may not administer.
    """
    require(by, Verb.ADMINISTER)
    Authenticator.objects.filter(user=user).delete()
    record(
        by=by,
        verb="remove_second_factor",
        target_kind="account",
        target_id=user.pk,
        reason=reason,
    )


@transaction.atomic
def choose_name(*, first_name: str, last_name: str, by: User) -> None:
    """Store how `by` is called. The trail keeps no name. Raises ValidationError."""
    by.first_name, by.last_name = first_name, last_name
    by.full_clean(validate_unique=False, validate_constraints=False)
    by.save(update_fields=["first_name", "last_name"])
    record(
        by=by,
        verb="choose_name",
        target_kind="account",
        target_id=by.pk,
        after={"fields": ["first_name", "last_name"]},
    )


@transaction.atomic
def ask_for_erasure(*, wanted: bool, by: User) -> None:
    """Store that `by` wants to be erased, or no longer does; an admin carries it out."""
    by.erasure_asked_at = timezone.now() if wanted else None
    by.save(update_fields=["erasure_asked_at"])
    verb = "ask_for_erasure" if wanted else "withdraw_erasure"
    record(by=by, verb=verb, target_kind="account", target_id=by.pk)


@transaction.atomic
def choose_theme(*, theme: str, by: User) -> None:
    """Store how `by` wants pages to look; "" is as if they never chose.

    Raises ValueError for an unknown theme.
    """
    before = by.theme
    by.theme = Theme(theme)
    by.save(update_fields=["theme"])
    record(
        by=by,
        verb="choose_theme",
        target_kind="account",
        target_id=by.pk,
        before={"theme": before},
        after={"theme": by.theme},
    )


@transaction.atomic
def choose_answers_first(*, wanted: bool, by: User) -> None:
    """Store whether `by` answers each item from the clip alone before its key is shown."""
    if by.answers_first == wanted:
        return
    by.answers_first = wanted
    by.save(update_fields=["answers_first"])
    record(
        by=by,
        verb="choose_answers_first",
        target_kind="account",
        target_id=by.pk,
        before={"answers_first": not wanted},
        after={"answers_first": wanted},
    )


@transaction.atomic
def choose_keys(*, moves: dict[str, str], by: User) -> None:
    """Store where `by` wants the keys of the pages; {} puts all back in their usual places.

    Raises key_map.BadKeys for moves that cannot be made.
    """
    wanted = key_map.check(moves)
    before = by.keys
    if before == wanted:
        return
    by.keys = wanted
    by.save(update_fields=["keys"])
    record(
        by=by,
        verb="choose_keys",
        target_kind="account",
        target_id=by.pk,
        before={"keys": before},
        after={"keys": wanted},
    )
