"""Items found by what stands in the address; others' votes never show there."""

import uuid

import pytest

from annotation.actions.reviews import cast_vote
from annotation.queries.find import A_PAGE
from tests import factories


@pytest.fixture
def bench(db):
    bench = factories.benchmark()
    aorta = factories.video(bench, title="Aorta, long axis", category="Vascular")
    liver = factories.video(bench, title="Liver", category="Abdomen")
    factories.mcq_item(aorta, stem="What does the aorta show?", window=(5.0, 6.0))
    factories.free_item(liver, stem="Why press here?", window=(5.0, 25.0))
    return bench


def found(client, bench, query=""):
    answer = client.get(f"/b/{bench.slug}/items/{query}")
    assert answer.status_code == 200
    return [row.entry.kind for row in answer.context["found"].rows]


@pytest.mark.parametrize(
    ("query", "kinds"),
    [
        ("", ["mcq", "free"]),
        ("?q=AORTA", ["mcq"]),
        ("?kind=free", ["free"]),
        ("?type=type2", ["free"]),
        ("?category=Vascular", ["mcq"]),
        ("?video=liv", ["free"]),
        ("?least=10", ["free"]),
        ("?most=10", ["mcq"]),
        ("?least=2&most=10", []),
        ("?q=press&kind=mcq", []),
        ("?state=todo", ["mcq", "free"]),
        ("?state=kept", []),
        ("?page=2", []),
        ("?q=%25", []),
    ],
)
def test_each_filter(client_for, reviewer, bench, query, kinds):
    assert found(client_for(reviewer), bench, query) == kinds


def test_states_are_the_readers_own(client_for, reviewer, reviewer_2, bench):
    item = bench.items.get(kind="mcq")
    cast_vote(
        review_id=uuid.uuid4(), item_id=item.pk, version_number=1, verdict="keep", by=reviewer
    )
    assert found(client_for(reviewer), bench, "?state=kept") == ["mcq"]
    assert found(client_for(reviewer), bench, "?state=todo") == ["free"]
    assert found(client_for(reviewer_2), bench, "?state=todo") == ["mcq", "free"]
    assert found(client_for(reviewer_2), bench, "?state=kept") == []


@pytest.mark.parametrize(
    "query",
    [
        "?least=nan",
        "?least=-1",
        "?most=1e999",
        "?page=0",
        "?page=999999",
        "?kind=x",
        "?category=y",
        "?q=%00",
        "?q=" + "x" * 101,
        "?state=' OR 1=1",
        "?page=x",
    ],
)
def test_hostile_addresses(client_for, reviewer, bench, query):
    assert client_for(reviewer).get(f"/b/{bench.slug}/items/{query}").status_code == 400


def test_pages_and_a_bounded_number_of_queries(
    client_for, reviewer, bench, django_assert_max_num_queries
):
    video = bench.videos.first()
    for _ in range(A_PAGE):
        factories.free_item(video)
    client = client_for(reviewer)
    with django_assert_max_num_queries(10):
        first = client.get(f"/b/{bench.slug}/items/?q=").context["found"]
    second = client.get(f"/b/{bench.slug}/items/?page=2").context["found"]
    assert (len(first.rows), first.more, len(second.rows), second.more) == (A_PAGE, True, 2, False)
