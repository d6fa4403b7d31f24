"""A panel of judges as the judge of a release's rows: members, figures, the board, the page."""

from typing import Any

import pytest
from django.urls import reverse

from evaluation.actions.entries import publish_entry
from evaluation.domain.judge_panel import Rule, panel_name, pick_members
from evaluation.leaderboard import compute_entry
from evaluation.models import PanelReport, Prediction, Run
from evaluation.panels import refresh_panel, refresh_rejudged
from evaluation.queries.board import board_of
from evaluation.queries.panels import panel_of
from tests import evaluation_factories as make

pytestmark = pytest.mark.django_db
A, B, C, A2 = ("A", "r1"), ("B", "r1"), ("C", "r1"), ("A", "r2")


def test_member_has_been_through_half_of_the_rows_and_counts_once():
    whole, part = {1, 2, 3}, {1, 2}
    assert pick_members({1: {A: whole, B: whole}, 2: {A: whole, B: part}}) == [A, B]
    assert pick_members({1: {A: whole, B: part}}) == [], "a part of a row is no row"
    rows = {number: {A: whole} for number in range(3)}
    assert pick_members({**rows, 0: {A: whole, B: whole}}) == [], "a trial makes no panel"
    twice = {1: {A: whole, A2: whole, B: whole, C: part}, 2: {A2: whole, B: whole}}
    assert pick_members(twice) == [A2, B]
    third = {1: {A: whole, B: whole, C: whole}, 2: {A: whole, B: whole}}
    assert pick_members(third) == [A, B], "a third judge on half of the rows makes none smaller"
    assert pick_members({}) == []


def test_name_tells_rule_members_and_rubrics():
    assert panel_name(Rule.ANY, [A, ("B", "r2")]) == ("Any of A, B", "r1 + r2")


@pytest.fixture
def release() -> Any:
    """Two published models, six answers each; Seer 9 gave 0, 1, 2 in turn."""
    found = make.judged_release()
    for run in Run.objects.all():
        publish_entry(entry=compute_entry(run), by="import")
    return found


def judge_again(run: Run, label: str, scores: list[int | None], **fields: Any) -> Run:
    """Let another judge mark the first answers of a run."""
    again = make.run(run.release, rejudges=run, origin="rejudge")
    answers = Prediction.objects.filter(run=run).order_by("pk")
    for answer, score in zip(answers, scores, strict=False):
        make.judgement(answer, score, judge_label=label, failed=score is None, rejudging=again)
    return again


def rows_by(release: Any, rule: str) -> dict[str, Any]:
    panel = panel_of(release, rule)
    return {row.head.model: row for row in board_of(release, panel).rows} if panel else {}


def test_rows_stand_as_the_panel_marks_them_and_entries_stay(release):
    seer, _ = Run.objects.order_by("pk")
    before = board_of(release)
    judge_again(seer, "Oracle 9", [2] * 6)  # beside 0 1 2 0 1 2
    assert rows_by(release, "any") == {}, "not computed yet"
    refresh_rejudged()
    points = {rule: rows_by(release, rule)["Seer 1"].figures["free"] for rule in
              ("majority", "mean", "any")}  # fmt: skip
    assert {rule: found["points"] for rule, found in points.items()} == {
        "majority": 6, "mean": 9, "any": 12,
    }  # fmt: skip
    row = rows_by(release, "majority")["Seer 1"]
    assert row.figures["judge"]["label"] == "Majority of Oracle 9, Seer 9"
    assert row.figures["mcq"] == before.rows[0].figures["mcq"]
    assert sum(sum(part.values()) for part in row.figures["free_outcomes"].values()) == 6
    # Not all members marked the other run: it has no figure, and not the old one.
    other = rows_by(release, "any")["Oracle 2"]
    assert other.share("free") is None and other.figures["judge"] is None
    assert other.head.provisional and other.figures["scored"] == 0
    assert board_of(release).key == before.key
    assert board_of(release).rows == before.rows


def test_answer_that_a_member_failed_on_is_unscored_and_never_0(release):
    seer, _ = Run.objects.order_by("pk")
    judge_again(seer, "Oracle 9", [2] * 5 + [None])
    refresh_rejudged()
    figures = rows_by(release, "any")["Seer 1"].figures
    assert (figures["free"]["scored"], figures["free"]["points"]) == (5, 10)
    assert figures["failures"]["judge failed"] == 1


def test_panel_follows_what_is_judged_and_published_and_nothing_else(release):
    seer, oracle = Run.objects.order_by("pk")
    judge_again(seer, "Oracle 9", [2] * 3)
    refresh_rejudged()
    assert PanelReport.objects.get().members == [], "half of a row is no panel"
    at = PanelReport.objects.get().computed_at
    refresh_rejudged()
    assert PanelReport.objects.get().computed_at == at, "nothing new"
    judge_again(seer, "Third", [2] * 6)
    refresh_rejudged()
    assert PanelReport.objects.get().members == [["Seer 9", "r1"], ["Third", "r1"]]
    judge_again(oracle, "Third", [0] * 6)
    refresh_panel(release)
    assert rows_by(release, "mean")["Oracle 2"].figures["free"]["points"] == 3


def test_reader_of_the_leaderboard_chooses_the_panel(release, client):
    page = reverse("evaluation:leaderboard", args=[release.benchmark.slug])
    assert "Judge of free responses" not in client.get(page).content.decode()
    assert client.get(f"{page}?judge=any").context["view"].judge == "", "there is no panel"
    seer, _ = Run.objects.order_by("pk")
    judge_again(seer, "Oracle 9", [2] * 6)
    refresh_rejudged()
    plain, by_panel = (
        client.get(f"{page}{asked}").content.decode() for asked in ("", "?judge=any")
    )
    assert "Judge of free responses" in plain and "Any of" not in plain
    assert "Judge: Any of Oracle 9, Seer 9, rubric r1." in by_panel
    assert "of one family with Oracle 2 and Seer 1" in by_panel
    assert "not judged by all" in by_panel and "6 not judged" in by_panel
    assert client.get(f"{page}?judge=worst").context["view"].judge == ""
    files = reverse("evaluation:leaderboard_json", args=[release.benchmark.slug])
    found = {row["model"]: row for row in client.get(f"{files}?judge=any").json()["entries"]}
    assert found["Seer 1"]["free"]["points"] == 12 and found["Oracle 2"]["judge"] is None
