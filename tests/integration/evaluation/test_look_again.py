"""Items that deserve another look: measured from stored runs, shown, proposed, never dropped."""

from typing import Any

import pytest
from django.test import Client

from annotation.models import Item, Revision, Round
from evaluation.actions.item_statistics import request_statistics, set_look_again_rule
from evaluation.item_statistics import measure, measure_waiting
from evaluation.leaderboard import compute_entry
from evaluation.models import ItemStatistic, LookAgainRule, StatisticsReport
from tests import evaluation_factories as make
from tests import factories

pytestmark = pytest.mark.django_db
URL = "/b/phantom/look-again/"


@pytest.fixture
def release() -> Any:
    """Six MCQs and six free responses, in turn."""
    return factories.release(factories.small_benchmark(videos=6, slug="phantom", name="Phantom"))


def run(release: Any, scores: list[float | None], name: str, condition: str = "video") -> Any:
    made = make.scored_run(release, scores, name=name, condition=condition)
    compute_entry(made)
    return made


@pytest.fixture
def measured(release: Any) -> Any:
    """Five models: the first MCQ (place 0) nobody solves, all on one wrong option; the second
    (place 2) all solve, and three blind models too."""
    for number in range(5):
        run(release, [0, 2, 1, number % 3, *([number % 2, 1] * 4)], f"M{number}")
    for number in range(3):
        run(release, [0, 0, 1, 0, *([0, 0] * 4)], f"B{number}", "blind")
    request_statistics(release=release, by="system")
    measure(release.pk)
    return release


def one(release: Any, place: int) -> ItemStatistic:
    item = release.release_items.get(position=place).item_version.item_id
    return ItemStatistic.objects.get(release=release, item=item)


def test_what_models_made_of_an_item_is_measured(measured: Any) -> None:
    hard, easy = one(measured, 0), one(measured, 2)
    assert (hard.models_scored, hard.difficulty, hard.rival_models, hard.rival_share) == (
        5, 0.0, 5, 1.0,
    )  # fmt: skip
    assert hard.rival is not None
    assert hard.rival_p is not None
    assert hard.rival_p < 0.01
    assert hard.agreement == 1.0
    assert (easy.difficulty, easy.rival, easy.blind_replies, easy.blind_share) == (
        1.0,
        None,
        3,
        1.0,
    )
    assert easy.blind_p == pytest.approx(0.25**3)
    free = one(measured, 1)
    assert (free.rival, free.blind_share, free.chance) == (None, 0.0, None)
    report = StatisticsReport.objects.get(release=measured)
    assert (len(report.seen), len(report.blind), report.state) == (5, 3, "done")


def test_measuring_again_replaces_and_nobody_asked_does_nothing(measured: Any) -> None:
    before = list(ItemStatistic.objects.values_list("pk", flat=True))
    measure(measured.pk)
    assert list(ItemStatistic.objects.values_list("pk", flat=True)) == before
    request_statistics(release=measured, by="system")
    measure_waiting()
    assert ItemStatistic.objects.count() == len(before)
    assert not ItemStatistic.objects.filter(pk__in=before).exists()


def test_without_runs_there_is_a_sentence_and_no_trace(
    client_for: Any, adjudicator: Any, release: Any
) -> None:
    client = client_for(adjudicator)
    assert "Not measured yet" in client.get(URL).content.decode()
    client.post(URL, {"do": "measure", "release": "r1"})
    measure(release.pk)
    html = client.get(URL).content.decode()
    assert "no text-only run has been made on this release" in html


def test_references_and_unfinished_runs_are_no_models(release: Any) -> None:
    model = make.contestant("Rule", is_reference=True)
    compute_entry(make.scored_run(release, [1, 2] * 6, contestant=model))
    half = make.scored_run(release, [1, 2] * 6, name="Half", state="running")
    compute_entry(half)
    request_statistics(release=release, by="system")
    measure(release.pk)
    assert StatisticsReport.objects.get(release=release).seen == []


def test_the_page_lists_each_reason(client_for: Any, adjudicator: Any, measured: Any) -> None:
    client = client_for(adjudicator)
    html = client.get(URL).content.decode()
    assert "Solved without the video <strong>1</strong>" in html
    assert "3 replies, p 0.016" in html
    for reason, text in (("rival", "5 of 5 chose"), ("none", "0.00"), ("all", "1.00")):
        assert text in client.get(URL, {"reason": reason}).content.decode()


def test_the_page_tells_how_far_models_agree_and_why_a_figure_is_missing(
    client_for: Any, adjudicator: Any, measured: Any
) -> None:
    html = client_for(adjudicator).get(URL, {"reason": "rival"}).content.decode()
    assert '<td class="num">100 %</td>' in html  # all five chose one and the same option
    assert "all models alike" in html and "needs 5 models" not in html
    ItemStatistic.objects.update(models_scored=4, rival_models=4)
    html = client_for(adjudicator).get(URL, {"reason": "rival"}).content.decode()
    assert "needs 5 models" in html


