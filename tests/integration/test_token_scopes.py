"""Tokens: permission is scope and verb, on every route of the API and on no page beside it."""

import json
from datetime import timedelta

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from annotation.actions.tokens import make_token, revoke_token
from annotation.models import ApiToken, Benchmark, Review, Revision
from annotation.scopes import Scope, open_to
from tests import factories
from tests.integration.people.conftest import give_second_factor
from tests.integration.test_permissions import (
    EVERYBODY,
    TABLE,
    is_refused,
    may,
    world,  # noqa: F401 a fixture
)

# Which database it is makes no difference to what is proved here.
pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]
ROLES = ("", "reviewer", "adjudicator", "maintainer", "admin")
# The scope that opens a route beside `read`, which opens what only reads.
OWN = {
    "annotation:me": None,
    "annotation:item": "review",
    "annotation:review_items": "review",
    "annotation:own_votes": "review",
    "annotation:vote": "review",
    "annotation:answer": "review",
    "annotation:hold": "review",
    "annotation:release": "review",
    "annotation:claim": "review",
    "annotation:video_report": "review",
    "annotation:versions": "edit",
    "annotation:editing": "edit",
    "annotation:category": "edit",
    "annotation:video_roi": "edit",
    "annotation:roi_suggestion": "edit",
    "annotation:undo_roi": "edit",
    "annotation:item_preview": "edit",
    "annotation:decision": "adjudicate",
    "evaluation:grade": "review",
    "evaluation:api_keys": "maintain",
    "evaluation:api_runs": "run",
    "evaluation:api_run": "run",
    "evaluation:api_predictions": "run",
    "evaluation:api_run_figures": "run",
    "evaluation:api_run_pause": "run",
    "evaluation:api_run_resume": "run",
    "evaluation:api_run_cancel": "run",
    "evaluation:api_run_retry_failed": "run",
    "evaluation:api_run_extend": "run",
    "evaluation:api_run_rejudge": "run",
    "evaluation:api_send": "submit",
    "evaluation:api_withdraw": "submit",
    "evaluation:api_submissions": "submit",
    "evaluation:api_submission": "submit",
}


def api_routes(patterns, space=""):
    """The names of all routes below `api/v1/`."""
    for one in patterns:
        if isinstance(one, URLResolver) and one.namespace != "admin":
            yield from api_routes(
                one.url_patterns, f"{space}{one.namespace}:" if one.namespace else space
            )
        elif isinstance(one, URLPattern) and str(one.pattern).lstrip("^").startswith("api/v1/"):
            yield f"{space}{one.name}"


API = sorted(api_routes(get_resolver().url_patterns))
CLOSED = [name for name in API if TABLE[name].who != EVERYBODY]


def token_of(user, *scopes):
    """A token with scopes that the account may not even give, to see that its role still counts."""
    found, text = make_token(name="t", scopes=[Scope.READ], days=7, by=user)
    ApiToken.objects.filter(pk=found.pk).update(scopes=list(scopes))
    return text


def with_token(text, **options):
    return Client(headers={"Authorization": f"Bearer {text}"}, **options)


def ask(client, name, world):  # noqa: F811
    row = TABLE[name]
    url = reverse(name, kwargs={key: world[place] for key, place in row.places.items()})
    options = {} if row.method == "get" else {"data": {}, "content_type": "application/json"}
    return getattr(client, row.method)(url, **options)


def test_every_route_of_the_api_is_known_here():
    assert set(CLOSED) == set(OWN)


@pytest.mark.parametrize("role", ["", "reviewer", "maintainer"])
def test_scope_and_verb_open_a_route(world, role):  # noqa: F811
    is_admin = role == "admin"
    user = factories.account(role=role, is_staff=is_admin, is_superuser=is_admin)
    text = {str(one): token_of(user, str(one)) for one in Scope}
    for name in CLOSED:
        row = TABLE[name]
        for scope, secret in text.items():
            with transaction.atomic():
                response = ask(with_token(secret), name, world)
                transaction.set_rollback(True)
            reads = row.method == "get" and scope == "read"
            allowed = (reads or scope == OWN[name]) and may(user, row.who)
            assert response.status_code < 500, (name, scope)
            assert is_refused(response) is not allowed, (name, scope, response.content)


