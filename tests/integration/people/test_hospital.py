"""Signing in through a hospital: a real issuer on loopback, right and wrong in every way."""

import logging
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount, SocialToken
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.urls import reverse

from annotation.actions import addresses, invitations
from annotation.actions.hospital import role_from, username_from
from annotation.models import Role, User
from tests import factories
from tests.integration.people.conftest import SECRET as TOTP_SECRET
from tests.integration.people.conftest import code, give_second_factor
from tests.standins.oidc import PERSON, SECRET, Issuer, use

LOGIN = reverse("openid_connect_login", args=["hospital"])
CALLBACK = reverse("openid_connect_callback", args=["hospital"])
MAIL = PERSON["email"]


@pytest.fixture
def issuer(settings, db):
    with Issuer() as standin:
        use(standin, settings)
        yield standin


def go(client, **form):
    """Press the button; returns where the browser is sent."""
    return client.post(LOGIN, form)


def come_back(client, start):
    """Sign in at the issuer and follow it back to us."""
    there = requests.get(start["Location"], allow_redirects=False, timeout=30)
    back = urlsplit(there.headers["Location"])
    return client.get(f"{back.path}?{back.query}")


def sign_in(client, **form):
    return come_back(client, go(client, **form))


def is_in(client):
    return "_auth_user_id" in client.session


@pytest.fixture
def invited(admin_user):
    return invitations.invite(role=Role.ADJUDICATOR, email=MAIL.upper(), by=admin_user)[0]


def test_who_is_invited_gets_the_account_and_keeps_it(client, issuer, invited):
    response = sign_in(client, next="/account/keys/")

    assert (response.status_code, response["Location"]) == (302, "/account/keys/")
    user = User.objects.get(username="ada")
    assert (user.role, user.get_full_name(), user.email) == ("adjudicator", "Ada Lovelace", MAIL)
    assert not user.has_usable_password()
    assert EmailAddress.objects.get(user=user).verified
    account = SocialAccount.objects.get(user=user)
    assert (account.provider, account.uid, account.extra_data) == ("hospital", "subject-1", {})
    assert not SocialToken.objects.exists()
    assert client.session["_auth_user_id"] == str(user.pk)

    issuer.person["email"] = "new-name@hospital.example"
    assert sign_in(Client())["Location"] == "/"
    assert SocialAccount.objects.count() == 1


def test_the_request_carries_what_it_has_to_and_nothing_of_the_link(client, issuer):
    path = (
        f"{LOGIN}?auth_params=redirect_uri%3Dhttps://evil.example&scope=admin&next=//evil.example"
    )
    start = client.post(path)
    asked = {k: v[0] for k, v in parse_qs(urlsplit(start["Location"]).query).items()}

    assert asked["redirect_uri"] == f"http://testserver{CALLBACK}"
    assert set(asked["scope"].split()) == {"openid", "profile", "email"}
    assert asked["code_challenge_method"] == "S256"
    assert len(asked["nonce"]) == 64 and len(asked["state"]) >= 16
    assert "evil" not in start["Location"]


@pytest.mark.parametrize(
    "fault",
    [
        *("signature", "none", "hs256", "bad-kid", "nonce", "audience", "issuer", "expired"),
        *("no-exp", "azp", "moved", "broken"),
    ],
)
def test_a_bad_token_opens_nothing(client, issuer, invited, fault):
    issuer.faults = {fault}

    response = sign_in(client)

    assert response.status_code == 401
    assert b"did not let you in" in response.content
    assert not is_in(client)
    assert not SocialAccount.objects.exists()
    assert invited.state == "open"


@pytest.mark.parametrize("fault", ["config-issuer", "plain-http"])
def test_a_bad_discovery_sends_nobody_there(client, issuer, fault):
    issuer.faults = {fault}

    assert go(client).status_code == 401


def test_an_issuer_that_is_away_is_a_page(client, issuer):
    issuer.server.shutdown()
    issuer.server.server_close()

    response = go(client)

    assert (response.status_code, b"did not let you in" in response.content) == (401, True)


def test_plain_http_is_refused_outside_the_tests(client, issuer, settings):
    settings.OIDC_LOOPBACK_ALLOWED = False

    assert go(client).status_code == 401
    assert issuer.asked == []