def test_what_models_chose_is_kept_from_who_is_to_answer_the_item_first(
    client_for: Any, adjudicator: Any, measured: Any
) -> None:
    item = ItemStatistic.objects.filter(rival__isnull=False).order_by("item_id")[0].item
    factories.review_round(item.benchmark, [item], [adjudicator], mode="answer")
    html = client_for(adjudicator).get(URL, {"reason": "rival"}).content.decode()
    assert "Answer this item first." in html
    assert "5 of 5 chose" not in html


def test_a_negative_correlation_that_chance_gives_is_no_reason(
    client_for: Any, adjudicator: Any, measured: Any
) -> None:
    ItemStatistic.objects.update(discrimination=-0.8)
    client = client_for(adjudicator)
    assert "Better models do worse <strong>0</strong>" in client.get(URL).content.decode()
    ItemStatistic.objects.filter(pk=one(measured, 2).pk).update(discrimination=-0.81)
    html = client.get(URL, {"reason": "negative"}).content.decode()
    assert "Better models do worse <strong>1</strong>" in html and "-0.81" in html
    ItemStatistic.objects.update(models_scored=12)
    assert "Better models do worse <strong>12</strong>" in client.get(URL).content.decode()


@pytest.mark.parametrize(
    "query", ["reason=x", "page=99", "page=x", "reason=%00", "reason=negative"]
)
def test_the_page_bears_any_query(
    client_for: Any, adjudicator: Any, measured: Any, query: str
) -> None:
    assert client_for(adjudicator).get(f"{URL}?{query}").status_code == 200
    assert client_for(adjudicator).get(f"{URL}?release=r9").status_code == 404


def test_a_proposal_is_the_draft_of_a_round_and_drops_nothing(
    client_for: Any, adjudicator: Any, measured: Any
) -> None:
    kept = list(Item.objects.order_by("pk").values_list("keep", flat=True))
    client = client_for(adjudicator)
    client.post(URL, {"do": "round", "reason": "blind", "release": "r1"})
    made = Round.objects.get()
    assert (made.state, made.size) == ("draft", 1)
    assert made.instructions == ""
    assert list(Item.objects.order_by("pk").values_list("keep", flat=True)) == kept
    answer = client.post(URL, {"do": "round", "reason": "negative", "release": "r1"}, follow=True)
    if not ItemStatistic.objects.filter(discrimination__lt=0).exists():
        assert "No round was made" in answer.content.decode()


def test_the_rule_is_a_maintainers_and_is_recorded(
    client_for: Any, adjudicator: Any, maintainer: Any, measured: Any
) -> None:
    rule = {"blind_share": "1", "blind_replies": "4", "rival_share": "0.5", "fewest_models": "2"}
    asked = {"do": "rule", "release": "r1", **rule}
    assert client_for(adjudicator).post(URL, asked).status_code == 403
    client = client_for(maintainer)
    client.post(URL, asked)
    assert LookAgainRule.objects.get().blind_replies == 4
    assert Revision.objects.filter(verb="set_look_again_rule").count() == 1
    assert "Solved without the video <strong>0</strong>" in client.get(URL).content.decode()


@pytest.mark.parametrize("value", ["nan", "1e999", "-1", "2", "x", ""])
def test_a_bad_rule_is_refused_with_a_sentence(
    client_for: Any, maintainer: Any, measured: Any, value: str
) -> None:
    rule = {"blind_share": value, "blind_replies": "4", "rival_share": "0.5", "fewest_models": "2"}
    asked = {"do": "rule", "release": "r1", **rule}
    html = client_for(maintainer).post(URL, asked, follow=True).content.decode()
    assert "Not set: Solved blind, share at least" in html
    assert not LookAgainRule.objects.exists()


def test_an_unknown_rule_is_refused(maintainer: Any, release: Any) -> None:
    with pytest.raises(ValueError, match="must be between"):
        set_look_again_rule(benchmark=release.benchmark, changes={"other": 1}, by=maintainer)


def test_the_number_of_queries_does_not_depend_on_the_items(
    client_for: Any, adjudicator: Any, measured: Any, django_assert_max_num_queries: Any
) -> None:
    client = client_for(adjudicator)
    with django_assert_max_num_queries(18):
        client.get(URL)


def test_strangers_and_readers_see_nothing(
    client: Client, client_for: Any, reviewer: Any, measured: Any
) -> None:
    assert client.get(URL).status_code == 302
    assert client_for(reviewer).get(URL).status_code == 403
