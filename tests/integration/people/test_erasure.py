"""After erasing, nothing names the person, and everything they did still counts."""

import json
import logging
import uuid

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.apps import apps
from django.contrib.sessions.models import Session
from django.core.exceptions import PermissionDenied
from django.core.serializers.json import DjangoJSONEncoder
from django.test import Client
from django.urls import reverse

from annotation.actions import addresses, invitations
from annotation.actions.accounts import choose_name, set_password
from annotation.actions.erasure import erase_account
from annotation.actions.items import edit_item
from annotation.actions.releases import make_release, release_hash
from annotation.actions.reviews import cast_vote
from annotation.models import Release, Review, Revision, Role, User
from annotation.queries.agreement import agreement
from tests import factories
from tests.factories import PASSWORD
from tests.integration.people.conftest import give_second_factor

NAME, FIRST, LAST, MAIL = "zelda-canary", "Zeldafirst", "Canarylast", "zelda@canary.example"
CANARIES = (NAME, FIRST, LAST, MAIL, "canary")


def dump() -> str:
    """Every row of every table, the data of sessions opened."""
    rows = []
    for model in apps.get_models():
        for row in model._default_manager.values():
            rows.append(f"{model._meta.label} {json.dumps(row, cls=DjangoJSONEncoder)}")
    rows += [json.dumps(one.get_decoded(), default=str) for one in Session.objects.all()]
    return "\n".join(rows)


def mentions() -> list[str]:
    return [row for row in dump().splitlines() if any(word in row.lower() for word in LOWER)]


LOWER = [word.lower() for word in CANARIES]


@pytest.fixture
def bench(db):
    return factories.small_benchmark()


@pytest.fixture
def zelda(admin_user, bench, reviewer_2, client_for):
    """Somebody who was invited, votes, edits, signs in with two factors and is half signed in."""
    invitation, _ = invitations.invite(role=Role.REVIEWER, email=MAIL, by=admin_user)
    person = invitations.Person(NAME, FIRST, LAST, PASSWORD)
    user = invitations.accept(invitation=invitation, person=person, address_proven=True)
    choose_name(first_name=FIRST, last_name=LAST, by=user)
    for number, item in enumerate(bench.items.order_by("pk")):
        for reader in (user, reviewer_2):
            verdict = "keep" if number % 2 or reader == user else "drop"
            reasons = [3] if verdict == "drop" else []
            cast_vote(
                review_id=uuid.uuid4(),
                item_id=item.pk,
                version_number=1,
                verdict=verdict,
                reasons=reasons,
                by=reader,
            )
    Client().post("/accounts/login/", {"login": NAME, "password": PASSWORD})
    give_second_factor(user)
    Client().post("/accounts/login/", {"login": NAME, "password": PASSWORD})  # owes the code
    SocialAccount.objects.create(user=user, provider="hospital", uid=MAIL, extra_data={"n": NAME})
    change = reverse("admin:annotation_user_change", args=[user.pk])
    form = {"username": NAME, "first_name": FIRST, "last_name": LAST, "email": MAIL}
    client_for(admin_user).post(change, form | {"role": "reviewer", "is_active": "on"})
    client_for(admin_user).post(
        reverse("annotation:change_person", args=[user.pk]),
        {"role": "adjudicator", "is_active": "on", "reason": f"{FIRST} knows the field"},
    )
    user.refresh_from_db()
    return user


def figures(bench):
    return json.dumps(agreement(bench), default=str, sort_keys=True)


def test_no_row_names_them_and_all_they_did_stays(zelda, bench, admin_user, caplog):
    item = bench.items.order_by("pk").first()
    changes = {"stem": "Why now?"}
    edit_item(item_id=item.pk, base_version=1, changes=changes, reason="clearer", by=zelda)
    release = make_release(benchmark=bench, tag="r-zelda", by=zelda)
    votes = list(Review.objects.order_by("pk").values())
    trail = list(
        Revision.objects.filter(actor=zelda.pseudonym).values("verb", "target_id", "after")
    )
    before = figures(bench), release.hash
    assert len(mentions()) >= 8  # else the test sees nothing
    caplog.set_level(logging.DEBUG)

    erase_account(user=zelda, by=admin_user)

    assert mentions() == []
    assert not [line for line in caplog.messages if any(word in line for word in CANARIES)]
    assert list(Review.objects.order_by("pk").values()) == votes
    assert (
        list(Revision.objects.filter(actor=zelda.pseudonym).values("verb", "target_id", "after"))
        == trail
    )
    stored = Release.objects.get(pk=release.pk)
    assert (figures(bench), stored.hash) == before
    assert verified(stored)
    last = Revision.objects.first()
    assert (last.verb, last.actor, last.target_id) == (
        "erase_account",
        admin_user.pseudonym,
        zelda.pk,
    )