def test_a_way_begun_elsewhere_ends_nowhere(client, issuer, invited):
    """Login CSRF: somebody else's code and state, brought to this browser."""
    start = go(Client())

    assert come_back(client, start).status_code == 401
    assert not is_in(client)


@pytest.mark.parametrize("query", ["", "?state=x", "?state=x&code=y", "?error=access_denied"])
def test_a_callback_out_of_nowhere(client, issuer, query):
    assert client.get(f"{CALLBACK}{query}").status_code == 401


def test_a_way_is_gone_once(client, issuer, invited):
    start = go(client)
    there = requests.get(start["Location"], allow_redirects=False, timeout=30)
    back = urlsplit(there.headers["Location"])
    assert client.get(f"{back.path}?{back.query}").status_code == 302
    client.post("/accounts/logout/")

    assert client.get(f"{back.path}?{back.query}").status_code == 401


def test_who_stops_there_is_told(client, issuer):
    start = go(client)
    state = parse_qs(urlsplit(start["Location"]).query)["state"][0]

    response = client.get(f"{CALLBACK}?state={state}&error=access_denied", follow=True)

    assert b"Not signed in" in response.content


@pytest.mark.parametrize("verified", [False, None, "true", 1])
def test_an_address_that_is_not_vouched_for_is_not_linked(client, issuer, invited, verified):
    issuer.person["email_verified"] = verified
    known = factories.account("known", role="admin")
    addresses.give(known, MAIL, verified=True)

    response = sign_in(client)

    assert (response.status_code, is_in(client)) == (403, False)
    assert b"does not vouch" in response.content
    assert not SocialAccount.objects.exists()


def test_an_account_with_the_same_confirmed_address_is_linked(client, issuer):
    known = factories.account("known", role="reviewer")
    addresses.give(known, MAIL, verified=True)

    assert sign_in(client).status_code == 302
    assert client.session["_auth_user_id"] == str(known.pk)
    known.refresh_from_db()
    assert (known.role, known.has_usable_password()) == ("reviewer", True)


def test_an_address_that_nobody_confirmed_here_is_not_linked(client, issuer):
    """Else whoever typed a colleague's address into an account would get the colleague's links."""
    known = factories.account("known", role="reviewer")
    addresses.give(known, MAIL, verified=False)

    response = sign_in(client)

    assert (response.status_code, is_in(client)) == (403, False)
    assert b"has not confirmed it" in response.content


def test_a_stranger_gets_no_account(client, issuer):
    response = sign_in(client)

    assert (response.status_code, is_in(client)) == (403, False)
    assert b"Ask for an invitation" in response.content
    assert not User.objects.exists()


def test_the_link_of_an_invitation_counts_whatever_its_address(client, issuer, admin_user):
    _, token = invitations.invite(role=Role.MAINTAINER, by=admin_user)
    client.get(reverse("annotation:invitation", args=[token]))

    sign_in(client)

    assert User.objects.get(username="ada").role == "maintainer"


def test_domains_are_let_in_where_the_settings_say_so(client, issuer, settings):
    settings.OIDC_SIGNUP, settings.OIDC_DOMAINS = True, ["hospital.example"]
    settings.OIDC_ROLE_CLAIM, settings.OIDC_ROLES = "groups", {"readers": "reviewer"}
    issuer.person["groups"] = ["staff", "readers"]
    factories.account("ada")

    assert sign_in(client).status_code == 302

    made = User.objects.get(pk=client.session["_auth_user_id"])
    assert (made.username, made.role, made.is_superuser) == ("ada-2", "reviewer", False)


@pytest.mark.parametrize("mail", ["ada@evil.example", "ada@hospital.example.evil.example"])
def test_other_domains_are_not(client, issuer, settings, mail):
    settings.OIDC_SIGNUP, settings.OIDC_DOMAINS = True, ["hospital.example"]
    issuer.person["email"] = mail

    assert sign_in(client).status_code == 403
    assert not User.objects.exists()


def test_the_default_role_is_none(client, issuer, settings):
    settings.OIDC_SIGNUP, settings.OIDC_DOMAINS = True, ["hospital.example"]
    issuer.person["role"] = "admin"

    sign_in(client)

    assert User.objects.get().role == ""


