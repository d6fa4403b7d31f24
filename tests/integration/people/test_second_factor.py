"""Second factors: set up, asked for, kept where the role needs one, and no way around."""

import logging
import re

import pytest
from allauth.mfa.models import Authenticator
from django.urls import reverse

from annotation.models import Revision
from tests import factories
from tests.factories import PASSWORD
from tests.integration.people.conftest import SECRET, code, give_second_factor

LOGIN, CODE = "/accounts/login/", "/accounts/2fa/authenticate/"
ENROL = reverse("mfa_activate_totp")
ROOM = "/account/keys/"


def give_password(client, user, **more):
    return client.post(LOGIN, {"login": user.username, "password": PASSWORD, **more})


def confirm(client):
    """Say again who it is, as changes of signing in ask for."""
    return client.post(reverse("account_reauthenticate"), {"password": PASSWORD})


def test_it_is_set_up_and_asked_for_from_then_on(
    client, reviewer, django_capture_on_commit_callbacks
):
    give_password(client, reviewer)
    assert "/reauthenticate/" in client.get(ENROL)["Location"]
    confirm(client)
    page = client.get(ENROL).content.decode()
    secret = re.search(r'id="secret" value="([A-Z2-7]{32})"', page)[1]
    assert 'src="data:image/svg+xml;base64,' in page

    with django_capture_on_commit_callbacks(execute=True):
        done = client.post(ENROL, {"code": code(secret)})

    assert done["Location"] == reverse("mfa_view_recovery_codes")
    stored = Authenticator.objects.get(user=reviewer, type="totp")
    assert secret not in str(stored.data)  # sealed
    assert Revision.objects.filter(verb="add_second_factor", actor=reviewer.pseudonym).exists()
    codes = re.findall(r"<code>(\w+)</code>", client.get(done["Location"]).content.decode())
    assert len(codes) == 10

    client.post("/accounts/logout/")
    assert give_password(client, reviewer, next=ROOM)["Location"].startswith(CODE)
    assert client.get(ROOM).status_code == 302  # the password alone opens nothing
    back = client.post(CODE, {"code": codes[0]})
    assert (back.status_code, back["Location"]) == (302, ROOM)
    assert client.get(ROOM).status_code == 200

    client.post("/accounts/logout/")
    give_password(client, reviewer)
    assert client.post(CODE, {"code": codes[0]}).status_code == 200  # a recovery code works once


@pytest.mark.parametrize("said", ["", "000000", "１２３４５６", "abc", "0" * 500, "0\0"])
def test_a_wrong_code_opens_nothing(client, reviewer, said):
    give_second_factor(reviewer)
    give_password(client, reviewer)

    response = client.post(CODE, {"code": said})

    assert response.status_code == 200
    assert "_auth_user_id" not in client.session


def test_a_code_works_once(client, reviewer):
    give_second_factor(reviewer)
    shown = code(SECRET)
    give_password(client, reviewer)
    assert client.post(CODE, {"code": shown}).status_code == 302
    client.post("/accounts/logout/")
    give_password(client, reviewer)

    assert client.post(CODE, {"code": shown}).status_code == 200


def test_codes_cannot_be_guessed_on_and_on(client, reviewer):
    give_second_factor(reviewer)
    give_password(client, reviewer)
    for _ in range(5):
        client.post(CODE, {"code": "000000"})

    response = client.post(CODE, {"code": code(SECRET)})

    assert b"Too many failed tries. Wait 5 minutes" in response.content
    assert "_auth_user_id" not in client.session


def test_the_session_key_changes_when_the_code_is_given(client, reviewer):
    give_second_factor(reviewer)
    give_password(client, reviewer)
    before = client.session.session_key

    client.post(CODE, {"code": code(SECRET)})

    assert client.session.session_key != before
    assert client.session["_auth_user_id"] == str(reviewer.pk)


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example/", "/\\evil.example"])
def test_next_leads_to_no_other_site_after_the_code(client, reviewer, settings, target):
    settings.ALLOWED_HOSTS = ["*"]
    give_second_factor(reviewer)
    give_password(client, reviewer, next=target)

    assert "evil" not in client.post(CODE, {"code": code(SECRET), "next": target})["Location"]


def test_the_admin_site_is_not_reached_around_it(client, admin_user):
    give_second_factor(admin_user)
    give_password(client, admin_user)

    for _ in range(2):
        response = client.get("/admin/", follow=True)
        assert "/admin/" not in response.redirect_chain[-1][0].split("?")[0]
        response = client.post(
            "/admin/login/", {"username": admin_user.username, "password": PASSWORD}
        )
        assert response.status_code == 302
        assert "_auth_user_id" not in client.session
    client.post(CODE, {"code": code(SECRET)})
    assert client.get("/admin/").status_code == 200


ROLES = ["", "reviewer", "adjudicator", "maintainer", "admin"]


@pytest.mark.parametrize(
    ("rule", "needing"), [("OPTIONAL", []), ("PRIVILEGED", ROLES[2:]), ("ALL", ROLES)]
)
def test_the_role_that_needs_one_is_led_to_it(db, client_for, settings, rule, needing):
    settings.MFA_REQUIRED = rule
    for role in ROLES:
        is_admin = role == "admin"
        user = factories.account(role=role, is_staff=is_admin, is_superuser=is_admin)
        client = client_for(user)

        page, api = client.get(ROOM), client.get("/api/v1/me/")

        if role in needing:
            assert (page.status_code, page["Location"], api.status_code) == (302, ENROL, 403)
            assert api["Content-Type"] == "application/problem+json"
            assert api.json()["type"] == "urn:sonovqa:second-factor"
            assert client.get("/admin/").status_code == 302
            assert client.get("/accounts/logout/").status_code == 200
            give_second_factor(user)
        assert client.get(ROOM).status_code == 200
        assert client.get("/api/v1/me/").status_code == 200


def test_who_needs_one_cannot_remove_it(client, settings, adjudicator):
    settings.MFA_REQUIRED = "PRIVILEGED"
    give_second_factor(adjudicator)
    give_password(client, adjudicator)
    client.post(CODE, {"code": code(SECRET)})
    confirm(client)

    response = client.post(reverse("mfa_deactivate_totp"))

    assert b"Your role needs one" in response.content
    assert Authenticator.objects.filter(user=adjudicator, type="totp").exists()


def test_who_need_not_can_remove_it(client, reviewer):
    give_second_factor(reviewer)
    give_password(client, reviewer)
    client.post(CODE, {"code": code(SECRET)})
    confirm(client)

    assert client.post(reverse("mfa_deactivate_totp")).status_code == 302
    assert not Authenticator.objects.filter(user=reviewer).exists()
    assert Revision.objects.filter(verb="drop_second_factor", target_id=reviewer.pk).exists()


def test_an_admin_helps_who_lost_the_phone(client_for, admin_user, reviewer):
    give_second_factor(reviewer)
    url = reverse("annotation:remove_second_factor", args=[reviewer.pk])

    client_for(admin_user).post(url)

    assert not Authenticator.objects.filter(user=reviewer).exists()
    row = Revision.objects.get(verb="remove_second_factor")
    assert (row.actor, row.target_id) == (admin_user.pseudonym, reviewer.pk)


def test_codes_and_passwords_are_in_no_log(client, reviewer, caplog):
    caplog.set_level(logging.DEBUG)
    give_second_factor(reviewer)
    give_password(client, reviewer)
    client.post(CODE, {"code": code(SECRET)})

    text = "\n".join(record.getMessage() for record in caplog.records)
    assert PASSWORD not in text and SECRET not in text and code(SECRET) not in text
