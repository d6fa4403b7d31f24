"""Through which round a reader sees an item."""

import pytest

from annotation.queries.rounds import mode_for, seen_through
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def item():
    return factories.mcq_item(factories.video(factories.benchmark()))


def test_without_a_round_everybody_judges(item, reviewer):
    assert seen_through(reviewer, item) is None
    assert mode_for(reviewer, item) == "judge"


def test_the_mode_is_that_of_the_readers_own_open_round(item, reviewer, reviewer_2):
    factories.review_round(item.benchmark, [item], [reviewer], mode="answer")
    assert mode_for(reviewer, item) == "answer"
    assert mode_for(reviewer_2, item) == "judge"


@pytest.mark.parametrize("state", ["draft", "closed"])
def test_a_round_that_is_not_open_changes_nothing(item, reviewer, state):
    factories.review_round(item.benchmark, [item], [reviewer], mode="answer", state=state)
    assert mode_for(reviewer, item) == "judge"


def test_of_two_rounds_the_one_opened_first_counts(item, reviewer):
    first = factories.review_round(item.benchmark, [item], [reviewer], mode="answer")
    factories.review_round(item.benchmark, [item], [reviewer], mode="judge")
    assert seen_through(reviewer, item).round == first
    assert mode_for(reviewer, item) == "answer"
