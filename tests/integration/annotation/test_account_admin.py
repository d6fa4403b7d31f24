"""An admin makes, changes and closes accounts; each change leaves its row in the trail."""

import pytest
from django.core.exceptions import PermissionDenied
from django.urls import reverse

from annotation.actions import accounts
from annotation.models import Revision, User
from tests.factories import PASSWORD

ADD = reverse("admin:annotation_user_add")
NEW = {"username": "dr-new", "role": "reviewer", "password1": PASSWORD, "password2": PASSWORD}


def change_page(user):
    return reverse("admin:annotation_user_change", args=[user.pk])


def as_form(user, **changes):
    fields = ("username", "first_name", "last_name", "email", "role")
    form = {name: getattr(user, name) for name in fields}
    form |= {"is_active": "on"} if user.is_active else {}
    return form | changes


def test_an_account_is_made_with_its_trail(client_for, admin_user):
    response = client_for(admin_user).post(ADD, NEW)

    made = User.objects.get(username="dr-new")
    assert response.status_code == 302
    assert (made.role, made.is_staff) == ("reviewer", False)
    assert made.check_password(PASSWORD)
    revision = Revision.objects.get(verb="make_account")
    assert (revision.actor, revision.target_id) == (admin_user.pseudonym, made.pk)


def test_a_weak_password_is_refused(client_for, admin_user):
    response = client_for(admin_user).post(ADD, NEW | {"password1": "x", "password2": "x"})

    assert response.status_code == 200
    assert not User.objects.filter(username="dr-new").exists()


def test_a_role_is_given_with_its_trail(client_for, admin_user, reviewer):
    form = as_form(reviewer, role="admin", last_name="Secret")

    response = client_for(admin_user).post(change_page(reviewer), form)

    assert response.status_code == 302, response.context["errors"]
    reviewer.refresh_from_db()
    assert (reviewer.role, reviewer.is_staff, reviewer.last_name) == ("admin", True, "Secret")
    revision = Revision.objects.get(verb="change_account")
    assert revision.before == {"role": "reviewer", "is_active": True}
    assert revision.after["role"] == "admin"
    assert "Secret" not in str(revision.after)


def test_an_account_is_closed_not_deleted(client_for, admin_user, reviewer):
    client = client_for(admin_user)
    form = as_form(reviewer)
    del form["is_active"]

    client.post(change_page(reviewer), form)

    reviewer.refresh_from_db()
    assert not reviewer.is_active
    delete = reverse("admin:annotation_user_delete", args=[reviewer.pk])
    assert client.post(delete, {"post": "yes"}).status_code == 403


def test_the_last_admin_stays(client_for, admin_user):
    response = client_for(admin_user).post(
        change_page(admin_user), as_form(admin_user, role="reviewer")
    )

    assert response.status_code == 403
    admin_user.refresh_from_db()
    assert admin_user.role == "admin"


def test_a_password_is_set_with_its_trail_and_ends_sessions(client_for, admin_user, reviewer):
    theirs = client_for(reviewer)
    new = "another long pass phrase"
    page = reverse("admin:auth_user_password_change", args=[reviewer.pk])

    shown = client_for(admin_user).get(page)
    response = client_for(admin_user).post(page, {"new_password1": new, "new_password2": new})

    assert (shown.status_code, response.status_code) == (200, 302)
    reviewer.refresh_from_db()
    assert reviewer.check_password(new)
    assert Revision.objects.filter(verb="set_password", target_id=reviewer.pk).exists()
    assert theirs.get(reverse("account_change_password")).status_code == 302


def test_the_trail_is_read_only(client_for, admin_user, reviewer):
    client = client_for(admin_user)
    client.post(change_page(reviewer), as_form(reviewer, role="maintainer"))
    revision = Revision.objects.get(verb="change_account")

    assert client.get(reverse("admin:annotation_revision_changelist")).status_code == 200
    page = reverse("admin:annotation_revision_change", args=[revision.pk])
    assert client.post(page, {"verb": "nothing"}).status_code == 403
    assert client.get(reverse("admin:annotation_revision_add")).status_code == 403


@pytest.mark.parametrize("role", ["", "reviewer", "adjudicator", "maintainer"])
def test_nobody_else_administers(reviewer, admin_user, role):
    reviewer.role = role

    with pytest.raises(PermissionDenied):
        accounts.make_account(username="x", role="admin", password=PASSWORD, by=reviewer)
    with pytest.raises(PermissionDenied):
        accounts.change_account(user=reviewer, changes={"role": "admin"}, by=reviewer)
    with pytest.raises(PermissionDenied):
        accounts.set_password(user=admin_user, password=PASSWORD, by=reviewer)


def test_only_named_fields_are_changed(admin_user, reviewer):
    with pytest.raises(ValueError, match="is_superuser"):
        accounts.change_account(user=reviewer, changes={"is_superuser": True}, by=admin_user)
