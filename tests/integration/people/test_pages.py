"""Every page of signing in and of accounts has our look; what is not wanted does not exist."""

import re

import pytest
from django.urls import get_resolver, reverse

from tests.factories import PASSWORD
from tests.integration.people.conftest import code, give_second_factor, link_in

WANTED = {
    *("account_login", "account_logout", "account_inactive", "account_reauthenticate"),
    *("account_change_password", "account_set_password"),
    *("account_reset_password", "account_reset_password_done"),
    *("account_reset_password_from_key", "account_reset_password_from_key_done"),
    *("account_email", "account_confirm_email", "usersessions_list"),
    *("mfa_index", "mfa_authenticate", "mfa_reauthenticate"),
    *("mfa_activate_totp", "mfa_deactivate_totp", "mfa_view_recovery_codes"),
    *("mfa_generate_recovery_codes", "mfa_download_recovery_codes"),
    *("openid_connect_login", "openid_connect_callback", "socialaccount_login_cancelled"),
}
OFF = [
    *("signup/", "signup/passkey/", "login/code/", "login/code/confirm/", "confirm-email/"),
    *("reauthenticate/code/", "phone/change/", "social/signup/", "3rdparty/", "3rdparty/signup/"),
    *("2fa/webauthn/", "2fa/trust/", "oidc/other/login/"),
]
OUR_LOOK = re.compile(r'<main class="login" id="main">.*<h1>', re.DOTALL)


def test_the_pages_are_these_and_no_others():
    accounts = next(p for p in get_resolver().url_patterns if str(p.pattern) == "accounts/")

    assert {pattern.name for pattern in accounts.url_patterns} == WANTED


@pytest.mark.parametrize("path", OFF)
def test_what_is_not_wanted_does_not_exist(client_for, reviewer, path):
    assert client_for(reviewer).get(f"/accounts/{path}").status_code == 404


def looks_like_ours(response):
    page = response.content.decode()
    assert response.status_code in (200, 400, 401), page[:300]
    assert OUR_LOOK.search(page) and '<header class="top">' in page
    assert "allauth" not in page.lower()
    assert not re.search(r"<(h1|title)[^>]*>\s*</", page)


@pytest.fixture
def signed_in(client, reviewer, mail_server):
    """A client with a second factor, who said just now who it is."""
    secret = give_second_factor(reviewer)
    client.post("/accounts/login/", {"login": reviewer.username, "password": PASSWORD})
    client.post("/accounts/2fa/authenticate/", {"code": code(secret)})
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    return client


@pytest.mark.parametrize(
    "name",
    [
        *("account_logout", "account_reauthenticate", "account_change_password", "account_email"),
        *("usersessions_list", "mfa_reauthenticate", "mfa_deactivate_totp"),
        *("mfa_view_recovery_codes", "mfa_generate_recovery_codes"),
    ],
)
def test_pages_of_who_is_signed_in_have_our_look(signed_in, name):
    looks_like_ours(signed_in.get(reverse(name)))


@pytest.mark.parametrize(
    "name",
    [
        *("account_login", "account_inactive", "account_reset_password"),
        *("account_reset_password_done", "account_reset_password_from_key_done"),
    ],
)
def test_pages_of_who_is_signed_out_have_our_look(client, mail_server, db, name):
    looks_like_ours(client.get(reverse(name)))


def test_bad_links_have_our_look(client, mail_server, db):
    looks_like_ours(client.get("/accounts/password/reset/key/1-nothing/"))
    looks_like_ours(client.get("/accounts/confirm-email/nothing/"))


def test_the_code_page_and_the_enrolment_have_our_look(client, reviewer):
    give = {"login": reviewer.username, "password": PASSWORD}
    client.post("/accounts/login/", give)
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    looks_like_ours(client.get(reverse("mfa_activate_totp")))
    looks_like_ours(client.post(reverse("mfa_activate_totp"), {"code": "1"}))
    give_second_factor(reviewer)
    client.post("/accounts/logout/")
    client.post("/accounts/login/", give)
    looks_like_ours(client.get("/accounts/2fa/authenticate/"))


def test_who_has_no_password_may_set_one(client_for, reviewer):
    reviewer.set_unusable_password()
    reviewer.save()
    client = client_for(reviewer)

    looks_like_ours(client.get(reverse("account_set_password")))


