"""An invitation makes one account in its own role, once, in time, and leaves no secret behind."""

import logging
import threading
from datetime import timedelta

import pytest
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.actions import invitations
from annotation.actions.accounts import change_account
from annotation.actions.invitations import InvitationGone, Person
from annotation.models import Invitation, Revision, Role, User
from tests import factories
from tests.factories import PASSWORD
from tests.integration.people.conftest import link_in

ACCEPT = reverse("annotation:accept")
NEW = {"username": "dr-new", "first_name": "Ada", "last_name": "New", "password": PASSWORD}


@pytest.fixture
def invited(admin_user):
    return invitations.invite(role=Role.REVIEWER, by=admin_user)


def follow(client, token):
    return client.get(reverse("annotation:invitation", args=[token]), follow=True)


def accept(client, token, **changes):
    follow(client, token)
    return client.post(ACCEPT, NEW | changes)


def test_from_the_page_of_people_to_a_signed_in_account(client_for, admin_user, client):
    page = client_for(admin_user).post(reverse("annotation:invite"), {"role": "maintainer"})
    path = link_in(page.content.decode(), "/invitation/")

    shown = client.get(path, follow=True)
    assert shown.redirect_chain[-1][0] == ACCEPT  # the token is gone from the address
    assert b"as maintainer" in shown.content
    response = client.post(ACCEPT, NEW)

    made = User.objects.get(username="dr-new")
    assert (response.status_code, response["Location"]) == (302, "/account/")
    assert client.session["_auth_user_id"] == str(made.pk)
    assert (made.role, made.is_staff, made.is_superuser) == ("maintainer", False, False)
    assert made.get_full_name() == "Ada New"
    verbs = set(Revision.objects.values_list("verb", "actor"))
    assert ("invite", admin_user.pseudonym) in verbs
    assert ("accept_invitation", made.pseudonym) in verbs


def test_only_a_hash_of_the_token_is_stored(invited):
    invitation, token = invited

    assert token not in str(Invitation.objects.filter(pk=invitation.pk).values().get())
    assert len(token) >= 43


def test_a_link_works_once(invited):
    _, token = invited
    assert accept(Client(), token).status_code == 302

    again = accept(Client(), token, username="dr-other")

    assert again.status_code == 410
    assert not User.objects.filter(username="dr-other").exists()


def test_a_name_taken_at_the_last_moment_is_told_and_the_link_stays_good(invited, monkeypatch):
    _, token = invited
    checked = User.full_clean

    def taken_meanwhile(user, *args, **options):
        checked(user, *args, **options)
        factories.account(user.username)

    with monkeypatch.context() as patch:
        patch.setattr(User, "full_clean", taken_meanwhile)
        response = accept(Client(), token)
    assert response.status_code == 400
    assert b"Somebody has this user name already." in response.content

    assert accept(Client(), token, username="dr-other").status_code == 302


@pytest.mark.django_db(transaction=True)
def test_of_two_at_once_one_is_made(transactional_db, admin_user):
    invitation, _ = invitations.invite(role=Role.REVIEWER, by=admin_user)
    start, got = threading.Barrier(2), []

    def take(name):
        start.wait(timeout=60)
        try:
            person = Person(username=name, password=PASSWORD)
            got.append(invitations.accept(invitation=invitation, person=person).username)
        except InvitationGone:
            got.append("gone")
        finally:
            connection.close()

    threads = [threading.Thread(target=take, args=[f"dr-{number}"]) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)

    assert sorted(got)[1] == "gone" and sorted(got)[0].startswith("dr-")
    assert User.objects.filter(username__startswith="dr-").count() == 1


@pytest.mark.parametrize("end", ["revoked", "expired", "renewed"])
def test_a_link_that_has_ended_makes_no_account(invited, admin_user, end):
    invitation, token = invited
    if end == "revoked":
        invitations.revoke(invitation=invitation, by=admin_user)
    elif end == "renewed":
        invitations.renew(invitation=invitation, by=admin_user)
    else:
        Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))

    response = accept(Client(), token)

    assert response.status_code == 410
    assert b"has ended" in response.content
    assert not User.objects.filter(username="dr-new").exists()


def test_an_end_between_page_and_form_counts(client, invited, admin_user):
    invitation, token = invited
    follow(client, token)
    invitations.revoke(invitation=invitation, by=admin_user)

    assert client.post(ACCEPT, NEW).status_code == 410
    assert not User.objects.filter(username="dr-new").exists()


def test_a_renewed_link_works(invited, admin_user):
    token = invitations.renew(invitation=invited[0], by=admin_user)

    assert accept(Client(), token).status_code == 302


def test_nobody_raises_their_own_role(client, invited):
    more = {"role": "admin", "is_superuser": "1", "is_staff": "on", "is_active": "on"}

    assert accept(client, invited[1], **more).status_code == 302

    made = User.objects.get(username="dr-new")
    assert (made.role, made.is_staff, made.is_superuser) == ("reviewer", False, False)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"password": "short"}, "password"),
        ({"username": "ada.lovelace", "password": "ada.lovelace1"}, "password"),
        ({"password": "x" * 513}, "password"),
        ({"username": "ADMIN"}, "username"),
        ({"username": ""}, "username"),
        ({"username": "a b"}, "username"),
        ({"username": "<script>"}, "username"),
        ({"username": "x" * 151}, "username"),
        ({"username": "a\0b"}, "username"),
        ({"first_name": "x" * 151}, "first_name"),
        ({"last_name": "a\0"}, "last_name"),
    ],
)
def test_what_will_not_do_is_said_beside_its_field(client, invited, changes, field):
    response = accept(client, invited[1], **changes)

    assert response.status_code == 400
    assert field in response.context["form"].errors
    assert invited[0].state == "open"
    assert User.objects.count() == 1