def test_what_is_open_to_everybody_is_open_to_every_token(world, reviewer):  # noqa: F811
    client = with_token(token_of(reviewer, "submit"))
    for name in sorted(set(API) - set(CLOSED)):
        assert ask(client, name, world).status_code in (200, 404), name


def test_no_page_takes_a_token(world, admin_user):  # noqa: F811
    client, stranger = with_token(token_of(admin_user, *Scope)), Client()
    for name in sorted(set(TABLE) - set(API)):
        with transaction.atomic():
            found, known = ask(client, name, world), ask(stranger, name, world)
            transaction.set_rollback(True)
        assert found.status_code == known.status_code, name
        assert not found.wsgi_request.user.is_authenticated, name


@pytest.mark.parametrize("role", ROLES)
def test_an_account_gives_no_wider_scopes_than_its_own(db, role):
    is_admin = role == "admin"
    user = factories.account(role=role, is_staff=is_admin, is_superuser=is_admin)
    expected = {
        "": {"read", "submit"},
        "reviewer": {"read", "submit", "review", "edit"},
        "adjudicator": {"read", "submit", "review", "edit", "adjudicate"},
    }.get(role, {str(one) for one in Scope})
    assert set(open_to(user)) == expected
    for scope in set(Scope) - expected:
        with pytest.raises(Exception, match="nothing that the account may not"):
            make_token(name="t", scopes=[scope], days=7, by=user)


def test_a_token_votes_as_its_account_and_needs_no_form_token(reviewer):
    item = factories.mcq_item(factories.video(factories.benchmark()))
    client = with_token(token_of(reviewer, "review"), enforce_csrf_checks=True)
    url = f"/api/v1/items/{item.pk}/votes/{'1' * 8}-{'1' * 4}-4111-8111-{'1' * 12}/"
    body = json.dumps({"version": 1, "verdict": "keep"})
    assert client.put(url, body, content_type="application/json").status_code == 200
    assert Review.objects.get().reviewer == reviewer
    assert Revision.objects.filter(verb="cast_vote").get().actor == reviewer.pseudonym


def test_a_session_still_needs_the_form_token(client_for, reviewer):
    item = factories.mcq_item(factories.video(factories.benchmark()))
    client = client_for(reviewer, enforce_csrf_checks=True)
    url = f"/api/v1/items/{item.pk}/votes/{'1' * 8}-{'1' * 4}-4111-8111-{'1' * 12}/"
    answer = client.put(url, "{}", content_type="application/json")
    assert answer.status_code == 403
    wrong = client.put(
        url, "{}", content_type="application/json", headers={"Authorization": "Bearer nonsense"}
    )
    assert wrong.status_code == 401, "a session does not stand in for a wrong token"


@pytest.mark.parametrize("how", ["revoked", "expired", "closed", "unknown", "long", "odd"])
def test_a_token_that_does_not_work_is_401(reviewer, how):
    found, text = make_token(name="t", scopes=[Scope.READ], days=7, by=reviewer)
    if how == "revoked":
        revoke_token(token=found, by=reviewer)
    elif how == "expired":
        ApiToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    elif how == "closed":
        reviewer.is_active = False
        reviewer.save()
    else:
        text = {"unknown": text + "x", "long": "x" * 5000, "odd": "\udcff\udc00é"}[how]
    answer = Client().get("/api/v1/me/", HTTP_AUTHORIZATION=f"Bearer {text}")
    assert answer.status_code == 401 and answer["WWW-Authenticate"] == "Bearer"
    assert answer.json()["type"] == "urn:sonovqa:token"
    assert answer["Content-Type"] == "application/problem+json"


def test_a_token_says_when_it_was_used_and_is_stored_as_a_hash(reviewer):
    found, text = make_token(name="t", scopes=[Scope.READ], days=7, by=reviewer)
    assert with_token(text).get("/api/v1/me/").json()["username"] == reviewer.username
    row = ApiToken.objects.values().get(pk=found.pk)
    assert row["last_used_at"] and text not in str(row) and text.startswith(row["prefix"])
    assert text not in str(list(Revision.objects.values()))