@pytest.mark.parametrize(
    ("claim", "role"),
    [
        (["a", "b"], "adjudicator"),
        ("a", "reviewer"),
        (["A"], ""),
        (None, ""),
        ({"a": 1}, ""),
        ([["a"]], ""),
        (7, ""),
    ],
)
def test_the_strongest_role_counts(settings, claim, role):
    settings.OIDC_ROLES = {"a": "reviewer", "b": "adjudicator"}
    assert role_from(claim) == role


@pytest.mark.parametrize(
    ("preferred", "name"),
    [
        ("Ada L", "Ada-L"),
        ("ada@x.example", "ada"),
        (None, "mail"),
        ("<>", "reader"),
        (7, "mail"),
        ("x" * 500, "x" * 150),
    ],
)
def test_names_become_user_names(preferred, name):
    assert username_from(preferred, "mail@x.example") == name


def test_the_address_may_stand_in_the_user_info_alone(client, issuer, invited):
    issuer.id_token_has_mail = False

    assert sign_in(client).status_code == 302


def test_user_info_of_somebody_else_is_refused(client, issuer, invited):
    issuer.id_token_has_mail, issuer.faults = False, {"other-userinfo"}

    assert sign_in(client).status_code == 401


def test_the_second_factor_is_asked_for_here_too(client, issuer):
    known = factories.account("known", role="reviewer")
    addresses.give(known, MAIL, verified=True)
    give_second_factor(known)

    assert sign_in(client)["Location"].startswith("/accounts/2fa/authenticate/")
    assert not is_in(client)
    client.post("/accounts/2fa/authenticate/", {"code": code(TOTP_SECRET)})
    assert is_in(client)


def test_who_has_no_password_can_set_up_a_second_factor(client, issuer, invited, settings):
    settings.MFA_REQUIRED = "PRIVILEGED"
    sign_in(client)

    assert client.get("/account/")["Location"] == reverse("mfa_activate_totp")
    assert client.get(reverse("mfa_activate_totp")).status_code == 200


def test_a_closed_account_stays_closed(client, issuer):
    known = factories.account("known", role="reviewer", is_active=False)
    addresses.give(known, MAIL, verified=True)

    assert "inactive" in sign_in(client)["Location"]
    assert not is_in(client)


def test_who_is_signed_in_links_the_own_account(client_for, issuer, reviewer):
    client = client_for(reviewer)
    client.post("/accounts/login/", {"login": "reviewer", "password": factories.PASSWORD})
    client.post(reverse("account_reauthenticate"), {"password": factories.PASSWORD})

    response = sign_in(client, process="connect")

    assert response["Location"] == "/account/"
    assert SocialAccount.objects.get().user == reviewer


def test_the_button_is_there_only_with_an_issuer(client, issuer, settings):
    assert b"Sign in with St. Ada" in client.get("/accounts/login/").content
    assert b"St. Ada" in client.get(LOGIN).content
    settings.OIDC_ISSUER = ""
    assert b"Sign in with" not in client.get("/accounts/login/").content
    assert (go(client).status_code, client.get(CALLBACK).status_code) == (404, 404)


def test_secrets_are_in_no_log_and_no_page(client, issuer, invited, caplog):
    caplog.set_level(logging.DEBUG)
    issuer.faults = {"broken"}
    pages = sign_in(client).content
    issuer.faults = set()
    pages += sign_in(client).content

    lines = "\n".join(record.getMessage() for record in caplog.records)
    for canary in (SECRET, "access canary"):
        assert canary not in lines and canary.encode() not in pages


def test_settings_that_make_no_sense_stop_the_start(monkeypatch):
    import importlib

    from sonovqa import people_settings

    for wrong in (
        {"SONOVQA_OIDC_ISSUER": "http://hospital.example", "SONOVQA_OIDC_CLIENT_ID": "x"},
        {"SONOVQA_OIDC_ISSUER": "https://hospital.example"},
        {"SONOVQA_OIDC_SIGNUP": "1"},
        {"SONOVQA_OIDC_ROLES": "a=root"},
        {"SONOVQA_EMAIL_SECURITY": "maybe"},
        {"SONOVQA_MFA": "some"},
    ):
        with monkeypatch.context() as patched:
            for name, value in wrong.items():
                patched.setenv(name, value)
            with pytest.raises(ImproperlyConfigured):
                importlib.reload(people_settings)
    importlib.reload(people_settings)
