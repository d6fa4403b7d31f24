"""Threads: who may open, see, answer and settle one, and what stays withheld."""

import json
import uuid

import pytest
from django.core.exceptions import PermissionDenied

from annotation.actions.conflicts import IdTaken
from annotation.actions.edit_hints import hold_hint
from annotation.actions.erasure import erase_account
from annotation.actions.reviews import undo_vote
from annotation.actions.threads import add_comment, open_thread, resolve_thread
from annotation.domain.edits import BadEdit
from annotation.models import Comment, EditHint, Item, Revision, Thread
from annotation.queries.own_data import own_data
from annotation.queries.threads import (
    items_with_open_threads,
    questions_seen,
    questions_to,
    threads_by_item,
    threads_of,
    waiting_for,
)
from tests import factories
from tests.unit.annotation.queries.voting import vote

pytestmark = pytest.mark.django_db


@pytest.fixture
def item():
    return factories.mcq_item(factories.video(factories.benchmark()))


def start(item, by, text="Is the key right?", asked=()):
    ids = [one.pk for one in asked]
    return open_thread(thread_id=uuid.uuid4(), item_id=item.pk, text=text, asked=ids, by=by)


def say(thread, by, text="Yes."):
    return add_comment(comment_id=uuid.uuid4(), thread_id=thread.pk, text=text, by=by)


def texts(user, item, *, voted):
    return [[said.text for said in one.comments] for one in threads_of(user, item, voted=voted)]


def test_a_thread_opens_after_the_own_vote(item, reviewer, reviewer_2):
    thread = start(item, reviewer)
    assert texts(reviewer, item, voted=False) == [["Is the key right?"]], "the own one always"
    assert texts(reviewer_2, item, voted=False) == []
    with pytest.raises(PermissionDenied):
        say(thread, reviewer_2)
    own = vote(item, reviewer_2, "keep")
    say(thread, reviewer_2)
    assert texts(reviewer_2, item, voted=True) == [["Is the key right?", "Yes."]]
    undo_vote(review_id=own.pk, by=reviewer_2)
    with pytest.raises(PermissionDenied):
        say(thread, reviewer_2, "Still yes.")


def test_who_is_asked_sees_the_question_and_not_what_others_answer(
    item, reviewer, reviewer_2, adjudicator
):
    thread = start(item, adjudicator, asked=[reviewer, reviewer_2])
    say(thread, reviewer_2, "I dropped it.")
    seen = threads_of(reviewer, item, voted=False)[0]
    assert [said.text for said in seen.comments] == ["Is the key right?"]
    assert (seen.withheld, seen.is_asked, seen.waits) == (1, True, True)
    assert seen.comments[0].who == "Adjudicator"
    assert waiting_for(reviewer) == 1 and waiting_for(reviewer_2) == 0
    say(thread, reviewer, "I am not sure.")
    assert waiting_for(reviewer) == 0
    say(thread, adjudicator, "Why?")
    assert waiting_for(reviewer) == waiting_for(reviewer_2) == 1
    vote(item, reviewer, "keep")
    assert len(threads_of(reviewer, item, voted=True)[0].comments) == 4
    page = questions_to(reviewer_2, "")
    assert [one.withheld for one in questions_seen(reviewer_2, page)] == [1]


def test_only_adjudicators_name_readers_and_only_readers_can_be_named(
    item, reviewer, reviewer_2, outsider, adjudicator
):
    with pytest.raises(PermissionDenied):
        start(item, reviewer, asked=[reviewer_2])
    with pytest.raises(BadEdit):
        start(item, adjudicator, asked=[outsider])
    with pytest.raises(BadEdit):
        open_thread(thread_id=uuid.uuid4(), item_id=item.pk, text="?", asked=[0], by=adjudicator)
    with pytest.raises(PermissionDenied):
        start(item, outsider)
    with pytest.raises(Item.DoesNotExist):
        open_thread(thread_id=uuid.uuid4(), item_id=0, text="?", by=reviewer)


