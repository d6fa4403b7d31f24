"""Changes of accounts: making them, their roles, how pages look to them."""

from django.contrib.auth.password_validation import validate_password
from django.db import transaction

from annotation.actions.trail import SYSTEM, record
from annotation.models import Role, User
from annotation.models.account import Theme
from annotation.permissions import Verb, require


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
def change_role(*, user: User, role: Role, by: User, reason: str = "") -> User:
    """Give `user` another role; only an admin's account enters the admin site.

    Raises PermissionDenied where `by` may not administer.
    """
    require(by, Verb.ADMINISTER)
    locked = User.objects.select_for_update().get(pk=user.pk)
    before = locked.role
    locked.role = role
    locked.is_staff = locked.is_superuser = role == Role.ADMIN
    locked.save(update_fields=["role", "is_staff", "is_superuser"])
    record(
        by=by,
        verb="change_role",
        target_kind="account",
        target_id=locked.pk,
        before={"role": before},
        after={"role": str(role)},
        reason=reason,
    )
    return locked


@transaction.atomic
def choose_theme(*, theme: str, by: User) -> None:
    """Store how `by` wants pages to look. Raises ValueError for an unknown theme."""
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
