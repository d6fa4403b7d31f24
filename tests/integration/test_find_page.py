"""Items found by what stands in the address; others' votes never show there."""

import uuid
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.utils import timezone

from annotation.actions.decisions import adjudicate
from annotation.actions.items import edit_item
from annotation.actions.reviews import cast_vote
from annotation.models import AuditFlag, Item, ShortcutAudit
from annotation.queries import find
from annotation.queries.among import among
from annotation.queries.find import A_PAGE
from annotation.queries.text_search import saying
from tests import factories
from tests.unit.annotation.queries.voting import vote


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
        ("?type=Type2_ArtifactResolution", ["free"]),
        ("?q=the+aor", ["mcq"]),
        ("?q=orta", []),
        ("?q=press-here", ["free"]),
        ("?q=aorta+press", []),
        ("?category=Vascular", ["mcq"]),
        ("?video=liv", ["free"]),
        ("?least=10", ["free"]),
        ("?most=10", ["mcq"]),
        ("?least=2&most=10", []),
        ("?q=press&kind=mcq", []),
        ("?state=todo", ["mcq", "free"]),
        ("?state=kept", []),
        ("?flag=clip-under-2s", []),
        ("?reason=3", []),
        ("?sort=long", ["free", "mcq"]),
        ("?sort=short", ["mcq", "free"]),
        ("?sort=new", ["free", "mcq"]),
        ("?after=9999999~1", []),
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


def test_what_was_said_and_flagged_is_found_after_the_own_vote_alone(
    client_for, reviewer, reviewer_2, adjudicator, bench
):
    item = bench.items.get(kind="mcq")
    audit = ShortcutAudit.objects.create(
        benchmark=bench, state="done", finished_at=timezone.now(), report={}
    )
    AuditFlag.objects.create(audit=audit, item=item, flag="clip-under-2s", reason="x")
    vote(item, reviewer_2, "drop", reasons=[3, 7])
    asked = ("?flag=clip-under-2s", "?reason=3", "?reason=7")

    for query in asked:
        assert found(client_for(reviewer), bench, query) == []
        assert found(client_for(adjudicator), bench, query) == ["mcq"]
    vote(item, reviewer, "keep")
    for query in asked:
        assert found(client_for(reviewer), bench, query) == ["mcq"]
    assert found(client_for(reviewer), bench, "?reason=4") == []
    vote(item, reviewer_2, "keep")  # the drop stands no longer
    assert found(client_for(adjudicator), bench, "?reason=3") == []
    edit_item(item_id=item.pk, base_version=1, changes={"stem": "Other?"}, reason="x", by=reviewer)
    assert found(client_for(reviewer), bench, "?flag=clip-under-2s") == []  # sealed again


def test_what_only_adjudicators_search_by(client_for, reviewer, adjudicator, bench):
    item = bench.items.get(kind="mcq")
    adjudicate(item_id=item.pk, version_number=1, keep=False, reason="x", by=adjudicator)
    vote(item, reviewer, "drop", reasons=[2])
    asked = ("settled=dropped", "source=adjudicator", f"reviewer={reviewer.pk}")

    for query in asked:
        assert found(client_for(adjudicator), bench, f"?{query}") == ["mcq"]
        assert found(client_for(reviewer), bench, f"?{query}") == ["mcq", "free"]  # no such field
    text = client_for(reviewer).get(f"/b/{bench.slug}/items/").content.decode()
    assert "Settled" not in text
    assert "bulk-form" not in text


@pytest.mark.parametrize(
    "query",
    [
        "?least=nan",
        "?least=-1",
        "?most=1e999",
        "?after=0",
        "?after=1~x",
        "?before=~",
        "?after=" + "9" * 400,
        "?after=%00",
        "?kind=x",
        "?category=y",
        "?q=%00",
        "?q=" + "x" * 101,
        "?state=' OR 1=1",
        "?sort=x",
        "?reason=10",
        "?flag=x",
    ],
)
def test_hostile_addresses(client_for, reviewer, bench, query):
    assert client_for(reviewer).get(f"/b/{bench.slug}/items/{query}").status_code == 400