def verified(release):
    """The hash over what is frozen, made anew."""
    rows = release.release_items.values_list(
        "item_version__item__key", "item_version__digest", "keep"
    )
    return release_hash(rows) == release.hash


def test_they_cannot_sign_in_any_more(zelda, admin_user, client):
    erase_account(user=zelda, by=admin_user)
    zelda.refresh_from_db()

    for name in (NAME, zelda.username):
        client.post("/accounts/login/", {"login": name, "password": PASSWORD})
        assert "_auth_user_id" not in client.session
    assert not zelda.is_active and not zelda.has_usable_password()
    for model in (EmailAddress, SocialAccount, Authenticator, UserSession):
        assert not model.objects.filter(user=zelda).exists()


def test_open_sessions_end(zelda, admin_user, client_for):
    theirs, other = client_for(zelda), client_for(admin_user)
    assert theirs.get("/account/").status_code == 200

    erase_account(user=zelda, by=admin_user)

    assert theirs.get("/account/").status_code == 302
    assert other.get("/account/").status_code == 200


def test_it_is_not_undone(zelda, admin_user, client_for):
    erase_account(user=zelda, by=admin_user)
    erase_account(user=zelda, by=admin_user)
    client = client_for(admin_user)

    client.post(
        reverse("annotation:change_person", args=[zelda.pk]), {"role": "admin", "is_active": "on"}
    )

    zelda.refresh_from_db()
    assert (zelda.role, zelda.is_active) == ("", False)
    with pytest.raises(PermissionDenied):
        set_password(user=zelda, password=PASSWORD, by=admin_user)
    assert Revision.objects.filter(verb="erase_account").count() == 1
    assert client.get(reverse("annotation:erase_person", args=[zelda.pk])).status_code == 404


def test_the_page_asks_twice(zelda, admin_user, client_for):
    client, page = client_for(admin_user), reverse("annotation:erase_person", args=[zelda.pk])

    assert b"cannot be undone" in client.get(page).content
    for said in (
        {},
        {"username": NAME},
        {"for_good": "on"},
        {"username": NAME.upper(), "for_good": "on"},
        {"username": f"{NAME}\0", "for_good": "on"},
    ):
        assert client.post(page, said).status_code == 400
    zelda.refresh_from_db()
    assert zelda.erased_at is None

    response = client.post(page, {"username": NAME, "for_good": "on"}, follow=True)

    zelda.refresh_from_db()
    assert zelda.erased_at is not None
    assert b"This person was erased" in response.content


def test_no_admin_erases_themselves_and_nobody_else_anybody(admin_user, reviewer, client_for):
    with pytest.raises(PermissionDenied):
        erase_account(user=admin_user, by=admin_user)
    with pytest.raises(PermissionDenied):
        erase_account(user=admin_user, by=reviewer)
    page = reverse("annotation:erase_person", args=[admin_user.pk])
    client_for(admin_user).post(page, {"username": "admin", "for_good": "on"})
    assert User.objects.get(pk=admin_user.pk).erased_at is None


def test_people_ask_for_it_and_take_it_back(client_for, reviewer, admin_user):
    client = client_for(reviewer)
    client.post(reverse("annotation:account_erasure"))
    assert b"Asks to be erased" in client_for(admin_user).get("/people/").content
    client.post(reverse("annotation:account_erasure"), {"withdraw": "1"})

    reviewer.refresh_from_db()
    assert reviewer.erasure_asked_at is None
    verbs = set(Revision.objects.filter(target_id=reviewer.pk).values_list("verb", flat=True))
    assert verbs == {"ask_for_erasure", "withdraw_erasure"}


def test_others_of_the_same_name_in_part_are_left_alone(zelda, admin_user):
    other = factories.account("zelda", role="reviewer")
    addresses.give(other, "other@canary.org", verified=True)
    Client().post("/accounts/login/", {"login": "zelda", "password": PASSWORD})

    erase_account(user=zelda, by=admin_user)

    other.refresh_from_db()
    assert (other.username, other.email) == ("zelda", "other@canary.org")
    assert Session.objects.exists()
