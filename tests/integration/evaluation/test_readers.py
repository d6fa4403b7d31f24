"""The human baseline: from answers to rows of their own, single and pooled, judged blind."""

import json
import uuid
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.core.management import CommandError, call_command

from annotation.actions.answers import give_answer, undo_answer
from annotation.actions.seal import note_key_shown
from annotation.models import Benchmark, Item, Release, Revision
from evaluation.actions.entries import publish_entry
from evaluation.actions.readers import ReadersRefused
from evaluation.domain.pooling import public_code
from evaluation.engine.finish import finish_entry
from evaluation.engine.plan import load_plan
from evaluation.engine.texts import judge_texts
from evaluation.leaderboard import compute_entry
from evaluation.models import Contestant, LeaderboardEntry, Prediction, Run, WorkItem
from evaluation.queries.board import board_of
from evaluation.queries.comparison import compare_entries
from evaluation.readers import settle_readers
from tests import evaluation_factories as make
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def bench() -> Benchmark:
    return factories.small_benchmark(videos=6, slug="phantom")


@pytest.fixture
def release(bench: Benchmark) -> Release:
    return factories.release(bench)


def mcqs(bench: Benchmark) -> list[Item]:
    return list(bench.items.filter(kind="mcq").order_by("position"))


def frees(bench: Benchmark) -> list[Item]:
    return list(bench.items.filter(kind="free").order_by("position"))


def answer(item: Item, by: Any, **said: Any) -> Any:
    said = said or {"option_index": 0}
    number = factories.current(item).number
    return give_answer(
        answer_id=uuid.uuid4(), item_id=item.pk, version_number=number, **said, by=by
    )


def entry_of(release: Release, slug: str) -> LeaderboardEntry:
    return LeaderboardEntry.objects.filter(run__contestant__slug=slug, release=release).latest("pk")


def slug_of(user: Any) -> str:
    return f"reader-{public_code(user.pseudonym)}"


@pytest.fixture
def judge() -> Contestant:
    return make.contestant("Judge", can_judge=True, price_in=1, price_out=1)


# Rows


def test_a_reader_of_some_items_is_provisional_with_the_coverage_shown(
    release: Release, bench: Benchmark, reviewer: Any, maintainer: Any
) -> None:
    for item, option in zip(mcqs(bench)[:4], (0, 0, 0, 1), strict=True):
        answer(item, reviewer, option_index=option)
    settled = settle_readers(release, by=maintainer)
    assert (settled.readers, settled.answers, len(settled.entries)) == (1, 4, 1)
    entry = entry_of(release, slug_of(reviewer))
    assert entry.provisional and entry.published_at
    assert (entry.figures["scored"], entry.figures["items"]) == (4, 12)
    assert entry.figures["mcq"]["points"] == 3 and entry.figures["mcq"]["n"] == 6
    answered = entry.figures["answered"]["mcq"]
    assert (answered["points"], answered["n"], answered["sources"]) == (3, 4, 4)
    assert answered["mean"] == 0.75 and answered["ci"][0] < 0.75 < answered["ci"][1]
    assert "free" not in entry.figures["answered"]


def test_could_not_tell_counts_0_and_is_labelled(
    release: Release, bench: Benchmark, reviewer: Any, maintainer: Any
) -> None:
    answer(mcqs(bench)[0], reviewer, could_not_tell=True)
    answer(frees(bench)[0], reviewer, could_not_tell=True)
    settle_readers(release, by=maintainer)
    figures = entry_of(release, slug_of(reviewer)).figures
    assert figures["labels"] == {"abstained": 2} and figures["scored"] == 2
    assert figures["answered"]["mcq"]["points"] == 0


def test_what_was_not_blind_or_was_taken_back_counts_nowhere(
    release: Release, bench: Benchmark, reviewer: Any, reviewer_2: Any, maintainer: Any
) -> None:
    first, second = mcqs(bench)[:2]
    back = answer(first, reviewer)
    settle_readers(release, by=maintainer)
    undo_answer(answer_id=back.pk, by=reviewer)
    kept = answer(second, reviewer)
    kept.key_seen_before = True
    kept.save()
    answer(second, reviewer_2)
    settled = settle_readers(release, by=maintainer)
    assert (settled.readers, settled.answers, settled.left_out) == (1, 1, 1)