@pytest.mark.parametrize("text", ["'", "a:*", "& |", "!", "\\", "\ud83d", "µ²", "(", "<->"])
def test_signs_in_a_search_are_no_language(client_for, reviewer, bench, text):
    query = urlencode({"q": text.encode("utf-8", "surrogatepass")})
    assert client_for(reviewer).get(f"/b/{bench.slug}/items/?{query}").status_code in (200, 400)


def test_pages_forth_and_back_and_a_bounded_number_of_queries(
    client_for, reviewer, bench, django_assert_max_num_queries
):
    video = bench.videos.first()
    for _ in range(A_PAGE):
        factories.free_item(video)
    client = client_for(reviewer)
    with django_assert_max_num_queries(17):
        first = client.get(f"/b/{bench.slug}/items/").context["found"]
    second = client.get(f"/b/{bench.slug}/items/?after={first.next}").context["found"]
    again = client.get(f"/b/{bench.slug}/items/?before={second.previous}").context["found"]
    assert (len(first.rows), first.count, first.previous) == (A_PAGE, A_PAGE + 2, "")
    assert (len(second.rows), second.first, second.last, second.next) == (2, 51, 52, "")
    assert [row.item.pk for row in again.rows] == [row.item.pk for row in first.rows]


def test_too_many_to_count_are_walked_place_by_place(client_for, reviewer, bench, monkeypatch):
    monkeypatch.setattr(find, "EXACT", 3)
    monkeypatch.setattr(find, "WALK", 20)
    monkeypatch.setattr(find, "A_PAGE", 4)
    video = bench.videos.first()
    for _ in range(28):
        factories.free_item(video)
    for index in range(28):
        stem = "Only these?" if index > 22 else "Others?"
        factories.mcq_item(video, stem=stem)
    client = client_for(reviewer)

    def walk(query, cursor="after="):
        seen, pages = [], 0
        while cursor is not None:
            answer = client.get(f"/b/{bench.slug}/items/?{query}&{cursor}")
            page = answer.context["found"]
            assert page.count is None
            assert "not counted" in answer.content.decode()
            seen += [row.item.position for row in page.rows]
            pages += 1
            cursor = f"after={page.next}" if page.next else None
        return seen, pages

    places = list(bench.items.order_by("position").values_list("position", flat=True))
    assert walk("")[0] == places
    only = list(bench.items.filter(text="Only these?").values_list("position", flat=True))
    seen, pages = walk("q=only")
    assert seen == sorted(only)
    assert pages > 2 or connection.vendor == "postgresql"  # which looks rare words up
    last = client.get(f"/b/{bench.slug}/items/?after={places[-5]}~0").context["found"]
    back = client.get(f"/b/{bench.slug}/items/?before={last.previous}").context["found"]
    assert [row.item.position for row in back.rows] == places[-8:-4]


@pytest.mark.postgres
def test_words_are_found_by_the_index(bench):
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan TO off")
    assert "item_by_words" in saying(Item.objects.order_by(), "aorta").explain()


def test_words_are_those_of_the_question_as_it_is_now(bench):
    Item.objects.filter(text="What does the aorta show?").update(text="Where is the thyroid?")
    words = {word: saying(Item.objects.order_by(), word).count() for word in ("aorta", "thyr")}
    assert words == {"aorta": 0, "thyr": 1}


def test_ids_are_kept_as_one_parameter(bench):
    first, second = bench.items.values_list("pk", flat=True).order_by("pk")
    kept = among(Item.objects.order_by(), [first, -1])
    assert list(kept.values_list("pk", flat=True)) == [first]
    assert not among(Item.objects.order_by(), []).exists()
    by_video = among(
        Item.objects.order_by(), [Item.objects.get(pk=second).video_id], field="video_id"
    )
    assert list(by_video.values_list("pk", flat=True)) == [second]