@pytest.mark.parametrize("token", ["x", "x" * 500, "-" * 43, "0"])
def test_an_unknown_link_leads_nowhere(client, db, token):
    assert follow(client, token).status_code == 410


def test_a_forged_cookie_is_no_invitation(client, invited):
    client.cookies["sonovqa_invitation"] = invited[1]

    assert client.post(ACCEPT, NEW).status_code == 410


def test_tries_are_limited(client, db):
    answers = [follow(client, f"guess-{number}").status_code for number in range(31)]

    assert answers[-1] == 429
    assert set(answers[:-1]) == {410}


def test_who_is_signed_in_makes_no_second_account(client_for, reviewer, invited):
    client = client_for(reviewer)

    assert b"You have an account" in follow(client, invited[1]).content
    client.post(ACCEPT, NEW)
    assert not User.objects.filter(username="dr-new").exists()


def test_the_token_is_in_no_log(client, invited, caplog, admin_user):
    from sonovqa.logs import SafeFormatter

    caplog.set_level(logging.DEBUG)
    accept(client, invited[1])
    follow(Client(), invited[1])

    lines = [SafeFormatter("%(message)s").format(record) for record in caplog.records]
    assert any("/invitation/" in line for line in lines), (
        "nothing was logged: the test sees nothing"
    )
    assert invited[1] not in "\n".join(lines)


def test_a_mailed_link_confirms_the_address(client_for, admin_user, client, mail_server):
    client_for(admin_user).post(
        reverse("annotation:invite"), {"role": "reviewer", "email": "Ada@Example.org"}
    )
    letter = mail_server()[0]

    assert letter.to == ["Ada@Example.org"]
    assert letter.alternatives == []  # plain text
    client.get(link_in(letter.body, "/invitation/"), follow=True)
    client.post(ACCEPT, NEW)
    made = User.objects.get(username="dr-new")
    address = made.emailaddress_set.get()
    assert (address.email, address.verified, address.primary) == ("ada@example.org", True, True)
    assert made.email == "ada@example.org"


def test_a_link_that_was_handed_on_confirms_nothing(client, admin_user):
    _, token = invitations.invite(role=Role.REVIEWER, email="ada@example.org", by=admin_user)

    accept(client, token)

    assert not User.objects.get(username="dr-new").emailaddress_set.get().verified


def test_a_mail_that_does_not_go_out_is_told(client_for, admin_user, settings):
    settings.MAIL_IS_SENT = True
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9  # nobody listens

    page = client_for(admin_user).post(
        reverse("annotation:invite"), {"role": "reviewer", "email": "ada@example.org"}
    )

    assert b"could not be sent" in page.content
    assert Invitation.objects.get().mailed_at is None


def test_an_address_of_an_account_is_not_invited(admin_user, reviewer):
    reviewer.email = "ada@example.org"
    reviewer.save()

    with pytest.raises(ValidationError):
        invitations.invite(role=Role.REVIEWER, email="ADA@example.org", by=admin_user)


def test_an_admin_who_goes_takes_the_open_invitations_along(admin_user, invited):
    other = factories.account("admin-2", role="admin")

    change_account(user=admin_user, changes={"role": Role.REVIEWER}, by=other)

    assert Invitation.objects.get().state == "revoked"


@pytest.mark.parametrize("role", ["", "reviewer", "adjudicator", "maintainer"])
def test_nobody_else_invites(invited, reviewer, role):
    reviewer.role = role

    with pytest.raises(PermissionDenied):
        invitations.invite(role=Role.ADMIN, by=reviewer)
    with pytest.raises(PermissionDenied):
        invitations.renew(invitation=invited[0], by=reviewer)
    with pytest.raises(PermissionDenied):
        invitations.revoke(invitation=invited[0], by=reviewer)


@pytest.mark.parametrize(
    "said", [{"role": "root"}, {"email": "no address"}, {"email": "a@b\0.org"}]
)
def test_a_bad_invitation_is_refused(client_for, admin_user, said):
    response = client_for(admin_user).post(reverse("annotation:invite"), said)

    assert response.status_code == 302
    assert not Invitation.objects.exists()


def test_the_page_asks_as_much_for_many(client_for, admin_user, django_assert_num_queries):
    from django.test.utils import CaptureQueriesContext

    def asked():
        with CaptureQueriesContext(connection) as queries:
            client.get(reverse("annotation:people"))
        return len(queries)

    client = client_for(admin_user)
    client.get(reverse("annotation:people"))
    few = asked()
    for _ in range(60):
        factories.account()
        invitations.invite(role=Role.REVIEWER, by=admin_user)

    assert asked() == few