def test_an_answer_that_was_taken_back_leaves_the_run(
    release: Release, bench: Benchmark, reviewer: Any, maintainer: Any
) -> None:
    first, second = mcqs(bench)[:2]
    back = answer(first, reviewer)
    answer(second, reviewer)
    settle_readers(release, by=maintainer)
    undo_answer(answer_id=back.pk, by=reviewer)
    settle_readers(release, by=maintainer)
    run = Run.objects.get(contestant__slug=slug_of(reviewer))
    assert run.predictions.count() == 1
    assert entry_of(release, slug_of(reviewer)).version == 2


def test_again_makes_nothing_new(
    release: Release, bench: Benchmark, reviewer: Any, reviewer_2: Any, maintainer: Any
) -> None:
    for reader in (reviewer, reviewer_2):
        answer(mcqs(bench)[0], reader)
    settle_readers(release, by=maintainer)
    before = [list(model.objects.values_list("pk")) for model in (Run, Prediction, Revision)]
    settle_readers(release, by=maintainer)
    assert before == [
        list(model.objects.values_list("pk")) for model in (Run, Prediction, Revision)
    ]
    assert set(LeaderboardEntry.objects.values_list("version", flat=True)) == {1}


def test_the_pooled_row_is_the_majority_and_the_mean(
    release: Release, bench: Benchmark, maintainer: Any
) -> None:
    readers = [factories.account() for _ in range(3)]
    first, second = mcqs(bench)[:2]
    for reader, one, two in zip(readers, (0, 0, 2), (1, 1, 0), strict=True):
        answer(first, reader, option_index=one)
        answer(second, reader, option_index=two)
    settle_readers(release, by=maintainer)
    pooled = entry_of(release, "readers-pooled")
    assert pooled.figures["answered"]["mcq"]["points"] == 1
    assert pooled.figures["answered"]["mcq"]["n"] == 2
    assert pooled.run.predictions.get(item_version__item=first).extra["votes"] == [0, 0, 2]
    assert type(pooled.figures["mcq"]["points"]) is int


def test_one_reader_is_no_pool(
    release: Release, bench: Benchmark, reviewer: Any, maintainer: Any
) -> None:
    answer(mcqs(bench)[0], reviewer)
    settle_readers(release, by=maintainer)
    assert not Contestant.objects.filter(slug="readers-pooled").exists()


# Judging


def judged(run: Run, *scores: int) -> None:
    """What the work loop does with a reader's free responses."""
    free = run.predictions.filter(item_version__key_index=None, outcome="answered")
    for row, score in zip(free.order_by("pk"), scores, strict=True):
        make.judgement(row, score, judge_label=run.judge_label, rubric_version=run.rubric_version)
    WorkItem.objects.filter(run=run).update(state="done")
    run.state = "done"
    run.save()
    finish_entry(run)


def test_free_responses_go_through_the_judges_work_loop_and_are_unscored_until_then(
    release: Release,
    bench: Benchmark,
    reviewer: Any,
    reviewer_2: Any,
    maintainer: Any,
    judge: Contestant,
) -> None:
    one, two = frees(bench)[:2]
    answer(one, reviewer, text="It moves the gas.")
    answer(one, reviewer_2, text="No idea, pressure?")
    answer(two, reviewer_2, could_not_tell=True)
    settled = settle_readers(release, by=maintainer)
    assert settled.unjudged == 2 and settled.to_judge == 0
    assert "answered" in entry_of(release, slug_of(reviewer)).figures
    assert entry_of(release, slug_of(reviewer)).figures["scored"] == 0, "never a 0"

    settled = settle_readers(release, by=maintainer, judge=judge)
    assert settled.to_judge == 2
    runs = {run.contestant.slug: run for run in Run.objects.filter(origin="readers")}
    first, second = runs[slug_of(reviewer)], runs[slug_of(reviewer_2)]
    assert first.state == "queued" and first.judge == judge and first.budget > 0
    work = WorkItem.objects.get(run=first)
    assert (work.stage, work.item_version) == ("judge", factories.current(one))

    judged(first, 2)
    judged(second, 1)
    assert entry_of(release, slug_of(reviewer)).figures["free"]["points"] == 2
    assert entry_of(release, slug_of(reviewer)).published_at
    pooled = entry_of(release, "readers-pooled").figures["answered"]["free"]
    assert (pooled["points"], pooled["n"]) == (1.5, 2), "the mean of 2 and 1, and a 0"


