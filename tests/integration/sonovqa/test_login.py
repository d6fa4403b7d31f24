"""Signing in: one page for everybody, limited, and never a way to another site."""

import pytest
from django.urls import reverse

from tests.factories import PASSWORD

LOGIN = "/accounts/login/"


def sign_in(client, name, password, **options):
    return client.post(LOGIN, {"login": name, "password": password, **options})


def test_a_reviewer_signs_in_and_goes_where_they_wanted(client, reviewer):
    response = sign_in(client, reviewer.username, PASSWORD, next="/healthz")

    assert (response.status_code, response["Location"]) == (302, "/healthz")
    assert client.session["_auth_user_id"] == str(reviewer.pk)


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.example/",
        "//evil.example/",
        "///evil.example/",
        "/\\evil.example",
        "https:evil.example",
        "javascript:alert(1)",
        "https://localhost@evil.example/",
        "\thttps://evil.example",
    ],
)
def test_next_never_leads_to_another_site(client, reviewer, settings, target):
    settings.ALLOWED_HOSTS = ["*"]

    response = sign_in(client, reviewer.username, PASSWORD, next=target)

    assert response.status_code == 302
    assert "evil" not in response["Location"]
    assert "script" not in response["Location"]


def test_the_session_key_changes_at_login(client, reviewer):
    client.get(LOGIN)
    session = client.session
    session["kept"] = 1
    session.save()
    before = session.session_key

    sign_in(client, reviewer.username, PASSWORD)

    assert client.session.session_key != before


def test_failed_logins_of_one_name_are_limited(client, reviewer):
    for _ in range(5):
        response = sign_in(client, reviewer.username, "wrong")
        assert b"not correct" in response.content

    response = sign_in(client, reviewer.username, PASSWORD)

    assert b"Too many failed tries. Wait 5 minutes, then try again." in response.content
    assert "_auth_user_id" not in client.session


def test_the_lock_counts_down(client, reviewer, time_machine):
    time_machine.move_to("2026-11-30T12:00:00Z", tick=False)
    for _ in range(5):
        sign_in(client, reviewer.username, "wrong")
        time_machine.shift(20)
    assert b"Wait 4 minutes" in sign_in(client, reviewer.username, PASSWORD).content
    time_machine.shift(170)
    assert b"Wait 30 seconds" in sign_in(client, reviewer.username, PASSWORD).content
    time_machine.shift(31)

    assert sign_in(client, reviewer.username, PASSWORD).status_code == 302


def test_the_lock_of_a_name_that_is_nobodys_reads_the_same(client, db):
    for _ in range(5):
        sign_in(client, "nobody-of-this-name", "wrong")

    response = sign_in(client, "nobody-of-this-name", "wrong")

    assert b"Too many failed tries. Wait 5 minutes" in response.content


def test_the_limit_holds_while_the_broker_is_away(client, reviewer, settings, tmp_path):
    settings.CACHES = {
        "default": {
            "BACKEND": "sonovqa.cache.Cache",
            "LOCATION": f"unix://{tmp_path / 'no-such.sock'}?db=0",
        }
    }
    for _ in range(5):
        assert sign_in(client, reviewer.username, "wrong").status_code == 200

    response = sign_in(client, reviewer.username, PASSWORD)

    assert b"Too many failed tries" in response.content


def test_an_unknown_name_and_a_wrong_password_look_the_same(client, reviewer):
    unknown = sign_in(client, "nobody-of-this-name", "wrong").content
    wrong = sign_in(client, reviewer.username, "wrong").content

    assert b"not correct" in unknown
    assert b"not correct" in wrong


def test_the_admin_site_sends_to_the_same_login(client, admin_user):
    response = client.get(reverse("admin:login"), {"next": "/admin/"})

    assert response.status_code == 302
    assert response["Location"].startswith(LOGIN)


def test_a_role_without_the_admin_site_is_refused_there(client_for, reviewer):
    assert client_for(reviewer).get(reverse("admin:login")).status_code == 403


def test_nobody_makes_an_account_for_themselves(client, db):
    assert client.get("/accounts/signup/").status_code == 404


def test_the_password_can_be_changed(client_for, reviewer):
    new = "quite another pass phrase"
    client = client_for(reviewer)

    response = client.post(
        reverse("account_change_password"),
        {"oldpassword": PASSWORD, "password1": new, "password2": new},
    )

    assert response.status_code == 302
    reviewer.refresh_from_db()
    assert reviewer.check_password(new)


def test_a_weak_new_password_is_refused(client_for, reviewer):
    response = client_for(reviewer).post(
        reverse("account_change_password"),
        {"oldpassword": PASSWORD, "password1": "short", "password2": "short"},
    )

    assert response.status_code == 200
    assert b"too short" in response.content