def test_resolve_reopen_and_an_answer_that_reopens(item, reviewer, reviewer_2, adjudicator):
    thread = start(item, reviewer)
    vote(item, reviewer_2, "keep")
    with pytest.raises(PermissionDenied):
        resolve_thread(thread_id=thread.pk, resolved=True, by=reviewer_2)
    assert resolve_thread(thread_id=thread.pk, resolved=True, by=adjudicator).resolved_at
    assert list(items_with_open_threads(item.benchmark, "")) == []
    say(thread, reviewer)
    assert Thread.objects.get().resolved_at is None
    assert list(items_with_open_threads(item.benchmark, "")) == [item]
    resolve_thread(thread_id=thread.pk, resolved=True, by=reviewer)
    assert resolve_thread(thread_id=thread.pk, resolved=False, by=reviewer).resolved_at is None
    verbs = Revision.objects.filter(target_kind="thread").order_by("id")
    assert list(verbs.values_list("verb", flat=True)) == [
        "open_thread", "resolve_thread", "comment", "resolve_thread", "reopen_thread",
    ]  # fmt: skip


def test_sent_twice_is_stored_once_and_an_id_belongs_to_one(item, reviewer, adjudicator):
    thread = start(item, reviewer)
    again = open_thread(thread_id=thread.pk, item_id=item.pk, text="Again?", by=reviewer)
    assert again == thread and Comment.objects.count() == 1
    with pytest.raises(IdTaken):
        open_thread(thread_id=thread.pk, item_id=item.pk, text="Mine?", by=adjudicator)
    comment = say(thread, adjudicator)
    same = {"comment_id": comment.pk, "thread_id": thread.pk, "text": "Yes."}
    assert add_comment(**same, by=adjudicator) == comment
    with pytest.raises(IdTaken):
        add_comment(**same, by=reviewer)
    assert Comment.objects.count() == 2


def test_no_thread_opens_under_the_id_of_a_comment(item, reviewer, adjudicator):
    thread = start(item, reviewer)
    taken = say(thread, reviewer).pk
    other = factories.mcq_item(item.video)
    for by in (reviewer, adjudicator):
        with pytest.raises(IdTaken):
            open_thread(thread_id=taken, item_id=other.pk, text="Mine?", by=by)
    assert list(Thread.objects.all()) == [thread]
    assert not Revision.objects.filter(target_kind="thread", target_id=other.pk).exists()


@pytest.mark.parametrize("text", ["", "  ", "nul \x00", "half \ud800", "x" * 4_001])
def test_hostile_words(item, reviewer, text):
    with pytest.raises(BadEdit):
        start(item, reviewer, text)
    with pytest.raises(BadEdit):
        say(start(item, reviewer), reviewer, text)


def test_an_adjudicator_sees_names_in_a_bounded_number_of_queries(
    item, reviewer, reviewer_2, adjudicator, django_assert_max_num_queries
):
    other = factories.mcq_item(item.video)
    for one in (item, item, other):
        say(start(one, adjudicator, asked=[reviewer, reviewer_2]), reviewer)
    with django_assert_max_num_queries(3):
        found = threads_by_item(adjudicator, [item.pk, other.pk])
    assert [len(found[one.pk]) for one in (item, other)] == [2, 1]
    assert found[other.pk][0].asked == ("reviewer", "reviewer-2")
    assert [said.who for said in found[other.pk][0].comments] == ["You", "reviewer"]


def test_the_own_words_can_be_taken_away_and_the_erased_are_asked_no_more(
    item, reviewer, reviewer_2, adjudicator, admin_user
):
    thread = start(item, adjudicator, asked=[reviewer])
    say(thread, reviewer, "My own words.")
    hold_hint(item_id=item.pk, by=reviewer)
    taken = json.loads("".join(own_data(reviewer)))
    assert [row["text"] for row in taken["comments"]] == ["My own words."]
    erase_account(user=reviewer, by=admin_user)
    assert not thread.asked.exists() and not EditHint.objects.exists()
    assert Comment.objects.filter(thread=thread).count() == 2, "what was said stays"