def test_without_mail_there_are_no_pages_of_mail(client, db):
    for name in ("account_reset_password", "account_reset_password_done", "account_email"):
        assert client.get(reverse(name)).status_code == 404
    assert b"Forgotten password" not in client.get("/accounts/login/").content


def test_the_code_page_of_recovery_downloads_plain_text(signed_in):
    response = signed_in.get(reverse("mfa_download_recovery_codes"))

    assert response["Content-Type"].startswith("text/plain")


# Passwords by mail.


def reset(client, address):
    return client.post(reverse("account_reset_password"), {"email": address})


def test_a_forgotten_password_is_chosen_anew(client, reviewer, mail_server):
    reviewer.email = "ada@example.org"
    reviewer.save()
    new = "quite another pass phrase"

    reset(client, "ada@example.org")
    (letter,) = mail_server()
    assert letter.to == ["ada@example.org"] and letter.alternatives == []
    path = link_in(letter.body, "/accounts/password/reset/key/")
    form = client.get(path, follow=True)
    looks_like_ours(form)
    done = client.post(form.redirect_chain[-1][0], {"password1": new, "password2": new})

    assert done.status_code == 302
    assert "_auth_user_id" not in client.session  # a second factor would be asked for at sign-in
    reviewer.refresh_from_db()
    assert reviewer.check_password(new)
    assert client.get(path, follow=True).content.count(b"used already") == 1
    assert new not in "".join(one.body for one in mail_server())


def test_known_and_unknown_addresses_get_the_same_answer(client, reviewer, mail_server):
    reviewer.email = "ada@example.org"
    reviewer.save()
    token = re.compile(rb'(name="csrfmiddlewaretoken" value=|nonce=)"[^"]+"')

    answers = [reset(client, address) for address in ("ada@example.org", "nobody@example.org")]

    assert {(one.status_code, one["Location"]) for one in answers} == {
        (302, reverse("account_reset_password_done"))
    }
    pages = {token.sub(b"", client.get(one["Location"]).content) for one in answers}
    assert len(pages) == 1
    assert [letter.to for letter in mail_server()] == [["ada@example.org"]]


def test_the_mail_goes_out_beside_the_answer(client, reviewer, mail_server, monkeypatch):
    """A slow mail server must not tell by the clock that the address is known."""
    import threading

    from sonovqa import post

    reviewer.email = "ada@example.org"
    reviewer.save()
    gate, real = threading.Event(), post.deliver
    monkeypatch.setattr(post, "deliver", lambda letter: gate.wait(60) and real(letter))

    assert reset(client, "ada@example.org").status_code == 302  # while the gate is shut
    gate.set()
    assert len(mail_server()) == 1


def test_resets_are_limited(client, reviewer, mail_server):
    reviewer.email = "ada@example.org"
    reviewer.save()

    for _ in range(8):
        reset(client, "ada@example.org")

    assert len(mail_server()) <= 5


def test_a_new_address_counts_once_it_is_confirmed(signed_in, reviewer, mail_server):
    page = signed_in.post(reverse("account_email"), {"email": "new@example.org", "action_add": "1"})
    assert page.status_code == 302
    reviewer.refresh_from_db()
    assert reviewer.email == ""
    letter = next(one for one in mail_server() if one.to == ["new@example.org"])
    path = link_in(letter.body, "/accounts/confirm-email/")
    looks_like_ours(signed_in.get(path))

    signed_in.post(path)

    assert reviewer.emailaddress_set.get(verified=True).email == "new@example.org"
    reviewer.refresh_from_db()
    assert reviewer.email == "new@example.org"


def test_other_sessions_are_ended(signed_in, client_for, reviewer):
    from django.test import Client

    other = Client()
    other.post("/accounts/login/", {"login": reviewer.username, "password": PASSWORD})
    other.post("/accounts/2fa/authenticate/", {"code": code("JBSWY3DPEHPK3PXP", step=1)})
    assert other.get("/account/").status_code == 200

    signed_in.post(reverse("usersessions_list"))

    assert other.get("/account/").status_code == 302
    assert signed_in.get("/account/").status_code == 200
