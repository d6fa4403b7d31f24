"""The own account: what it shows, changes and gives away."""

import json
import uuid

import pytest
from django.urls import reverse

from annotation.actions.reviews import cast_vote
from annotation.models import Revision, User
from annotation.queries.own_data import PARTS, own_data
from tests import factories
from tests.factories import PASSWORD
from tests.integration.people.conftest import give_second_factor

EXPORT = reverse("annotation:account_export")


def vote(item, user, comment=""):
    return cast_vote(
        review_id=uuid.uuid4(),
        item_id=item.pk,
        version_number=1,
        verdict="keep",
        comment=comment,
        active_seconds=12.5,
        by=user,
    )


def test_it_is_the_own_data_and_no_secret(client_for, reviewer, reviewer_2):
    item = factories.mcq_item(factories.video(factories.benchmark()))
    vote(item, reviewer, "mine «é» \u2028")
    vote(item, reviewer_2, "not mine")
    secret = give_second_factor(reviewer)

    response = client_for(reviewer).post(EXPORT)
    text = b"".join(response.streaming_content).decode()
    data = json.loads(text)

    assert response["Content-Type"] == "application/json"
    assert response["Content-Disposition"].startswith("attachment")
    assert set(data) == set(PARTS)
    assert {"submissions", "runs", "grades", "answers", "saved_filters"} <= set(data)
    assert data["account"][0]["username"] == "reviewer"
    assert [one["comment"] for one in data["votes"]] == ["mine «é» \u2028"]
    assert data["votes"][0]["active_seconds"] == 12.5
    assert {one["type"] for one in data["second_factors"]} == {"totp", "recovery_codes"}
    for never in ("not mine", "reviewer-2", secret, reviewer.password, PASSWORD, "seed"):
        assert never not in text


@pytest.mark.parametrize("part", PARTS)
def test_every_part_is_empty_for_somebody_else(part, admin_user, outsider):
    item = factories.mcq_item(factories.video(factories.benchmark()))
    vote(item, admin_user)

    rows = list(PARTS[part](outsider))

    assert rows == [] or (part == "account" and [one["username"] for one in rows] == ["outsider"])


def test_it_is_streamed_with_few_queries(reviewer, django_assert_num_queries):
    video = factories.video(factories.benchmark())
    for _ in range(5):
        vote(factories.mcq_item(video), reviewer)

    with django_assert_num_queries(len(PARTS)):
        assert len(json.loads("".join(own_data(reviewer)))["votes"]) == 5


def test_it_is_limited(client_for, reviewer):
    client = client_for(reviewer)

    answers = [client.post(EXPORT).status_code for _ in range(11)]

    assert answers == [200] * 10 + [429]


def test_a_link_does_not_start_it(client_for, reviewer):
    assert client_for(reviewer).get(EXPORT).status_code == 405


def test_the_name_is_changed_and_the_trail_holds_none(client_for, reviewer):
    client = client_for(reviewer)

    client.post(reverse("annotation:account_name"), {"first_name": "Ada", "last_name": "Canary"})

    reviewer.refresh_from_db()
    assert reviewer.get_full_name() == "Ada Canary"
    row = Revision.objects.get(verb="choose_name")
    assert "Canary" not in str(row.__dict__)


@pytest.mark.parametrize("said", [{"first_name": "x" * 151}, {"last_name": "a\0b"}])
def test_a_bad_name_changes_nothing(client_for, reviewer, said):
    client_for(reviewer).post(reverse("annotation:account_name"), said)

    assert User.objects.get(pk=reviewer.pk).get_full_name() == ""


def test_nobody_changes_a_role_on_their_own_page(client_for, reviewer):
    client = client_for(reviewer)
    more = {"role": "admin", "is_superuser": "1", "username": "root", "pk": "1"}

    client.post(reverse("annotation:account_name"), {"first_name": "A"} | more)

    reviewer.refresh_from_db()
    assert (reviewer.role, reviewer.username, reviewer.is_superuser) == ("reviewer", "reviewer", 0)


def test_an_admin_changes_role_and_state_with_a_reason(client_for, admin_user, reviewer):
    page = reverse("annotation:change_person", args=[reviewer.pk])

    client_for(admin_user).post(page, {"role": "maintainer", "reason": "on leave"})

    reviewer.refresh_from_db()
    assert (reviewer.role, reviewer.is_active) == ("maintainer", False)
    row = Revision.objects.get(verb="change_account")
    assert (row.actor, row.reason) == (admin_user.pseudonym, "on leave")
    assert row.before == {"role": "reviewer", "is_active": True}


@pytest.mark.parametrize("said", [{"role": "root"}, {"reason": "x" * 501, "is_active": "on"}])
def test_a_bad_change_is_refused(client_for, admin_user, reviewer, said):
    page = reverse("annotation:change_person", args=[reviewer.pk])

    client_for(admin_user).post(page, said)

    assert not Revision.objects.filter(verb="change_account").exists()


def test_the_last_admin_stays(client_for, admin_user):
    page = reverse("annotation:change_person", args=[admin_user.pk])

    response = client_for(admin_user).post(page, {"role": "", "is_active": "on"}, follow=True)

    assert b"The last active admin" in response.content
    assert User.objects.get(pk=admin_user.pk).role == "admin"


def test_accounts_are_found_by_name_and_address(client_for, admin_user, reviewer):
    reviewer.email = "ada@example.org"
    reviewer.save()
    client = client_for(admin_user)

    assert b"ada@example.org" in client.get("/people/?q=ADA").content
    assert b"ada@example.org" not in client.get("/people/?q=zelda").content
    assert client.get("/people/?q=a%00").status_code == 400
    assert client.get("/people/?page=1e9").status_code == 400


def test_being_here_is_noted_at_most_once_in_ten_minutes(client_for, reviewer):
    client = client_for(reviewer)
    client.get("/account/")
    first = User.objects.get(pk=reviewer.pk).last_seen_at
    client.get("/account/")

    assert first is not None
    assert User.objects.get(pk=reviewer.pk).last_seen_at == first