def test_where_a_second_factor_is_due_a_token_does_not_stand_in_for_it(settings, maintainer):
    _, text = make_token(name="t", scopes=[Scope.READ], days=7, by=maintainer)
    settings.MFA_REQUIRED = "PRIVILEGED"
    answer = with_token(text).get("/api/v1/me/")
    assert (answer.status_code, answer.json()["type"]) == (403, "urn:sonovqa:second-factor")
    give_second_factor(maintainer)
    assert with_token(text).get("/api/v1/me/").status_code == 200


def test_each_token_has_its_own_limit(settings, reviewer, client_for):
    settings.API_READS_A_MINUTE = 2
    first, other = token_of(reviewer, "read"), token_of(reviewer, "read")
    assert [with_token(first).get("/api/v1/me/").status_code for _ in range(3)] == [200, 200, 429]
    assert with_token(other).get("/api/v1/me/").status_code == 200
    assert client_for(reviewer).get("/api/v1/me/").status_code == 200


def test_a_new_password_by_an_admin_and_erasure_end_tokens(reviewer, admin_user):
    from annotation.actions.accounts import set_password
    from annotation.actions.erasure import erase_account

    text = token_of(reviewer, "read")
    set_password(user=reviewer, password="quite another one 77", by=admin_user)
    assert with_token(text).get("/api/v1/me/").status_code == 401
    erase_account(user=reviewer, by=admin_user)
    assert not ApiToken.objects.exists()


def page_form(client, **fields):
    data = {"name": "my script", "scopes": ["read"], "days": "30"} | fields
    return client.post("/account/tokens/", data)


def test_the_page_makes_shows_once_and_revokes(client_for, reviewer):
    reviewer.set_unusable_password()  # else the page asks for the password first
    reviewer.save()
    client = client_for(reviewer)
    page = page_form(client).content.decode()
    found = ApiToken.objects.get()
    text = page.split('id="token" value="')[1].split('"')[0]
    assert with_token(text).get("/api/v1/me/").status_code == 200
    again = client.get("/account/tokens/").content.decode()
    assert text not in again and found.prefix in again
    client.post(f"/account/tokens/{found.pk}/revoke/")
    assert with_token(text).get("/api/v1/me/").status_code == 401


def test_the_page_asks_again_who_it_is(client, reviewer):
    reviewer.set_password("a long pass phrase 1")
    reviewer.save()
    client.force_login(reviewer)
    assert "/reauthenticate/" in page_form(client)["Location"]
    assert not ApiToken.objects.exists()
    page = client.post(
        "/accounts/reauthenticate/?next=/account/tokens/", {"password": "a long pass phrase 1"}
    )
    assert "shown here once" in page.content.decode() and ApiToken.objects.get().name == "my script"


@pytest.mark.parametrize(
    "fields",
    [
        {"name": ""}, {"name": "x" * 61}, {"name": "a\x00b"}, {"scopes": []},
        {"scopes": ["run"]}, {"scopes": ["everything"]}, {"days": "36500"}, {"days": "1e9"},
    ],
)  # fmt: skip
def test_the_form_has_bounds(client_for, reviewer, fields):
    reviewer.set_unusable_password()
    reviewer.save()
    assert page_form(client_for(reviewer), **fields).status_code == 400
    assert not ApiToken.objects.exists()


def test_others_tokens_are_not_there(client_for, reviewer, maintainer):
    found, _ = make_token(name="t", scopes=[Scope.READ], days=7, by=maintainer)
    assert client_for(reviewer).post(f"/account/tokens/{found.pk}/revoke/").status_code == 404
    assert ApiToken.objects.get().works


def test_tokens_are_not_without_number(reviewer):
    for _ in range(20):
        make_token(name="t", scopes=[Scope.READ], days=7, by=reviewer)
    with pytest.raises(Exception, match="at most 20"):
        make_token(name="t", scopes=[Scope.READ], days=7, by=reviewer)


def test_a_token_sees_closed_benchmarks_only_with_the_verb(reviewer):
    Benchmark.objects.create(slug="closed", name="Closed", is_public=False)
    seen = with_token(token_of(reviewer, "submit")).get("/api/v1/benchmarks/").json()["results"]
    assert seen == []
    seen = with_token(token_of(reviewer, "read")).get("/api/v1/benchmarks/").json()["results"]
    assert [one["slug"] for one in seen] == ["closed"]