def test_the_judge_is_told_nothing_of_who_answered(
    release: Release, bench: Benchmark, reviewer: Any, maintainer: Any, judge: Contestant
) -> None:
    answer(frees(bench)[0], reviewer, text="It moves the gas.")
    settle_readers(release, by=maintainer, judge=judge)
    run = Run.objects.get(origin="readers")
    row = run.predictions.select_related("item_version__item").get()
    asked = judge_texts(load_plan(run.pk), row.item_version, row.answer_text)
    assert "It moves the gas." in str(asked)
    stored = str(list(run.predictions.values())) + str(asked)
    for name in (reviewer.username, reviewer.pseudonym, run.contestant.name, "human", "Reader"):
        assert name not in stored


def test_another_judge_is_refused(
    release: Release, bench: Benchmark, reviewer: Any, maintainer: Any, judge: Contestant
) -> None:
    answer(frees(bench)[0], reviewer, text="It moves the gas.")
    settle_readers(release, by=maintainer, judge=judge)
    other = make.contestant("Other judge", can_judge=True)
    with pytest.raises(ReadersRefused, match="has begun to judge"):
        settle_readers(release, by=maintainer, judge=other)
    with pytest.raises(ReadersRefused, match="not marked as a judge"):
        settle_readers(release, by=maintainer, judge=make.contestant("Nobody"))


def test_who_may_not_publish_may_not_settle(
    release: Release, bench: Benchmark, reviewer: Any, adjudicator: Any
) -> None:
    answer(mcqs(bench)[0], reviewer)
    for nobody in (reviewer, adjudicator):
        with pytest.raises(PermissionDenied):
            settle_readers(release, by=nobody)
    assert not Run.objects.exists()


# The board


@pytest.fixture
def board(
    release: Release, bench: Benchmark, reviewer: Any, reviewer_2: Any, maintainer: Any
) -> Any:
    """Two models, two readers of six MCQs each, all published."""
    for name, score in (("Gemini", 1), ("Qwen", 0)):
        run = make.scored_run(release, [score] * 12, name=name)
        publish_entry(entry=compute_entry(run), by="import")
    for reader, right in ((reviewer, 5), (reviewer_2, 2)):
        for place, item in enumerate(mcqs(bench)):
            answer(item, reader, option_index=0 if place < right else 1)
    return lambda: settle_readers(release, by=maintainer)


def test_people_stand_apart_and_models_stay_as_they_are(
    client: Any, board: Callable[[], Any], reviewer: Any, reviewer_2: Any, release: Release
) -> None:
    url = "/b/phantom/leaderboard.json"
    before = client.get(url).json()["entries"]
    csv_before = client.get("/b/phantom/leaderboard.csv").content.decode().splitlines()
    board()
    after = client.get(url).json()["entries"]
    assert after[: len(before)] == before
    people = after[len(before) :]
    assert people[0]["model"] == "Readers, pooled" and len(people) == 3
    for one in people:
        assert one["reference"] and one["human"] and one["rank"] is None and one["provisional"]
        assert one["mcq"]["scored"] == one["answered"]["mcq"]["n"] == 6
    assert not any("human" in one for one in before)
    lines = client.get("/b/phantom/leaderboard.csv").content.decode().splitlines()
    assert lines[0].startswith(csv_before[0]) and len(lines) == len(csv_before) + 3
    for user in (reviewer, reviewer_2):
        assert user.username not in str(after) and user.pseudonym not in str(after)
    assert [row.head.model for row in board_of(release).of("video")] == ["Gemini", "Qwen"]
    assert board_of(release).readers("blind") == []


def test_the_page_shows_readers_in_a_section_without_logins(
    client: Any, board: Callable[[], Any], reviewer: Any, release: Release
) -> None:
    reviewer.username = "dr-knows"
    reviewer.save()
    board()
    html = client.get("/b/phantom/leaderboard/").content.decode()
    section = html[html.index("lb-readers") :]
    code = public_code(reviewer.pseudonym)
    assert f"Reader {code}" in section and "5 of 6" in section and "83.3" in section
    assert "provisional" in section and "Compare the best model with the readers" in section
    table = html[: html.index("lb-readers")]
    assert "Reader " not in table
    for path in ("leaderboard/", "leaderboard.json", "compare/", f"models/reader-{code}/"):
        assert "dr-knows" not in client.get(f"/b/phantom/{path}").content.decode()
    assert (
        "lb-readers" not in client.get("/b/phantom/leaderboard/?condition=blind").content.decode()
    )


