"""A run that asks every rotation of the options: its calls, what is stored, its score."""

from typing import Any

import pytest

from evaluation.actions.entries import publish_entry
from evaluation.actions.extending import extend_run
from evaluation.actions.run_checks import RunRefused
from evaluation.actions.runs import create_run
from evaluation.engine.pump import pump
from evaluation.leaderboard import compute_entry
from evaluation.models import LeaderboardEntry, Prediction, Run
from evaluation.queries.board import board_of
from evaluation.queries.estimate import estimate
from evaluation.queries.extending import extension
from evaluation.queries.run_progress import progress
from tests import factories
from tests.standins.model_script import Fault, Script

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def done(queued: Any) -> Run:
    """Three MCQs of four options and three free responses, all answered."""
    run = queued(videos=3, circular=True)
    assert pump(run.pk)
    run.refresh_from_db()
    assert run.state == "done", run.state_reason
    return run


def mcqs(run: Run) -> Any:
    rows = Prediction.objects.filter(run=run, item_version__item__kind="mcq")
    return rows.select_related("item_version").order_by("item_version", "repeat")


def test_every_rotation_is_asked_once_and_stored_with_its_order(done: Run, server: Any) -> None:
    found = estimate(
        release=done.release, contestant=done.contestant, condition="blind", judge=done.judge,
        circular=True,
    )  # fmt: skip
    options = len(mcqs(done).first().item_version.options)
    assert server.counted.calls == found.calls == 3 * options + 3 + 3
    assert mcqs(done).count() == 3 * options
    for row in mcqs(done):
        order = row.item_version.shown_order
        assert row.shown_order == [*order[row.repeat :], *order[: row.repeat]]
        place = "ABCDEFGH".index(row.answer_text)
        assert row.chosen == row.shown_order[place]
        assert row.score == float(row.chosen == row.item_version.key_index)
    counts = progress(done).counts
    assert counts.total == counts.done == 3 * options + 3


def test_an_item_is_right_only_in_every_rotation(done: Run, server: Any) -> None:
    for row in mcqs(done):
        row.score = 1.0
        row.save()
    first, second, third = (
        list(mcqs(done).filter(item_version=version))
        for version in mcqs(done)
        .values_list("item_version", flat=True)
        .distinct()
        .order_by("item_version")
    )
    second[1].score = 0.0
    second[1].save()
    third[0].delete()
    figures = compute_entry(done).figures["mcq"]
    assert (figures["points"], figures["scored"], figures["n"]) == (1, 2, 3)
    assert first[0].score == 1.0


def test_it_stands_on_the_board_under_its_own_heading(
    done: Run, admin_user: Any, client_for: Any
) -> None:
    publish_entry(entry=LeaderboardEntry.objects.get(run=done), by=admin_user)
    board = board_of(done.release)
    assert board.conditions() == ["blind-circular"]
    slug = done.benchmark.slug
    client = client_for(admin_user)
    page = client.get(f"/b/{slug}/leaderboard/?condition=blind-circular").content.decode()
    assert "Text-only, every rotation" in page and "Stand-in 1" in page
    assert client.get(f"/b/{slug}/models/{done.contestant.slug}/").status_code == 200
    assert client.get(f"/b/{slug}/compare/").status_code == 200
    assert "every rotation" in client.get(f"/runs/{done.pk}/").content.decode()
    row = mcqs(done).filter(repeat=2).first()
    page = client.get(f"/runs/{done.pk}/items/{row.item_version_id}/2/").content.decode()
    assert "rotation 3 of 4" in page
    first_shown = row.item_version.options[row.shown_order[0]]
    assert f"A. {first_shown}" in page


def test_clips_are_cut_once_for_all_rotations(queued: Any, filmed: Any, server: Any) -> None:
    run = queued(benchmark=filmed, condition="video", judge=None, circular=True)
    assert run.work_items.count() == 2
    assert pump(run.pk)
    assert mcqs(run).count() == server.counted.calls == 8


def test_it_is_extended_with_its_rotations(done: Run, server: Any, admin_user: Any) -> None:
    bench = done.benchmark
    factories.kept(factories.mcq_item(factories.video(bench), stem="What is new?"))
    release = factories.release(bench, tag="r2")
    found = extension(done, release)
    assert (found.answers - found.taken, found.estimate.calls) == (4, 4)
    before = server.counted.calls
    made = extend_run(run=done, release=release, by=admin_user)
    assert made.circular and pump(made.pk)
    assert server.counted.calls == before + 4


def test_a_failed_rotation_is_no_wrong_answer(queued: Any, server: Any) -> None:
    server.script(Script(faults=[Fault("truncated_json", share=1.0, match="A. ")]))
    run = queued(videos=1, circular=True, judge=None)
    assert pump(run.pk)
    figures = LeaderboardEntry.objects.get(run=run).figures
    assert figures["mcq"]["scored"] == 0 and figures["failures"]


def test_repeats_and_rules_have_no_rotations(contestant: Any, admin_user: Any) -> None:
    bench = factories.small_benchmark(videos=1)
    chosen = {"benchmark": bench, "release": factories.release(bench), "condition": "blind",
              "contestant": contestant, "by": admin_user, "circular": True}  # fmt: skip
    with pytest.raises(RunRefused, match="repeats at 1"):
        create_run(**chosen, repeats=2)
    contestant.provider.dialect = "baseline"
    with pytest.raises(RunRefused, match="by a rule"):
        create_run(**chosen)
