"""Quotas of accounts and organisations, and what a sender is told of waiting."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.test import Client
from django.utils import timezone

from annotation.models import Benchmark, Revision
from evaluation.actions.organisations import add_member, make_organisation
from evaluation.actions.submissions import folder_of
from evaluation.models import Organisation, Submission
from evaluation.queries.quota import quota_of
from evaluation.queries.submissions import progress_of
from evaluation.submissions import check_submission
from tests import factories
from tests.integration.evaluation.test_submissions import answers, send

pytestmark = pytest.mark.django_db
URL = "/organisations/"


@pytest.fixture
def bench() -> Benchmark:
    made = factories.small_benchmark(slug="bench", videos=2)
    factories.release(made)
    return made


@pytest.fixture
def sender(outsider: Any, client_for: Any) -> Client:
    return client_for(outsider)


def sent(client: Client, bench: Benchmark, number: int) -> Submission:
    assert send(client, answers(bench, n=number), model=f"M{number}").status_code == 302
    return Submission.objects.latest("pk")


def test_a_used_up_quota_says_when_the_next_one_is_possible(
    bench: Benchmark, sender: Client, settings: Any, outsider: Any
) -> None:
    settings.SUBMISSIONS_A_DAY = 2
    first = sent(sender, bench, 1)
    sent(sender, bench, 2)
    oldest = timezone.now() - timedelta(hours=20)
    Submission.objects.filter(pk=first.pk).update(created_at=oldest)
    said = f"possible from {oldest + timedelta(days=1):%d %B %Y, %H:%M} UTC".replace(" 0", " ", 1)
    answer = send(sender, answers(bench, n=3), model="M3")
    assert answer.status_code == 400 and said in answer.content.decode()
    assert said in sender.get("/b/bench/submit/").content.decode()
    settings.SUBMISSIONS_A_DAY = 0
    assert "none a day" in quota_of(outsider).used_up


def test_our_failure_is_given_back_and_theirs_is_not(
    bench: Benchmark, sender: Client, settings: Any, outsider: Any
) -> None:
    settings.SUBMISSIONS_A_DAY = 2
    assert send(sender, b"nonsense", model="M0").status_code == 302
    check_submission(Submission.objects.latest("pk").pk)
    assert Submission.objects.latest("pk").state == "invalid"
    assert quota_of(outsider).left == 1
    ours = sent(sender, bench, 1)
    assert quota_of(outsider).left == 0
    (folder_of(ours) / "0").unlink()
    check_submission(ours.pk)
    assert quota_of(outsider).left == 1
    sender.post(f"/submissions/{sent(sender, bench, 2).pk}/withdraw/")
    assert quota_of(outsider).left == 0


def test_accounts_of_an_organisation_share_its_quota(
    bench: Benchmark, client_for: Any, maintainer: Any, outsider: Any
) -> None:
    other = factories.account(role="")
    made = make_organisation(name=" Lab  of   Echo ", a_day=2, by=maintainer)
    assert made.name == "Lab of Echo"
    for account in (outsider, other):
        add_member(organisation=made, username=account.username, by=maintainer)
    sent(client_for(outsider), bench, 1)
    sent(client_for(other), bench, 2)
    assert quota_of(outsider).left == quota_of(other).left == 0
    refused = send(client_for(outsider), answers(bench, n=3), model="M3").content.decode()
    assert "The submissions of Lab of Echo of the last 24 hours are used up" in refused
    assert Submission.objects.filter(sent_for=made).count() == 2
    third = make_organisation(name="Third", by=maintainer)
    add_member(organisation=third, username=outsider.username, by=maintainer)
    assert quota_of(outsider).left == 3 and quota_of(other).left == 0


def test_maintainers_manage_organisations_on_a_page(
    client_for: Any, maintainer: Any, outsider: Any
) -> None:
    client = client_for(maintainer)
    client.post(URL, {"do": "make", "name": "Lab", "a_day": "5"})
    made = Organisation.objects.get()
    add = {"do": "add", "organisation": made.pk, "username": outsider.username}
    assert outsider.username in client.post(URL, add, follow=True).content.decode()
    client.post(URL, add | {"do": "remove"})
    assert not made.members.exists()
    verbs = Revision.objects.filter(target_kind="organisation").values_list("verb", flat=True)
    assert set(verbs) == {"make_organisation", "add_member", "remove_member"}
    with pytest.raises(PermissionDenied):
        make_organisation(name="Mine", by=outsider)
    assert client_for(outsider).get(URL).status_code == 403


@pytest.mark.parametrize(
    "said",
    [
        {"do": "make", "name": "lab"},
        {"do": "make", "name": " "},
        {"do": "make", "name": "x" * 200},
        {"do": "make", "name": "a\x00b"},
        {"do": "make", "name": "Other", "a_day": "1e999"},
        {"do": "make", "name": "Other", "a_day": "-1"},
        {"do": "add", "username": "nobody", "organisation": "PK"},
        {"do": "remove", "username": "nobody", "organisation": "PK"},
        {"do": "add", "username": "nobody", "organisation": "9" * 30},
        {"do": "drop"},
    ],
)
def test_what_makes_no_sense_changes_nothing(
    client_for: Any, maintainer: Any, said: dict[str, str]
) -> None:
    made = make_organisation(name="Lab", by=maintainer)
    data = {name: str(made.pk) if value == "PK" else value for name, value in said.items()}
    assert client_for(maintainer).post(URL, data).status_code in (302, 404)
    assert Organisation.objects.count() == 1 and not made.members.exists()


def test_the_page_says_how_long_it_will_take(bench: Benchmark, sender: Client) -> None:
    first = sent(sender, bench, 1)
    Submission.objects.filter(pk=first.pk).update(files=[{"name": "a", "bytes": 60_000_000}])
    second = sent(sender, bench, 2)
    assert progress_of(second).place == 2
    assert progress_of(second).seconds == 120
    page = sender.get(f"/submissions/{second.pk}/").content.decode()
    assert "number 2 in the queue, read in about 2 min" in page
    start = timezone.now()
    Submission.objects.filter(pk=first.pk).update(
        state="checked", started_at=start, checked_at=start + timedelta(seconds=10)
    )
    assert progress_of(second).place == 1 and progress_of(second).seconds == 0