def test_a_model_and_the_readers_are_compared_on_what_these_answered(
    client: Any, board: Callable[[], Any], release: Release
) -> None:
    board()
    heads = {row.head.slug: row.head for row in board_of(release).rows}
    best = next(head for head in heads.values() if head.model == "Gemini")
    found = compare_entries(release, best, heads["readers-pooled"])
    assert found.answered == 6 and set(found.differences) == {"mcq"}
    overall = found.differences["mcq"][0].difference
    assert overall.n == 6 and len(found.pairing.versions) == 6
    pooled = entry_of(release, "readers-pooled").figures["answered"]["mcq"]["mean"]
    assert overall.mean == pytest.approx(1 - pooled)
    url = f"/b/phantom/compare/?a={best.run_id}&b={heads['readers-pooled'].run_id}"
    html = client.get(url).content.decode()
    assert "the 6 items that the readers answered" in html and "(people)" in html


def test_too_few_answers_are_not_compared(
    release: Release, bench: Benchmark, reviewer: Any, maintainer: Any, client: Any
) -> None:
    run = make.scored_run(release, [1] * 12, name="Gemini")
    publish_entry(entry=compute_entry(run), by="import")
    answer(mcqs(bench)[0], reviewer)
    settle_readers(release, by=maintainer)
    reader = Run.objects.get(origin="readers")
    html = client.get(f"/b/phantom/compare/?a={run.pk}&b={reader.pk}").content.decode()
    assert "Fewer than 5 items are answered by these readers." in html


def test_answers_to_an_earlier_version_are_stale(
    release: Release, bench: Benchmark, reviewer: Any, reviewer_2: Any, maintainer: Any
) -> None:
    from annotation.actions.items import edit_item

    item = mcqs(bench)[0]
    answer(item, reviewer)
    note_key_shown(version=factories.current(item), by=reviewer_2)
    edit_item(
        item_id=item.pk, base_version=1, changes={"stem": "Why?"}, reason="new", by=reviewer_2
    )
    factories.kept(Item.objects.get(pk=item.pk))
    newer = factories.release(bench, "r2")
    settle_readers(newer, by=maintainer)
    figures = entry_of(newer, slug_of(reviewer)).figures
    assert (figures["scored"], figures["stale"]) == (0, 1)


# Page and command


def test_the_page_adds_readers_and_says_so(
    client_for: Any, board: Callable[[], Any], release: Release, maintainer: Any, bench: Benchmark
) -> None:
    client = client_for(maintainer)
    html = client.get("/b/phantom/entries/").content.decode()
    assert "12 answers of 2 readers" in html
    body = {"release": release.pk, "publish": "on"}
    page = client.post("/b/phantom/entries/readers/", body, follow=True).content.decode()
    assert "12 answers of 2 readers stand." in page and "Readers, pooled" in page
    for bad in ({}, {"release": "x"}, {"release": 10**12}, {"release": release.pk, "judge": 99}):
        page = client.post("/b/phantom/entries/readers/", bad, follow=True).content.decode()
        assert "Choose a release of this benchmark" in page


def test_the_command(board: Callable[[], Any], release: Release) -> None:
    out = StringIO()
    call_command("settle_readers", "phantom", "--no-publish", "--json", stdout=out)
    facts = json.loads(out.getvalue())
    assert facts["ok"] and facts["readers"] == 2 and facts["answers"] == 12
    assert {one["published"] for one in facts["entries"]} == {False}
    for arguments in (["nowhere"], ["phantom", "--release", "x"], ["phantom", "--judge", "x"]):
        with pytest.raises(CommandError):
            call_command("settle_readers", *arguments, stdout=StringIO())
    board_out = StringIO()
    call_command("settle_readers", "phantom", stdout=board_out)
    assert "12 answers of 2 readers stand." in board_out.getvalue()
    shown = StringIO()
    call_command("leaderboard", "phantom", stdout=shown)
    assert shown.getvalue().count("reader ") == 3
