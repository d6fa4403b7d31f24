"""Every answer carries the headers that keep a page to itself."""

import pytest
from django.test import Client, RequestFactory
from django.views import defaults

WANTED = {
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
}


@pytest.mark.parametrize("path", ["/accounts/login/", "/healthz", "/no/such/page", "/admin/"])
def test_headers(client, db, path):
    response = client.get(path)

    assert {name: response[name] for name in WANTED} == WANTED
    policy = response["Content-Security-Policy"]
    for directive in (
        "default-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    ):
        assert directive in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize("path", ["/runs/", "/runs/new/", "/accounts/password/change/", "/method/"])
def test_what_was_made_for_an_account_is_kept_nowhere(client, admin_user, path):
    client.force_login(admin_user)
    assert "no-store" in client.get(path)["Cache-Control"]
    client.logout()
    assert "no-store" not in client.get("/method/").get("Cache-Control", "")


def test_a_missing_page_looks_like_the_others(client, db):
    response = client.get("/no/such/page")

    assert response.status_code == 404
    assert b"There is nothing here" in response.content


def test_a_broken_page_needs_no_context():
    response = defaults.server_error(RequestFactory().get("/"))

    assert response.status_code == 500
    assert b"Something broke" in response.content


def test_a_form_without_its_token_is_refused(reviewer):
    response = Client(enforce_csrf_checks=True).post("/accounts/login/", {"login": "x"})

    assert response.status_code == 403
    assert b"had grown old" in response.content


def test_a_foreign_host_is_refused(client, db):
    assert client.get("/healthz", headers={"host": "evil.example"}).status_code == 400


def test_healthz_says_when_the_database_is_away(client, db, monkeypatch):
    from django.db import DatabaseError, connection

    def away():
        raise DatabaseError("gone")

    assert client.get("/healthz").json() == {"database": True}
    with monkeypatch.context() as patched:
        patched.setattr(connection, "cursor", away)
        response = client.get("/healthz")
    assert (response.status_code, response.json()) == (503, {"database": False})
