"""Evidence on an item: sealed until the own vote, then complete."""

from typing import Any

import pytest
from django.utils import timezone

from annotation.actions.versions import build_version, content_of, mirror
from annotation.models import Item, Review
from tests import evaluation_factories as make
from tests import factories

pytestmark = pytest.mark.django_db
OPTIONS = (
    "Slide the probe over the aorta.",
    "Press harder",
    "Raise the gain.",
    "Freeze the image.",
)


@pytest.fixture
def item() -> Item:
    bench = factories.benchmark()
    made = factories.mcq_item(factories.video(bench), options=OPTIONS, key_index=1)
    factories.kept(made)
    factories.kept(factories.free_item(factories.video(bench)))
    factories.release(bench)
    return made


def vote(user: Any, item: Item, verdict: str = "keep", **fields: Any) -> Review:
    return Review.objects.create(
        item=item, item_version=factories.current(item), reviewer=user, verdict=verdict, **fields
    )


def ask(client_for: Any, user: Any, item: Item) -> Any:
    return client_for(user).get(f"/evidence/{item.pk}/")


def answers(item: Item, **scores: float | None) -> None:
    release = item.benchmark.releases.get()
    for name, score in scores.items():
        condition = "blind" if name.endswith("_blind") else "video"
        run = make.run(release, name=name, condition=condition, judge_label="judge")
        make.prediction(run, factories.current(item), score, answer_text="Gas <b>there</b>.")


def test_it_is_sealed_before_the_own_vote(
    client_for: Any, reviewer: Any, reviewer_2: Any, item: Item
) -> None:
    vote(reviewer_2, item)
    assert ask(client_for, reviewer, item).status_code == 403
    vote(reviewer, item, "skip")
    assert ask(client_for, reviewer, item).status_code == 403
    vote(reviewer, item, undone_at=timezone.now())
    assert ask(client_for, reviewer, item).status_code == 403
    vote(reviewer, item, "drop")
    assert ask(client_for, reviewer, item).status_code == 200


def test_it_is_closed_to_strangers_and_outsiders(
    client: Any, client_for: Any, outsider: Any, item: Item
) -> None:
    vote(outsider, item)
    assert client.get(f"/evidence/{item.pk}/").status_code == 403
    assert ask(client_for, outsider, item).status_code == 403


def test_an_unknown_item_is_not_found(client_for: Any, reviewer: Any, db: None) -> None:
    assert client_for(reviewer).get("/evidence/999999/").status_code == 404


def test_it_tells_models_blind_runs_and_shortcuts(
    client_for: Any, reviewer: Any, item: Item, django_assert_max_num_queries: Any
) -> None:
    answers(item, Gemini=1, Qwen=0, Seed_blind=1, Llava_blind=0)
    vote(reviewer, item)
    client = client_for(reviewer)
    with django_assert_max_num_queries(8):
        response = client.get(f"/evidence/{item.pk}/")
    html = " ".join(response.content.decode().split())
    assert "<strong>1 / 2</strong> correct without the video" in html
    assert "chance is 1 in 4" in html
    assert "Solved without video: <strong>50 %</strong>, chance 25 %." in html
    assert "Seed_blind 1 of 1." in html and "Llava_blind 0 of 1." in html
    assert "Only option without a full stop; shortest option." in html
    assert "A two-line rule picks the key." in html
    assert "<strong>1 / 2</strong> correct with it: Gemini." in html
    shown = factories.current(item).shown_order
    assert f"Qwen chose {'ABCD'[shown.index(2)]}." in html
    assert '<template data-picks-for="1"><span class="badge solid">Gemini</span>' in html
    assert "No full stop</span>" in html
    assert "no-store" in response.headers["Cache-Control"]


def test_the_newest_run_of_a_model_counts(client_for: Any, reviewer: Any, item: Item) -> None:
    release = item.benchmark.releases.get()
    model = make.contestant("Again")
    for score in (0, 1):
        run = make.run(release, contestant=model)
        make.prediction(run, factories.current(item), score)
    vote(reviewer, item)
    assert b"<strong>1 / 1</strong> correct with it" in ask(client_for, reviewer, item).content


def test_failures_are_not_wrong_answers(client_for: Any, reviewer: Any, item: Item) -> None:
    run = make.run(item.benchmark.releases.get(), name="Broken")
    make.prediction(run, factories.current(item), None, outcome="failed", chosen=None)
    vote(reviewer, item)
    html = ask(client_for, reviewer, item).content.decode()
    assert "<strong>0 / 0</strong>" in html
    assert "Broken: call failed." in html


def test_answers_to_an_earlier_wording_are_left_out(
    client_for: Any, reviewer: Any, item: Item
) -> None:
    answers(item, Gemini=1)
    item = Item.objects.select_related("current", "video__benchmark").get(pk=item.pk)
    content = content_of(item.current)
    changed = type(content)(**{**content.__dict__, "stem": "Another?"})
    version = build_version(item, item.video, changed, number=2, by=None)
    version.save()
    mirror(item, version).save()
    vote(reviewer, item)
    html = ask(client_for, reviewer, item).content.decode()
    assert "1 answer to an earlier version is left out." in html
    assert "Gemini" not in html


def test_a_free_response_shows_points_and_the_judge(
    client_for: Any, reviewer: Any, item: Item
) -> None:
    free = Item.objects.get(kind="free")
    answers(free, Gemini=1, Qwen=None)
    vote(reviewer, free)
    html = ask(client_for, reviewer, free).content.decode()
    assert "<strong>1 of 2</strong> Gemini" in html
    assert "wrong conclusion" in html
    assert "Judge: As the reference says." in html
    assert "<strong>Unscored</strong> Qwen" in html
    assert "Gas &lt;b&gt;there&lt;/b&gt;." in html
    assert "Shortcut" not in html


def test_conditions_are_named(client_for: Any, reviewer: Any, item: Item) -> None:
    release = item.benchmark.releases.get()
    for condition in ("frames", "still", "full-frame"):
        run = make.run(release, name=f"Seer {condition}", condition=condition)
        make.prediction(run, factories.current(item), 1)
    vote(reviewer, item)
    html = ask(client_for, reviewer, item).content.decode()
    for words in ("Seer frames (frames)", "(middle frame)", "(full frame)"):
        assert words in html


def test_people_are_no_models(client_for: Any, reviewer: Any, item: Item) -> None:
    model = make.contestant("Reader 1a2b", is_reference=True, is_human=True)
    run = make.run(item.benchmark.releases.get(), contestant=model, origin="readers")
    make.prediction(run, factories.current(item), 1)
    vote(reviewer, item)
    assert "Reader 1a2b" not in ask(client_for, reviewer, item).content.decode()
