"""How far a review is, told in several places, is the same figure."""

import pytest

from annotation.actions.items import edit_item
from annotation.queries.composition import composition
from annotation.queries.counts import benchmark_lines, reviewed_count
from annotation.queries.own_progress import own_counts
from tests import factories
from tests.unit.annotation.queries.voting import vote

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("cosmetic", "counted"), [(False, 1), (True, 2)])
def test_a_vote_counts_everywhere_while_it_is_about_the_current_version(
    reviewer, cosmetic, counted
):
    bench = factories.benchmark()
    video = factories.video(bench)
    items = [factories.mcq_item(video) for _ in range(3)]
    for item in items[:2]:
        vote(item, reviewer, "keep")
    changes = {"stem": "Which one?"}
    edit_item(
        item_id=items[0].pk,
        base_version=1,
        changes=changes,
        reason="clearer",
        cosmetic=cosmetic,
        by=reviewer,
    )

    assert reviewed_count(bench, items=3) == counted
    assert own_counts(reviewer, bench)["done"] == counted
    assert benchmark_lines(reviewer)[0].done == counted
    assert composition(bench).all.reviewed == counted
