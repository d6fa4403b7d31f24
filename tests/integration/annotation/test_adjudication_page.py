"""The adjudication page over HTTP: lists, decides, returns, takes back."""

import pytest
from django.urls import reverse

from annotation.models import Item, Revision
from tests import factories
from tests.unit.annotation.queries.voting import move_window, vote

pytestmark = pytest.mark.django_db


@pytest.fixture
def bench():
    return factories.benchmark()


@pytest.fixture
def item(bench, reviewer, reviewer_2):
    made = factories.mcq_item(factories.video(bench), stem="Why <script> here?")
    vote(made, reviewer, "keep", comment="Seen <b>clearly</b>")
    vote(made, reviewer_2, "drop", reasons=[4])
    return made


@pytest.fixture
def client(client_for, adjudicator):
    return client_for(adjudicator)


def url(name, bench, *places):
    return reverse(f"annotation:{name}", args=[bench.slug, *places])


def send(client, item, action, words="", version=1):
    return client.post(
        url("adjudicate", item.benchmark, item.pk),
        {"action": action, "words": words, "version": version},
        follow=True,
    ).content.decode()


def state(item):
    return tuple(Item.objects.values_list("state", "keep", "keep_source").get(pk=item.pk))


def test_votes_stand_side_by_side_named_and_escaped(client, bench, item):
    text = client.get(url("adjudication", bench)).content.decode()

    for told in ("reviewer-2", "Not visible in ROI", "Seen &lt;b&gt;clearly", "Why &lt;script&gt;"):
        assert told in text
    assert "Raw agreement" in text
    assert "1 item to settle" in text


def test_nothing_to_settle(client, bench):
    assert (
        "Nothing waits for an adjudicator"
        in client.get(url("adjudication", bench)).content.decode()
    )


@pytest.mark.parametrize(
    ("action", "after"),
    [("keep", ("kept", True, "adjudicator")), ("drop", ("dropped", False, "adjudicator"))],
)
def test_decide_and_take_back(client, bench, item, action, after):
    text = send(client, item, action, "The stone is seen.")

    assert state(item) == after
    assert Revision.objects.get(verb="adjudicate").reason == "The stone is seen."
    assert "Undo" in text
    revision = Revision.objects.get(verb="adjudicate").pk
    text = client.post(url("undo_decision", bench), {"revision": revision}, follow=True)
    assert "The decision is taken back." in text.content.decode()
    assert state(item)[0] == "disagreement"
    text = client.post(url("undo_decision", bench), {"revision": revision}, follow=True)
    assert "changed or decided since" in text.content.decode()


def test_a_returned_item_shows_its_question_to_the_readers(
    client, client_for, bench, item, reviewer
):
    assert "Returned to its readers." in send(client, item, "return", "Which <phase>?")

    path = reverse("annotation:review", args=[bench.slug, item.pk])
    text = client_for(reviewer).get(path).content.decode()
    assert "An adjudicator asks:" in text
    assert "Which &lt;phase&gt;?" in text
    assert "Evidence opens after your vote." in text
    assert "adjudicator</" not in text


@pytest.mark.parametrize(
    ("action", "words", "told"),
    [
        ("keep", "", "Say why"),
        ("drop", "  ", "Say why"),
        ("return", "", "A question"),
        ("return", "x" * 481, "A question"),
        ("keep", "x" * 501, "at most 500"),
        ("explode", "why", "valid choice"),
        ("keep", "a\x00b", "Null"),
    ],
)
def test_what_cannot_be_saved_is_told_and_changes_nothing(client, item, action, words, told):
    assert told in send(client, item, action, words)
    assert state(item)[0] == "disagreement"


@pytest.mark.parametrize("version", ["", "0", "-1", "x", "99999999999999999999"])
def test_a_version_that_is_none(client, item, version):
    send(client, item, "keep", "why", version)
    assert state(item)[0] == "disagreement"


def test_an_item_edited_meanwhile_is_not_decided(client, item, reviewer):
    move_window(item, reviewer, 5, 8)
    assert "edited meanwhile" in send(client, item, "keep", "why")
    assert state(item)[0] == "todo"


def by_script(client, item, **said):
    return client.post(
        url("adjudicate", item.benchmark, item.pk),
        {"action": "return", "words": "Which phase?", "version": 1} | said,
        headers={"accept": "application/json"},
    )


def test_a_script_is_answered_in_json_and_may_send_again(client, item, adjudicator, maintainer):
    answer = by_script(client, item, words="")
    assert (answer.status_code, answer.json()["detail"][:10]) == (400, "A question")
    answer = by_script(client, item, reader=maintainer.pk)
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:sonovqa:other-reader")
    assert state(item)[0] == "disagreement"

    for _ in range(2):
        answer = by_script(client, item, reader=adjudicator.pk)
        assert (answer.status_code, answer.json()) == (200, {"saved": "Returned to its readers."})
    assert Revision.objects.filter(verb="return_item").count() == 1

    answer = by_script(client, item, words="Another question?")
    assert answer.status_code == 409
    assert "edited meanwhile" in answer.json()["detail"]


def test_items_and_decisions_of_another_benchmark(client, bench, item):
    other = factories.benchmark()
    path = url("adjudicate", other, item.pk)
    assert client.post(path, {"action": "keep", "words": "x", "version": 1}).status_code == 404
    send(client, item, "keep", "x")
    revision = Revision.objects.get(verb="adjudicate").pk
    for data in ({"revision": revision}, {"revision": "x"}, {}):
        assert client.post(url("undo_decision", other), data).status_code == 404


def test_only_ones_own_decision_is_taken_back(client, client_for, bench, item, maintainer):
    send(client, item, "keep", "x")
    revision = Revision.objects.get(verb="adjudicate").pk
    other = client_for(maintainer)
    assert other.post(url("undo_decision", bench), {"revision": revision}).status_code == 404
    vote_revision = Revision.objects.filter(verb="cast_vote").first().pk
    path = url("undo_decision", bench)
    assert client.post(path, {"revision": vote_revision}).status_code == 404


def test_a_form_from_elsewhere_is_refused(client_for, bench, item, adjudicator):
    strict = client_for(adjudicator, enforce_csrf_checks=True)
    path = url("adjudicate", bench, item.pk)
    data = {"action": "keep", "words": "x", "version": 1}
    assert strict.post(path, data).status_code == 403
    assert state(item)[0] == "disagreement"


def test_the_number_of_queries_does_not_grow(
    client, bench, item, reviewer, reviewer_2, django_assert_max_num_queries
):
    for _ in range(2):
        for _ in range(10):
            more = factories.mcq_item(factories.video(bench))
            move_window(more, reviewer, 5, 8)
            move_window(more, reviewer_2, 7, 12)
            vote(more, reviewer, "unsure")
        with django_assert_max_num_queries(22):
            client.get(url("adjudication", bench))
