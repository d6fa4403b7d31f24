"""Stored free responses are marked once more: by the real engine, beside the old verdicts."""

import io
import json
from decimal import Decimal

import pytest
from django.core.exceptions import PermissionDenied
from django.core.management import call_command
from django.core.management.base import CommandError

from annotation.models import Revision
from evaluation.actions.rejudging import rejudge_run
from evaluation.actions.run_checks import RunRefused
from evaluation.actions.runs import retry_failed
from evaluation.engine.pump import pump
from evaluation.engine.sweep import sweep
from evaluation.leaderboard import compute_entry
from evaluation.models import Contestant, Judgement, LeaderboardEntry, Prediction, Run
from evaluation.queries.evidence import evidence_on
from evaluation.queries.judge_marks import marks_by_order, repeated_marks
from evaluation.queries.rejudging import judging_cost
from evaluation.queries.run_progress import progress
from evaluation.run_item_page import judge_asked
from tests import evaluation_factories as make
from tests import factories
from tests.at_once import at_once
from tests.standins.model_script import Fault, Script

pytestmark = pytest.mark.django_db(transaction=True)


def finished(run: Run) -> Run:
    assert pump(run.pk)
    run.refresh_from_db()
    return run


@pytest.fixture
def second(contestant: Contestant) -> Contestant:
    """Another judge on the same server."""
    return Contestant.objects.create(
        name="Judge 2", slug="judge-2", provider=contestant.provider, model_id="j-2",
        can_judge=True, price_in=Decimal(1), price_out=Decimal(2),
    )  # fmt: skip


def verdicts(run: Run) -> list[tuple]:
    own = Judgement.objects.filter(prediction__run=run, rejudging=None).order_by("pk")
    return list(own.values_list("pk", "score", "error_type", "raw_reply"))


def test_another_judge_marks_beside_the_first_and_asks_no_model(
    queued, contestant, second, server, admin_user
):
    run = finished(queued(videos=4))
    before, entry, calls = verdicts(run), run.entries.get(), server.counted.calls

    made = finished(rejudge_run(run=run, judge=second, budget=Decimal(1), by=admin_user))

    assert (made.pk != run.pk, made.state, made.rejudges) == (True, "done", run)
    assert server.counted.calls == calls + 4
    new = Judgement.objects.filter(rejudging=made)
    assert {row.prediction.run_id for row in new} == {run.pk}
    assert {(row.judge_label, row.repeat, row.failed) for row in new} == {("Judge 2", 0, False)}
    assert made.spent == 4 * Decimal("0.000340")
    assert not Prediction.objects.filter(run=made).exists()
    # Nothing of the first judge's is touched, nor a figure.
    assert verdicts(run) == before
    sweep()
    assert LeaderboardEntry.objects.get() == entry == compute_entry(run)
    assert Revision.objects.filter(verb="rejudge_run", target_id=made.pk).exists()


def test_same_judge_again_is_its_next_repeat(queued, contestant, server, admin_user):
    run = finished(queued(videos=2))
    score = run.entries.get().figures["free"]["points"]
    again = [
        finished(rejudge_run(run=run, judge=contestant, budget=Decimal(1), by=admin_user))
        for _ in range(2)
    ]
    assert [one.judge_repeat for one in again] == [1, 2]
    assert Judgement.objects.filter(prediction__run=run).count() == 6
    assert compute_entry(run).figures["free"]["points"] == score


def test_fields_in_the_other_order_are_asked_and_counted_apart(
    queued, contestant, second, server, admin_user, client_for
):
    run = finished(queued(videos=2))
    own, entry = verdicts(run), compute_entry(run).figures
    asked = {"run": run, "budget": Decimal(1), "by": admin_user}
    made = finished(rejudge_run(judge=contestant, swapped=True, **asked))
    version = f"{run.rubric_version}-swapped"
    assert (made.state, made.rubric_version, made.judge_repeat) == ("done", version, 0)
    found = Judgement.objects.filter(rejudging=made, failed=False)
    assert set(found.values_list("rubric_version", "repeat")) == {(version, 0)}
    answer, usual = found.first().prediction, Judgement.objects.own().first()
    texts = [judge_asked(one, answer.item_version, answer) for one in (run, made)]
    assert texts[0].system == texts[1].system and texts[0].user != texts[1].user
    assert [text.user.index("ANSWER TO MARK") < text.user.index("REFERENCE ANSWER\n")
            for text in texts] == [False, True]  # fmt: skip
    # The usual order goes on counting by itself, and no figure moves.
    plain = finished(rejudge_run(judge=contestant, **asked))
    assert (plain.judge_repeat, plain.rubric_version) == (1, usual.rubric_version)
    assert rejudge_run(judge=contestant, swapped=True, **asked).judge_repeat == 1
    assert verdicts(run) == own and compute_entry(run).figures == entry
    page = client_for(admin_user).get(f"/runs/{made.pk}/").content.decode()
    assert "the answer before the reference" in page
    ((judge, marks),) = marks_by_order(run.release_id).items()
    assert (judge.label, [len(one) for one in marks]) == (contestant.name, [4, 2])
    assert list(repeated_marks(run.release_id)) == [judge]


def test_one_request_sent_twice_is_paid_once(queued, contestant, second, admin_user):
    run = finished(queued(videos=1, judge=contestant))
    made: list[Run] = []

    def ask() -> None:
        made.append(rejudge_run(run=run, judge=second, budget=Decimal(1), by=admin_user))

    at_once([ask] * 4)
    assert len({one.pk for one in made}) == 1
    asked = {"run": run, "judge": second, "budget": Decimal(1), "by": admin_user}
    assert rejudge_run(**asked, beside=True).judge_repeat == 1


def test_other_order_needs_a_run_that_was_marked(second, admin_user):
    release = factories.release(factories.small_benchmark(videos=1))
    run = make.run(release)
    for row in release.release_items.filter(item_version__key_index=None):
        make.prediction(run, row.item_version, None, answer_text="Because.")
    with pytest.raises(RunRefused, match="usual order first"):
        rejudge_run(run=run, judge=second, budget=Decimal(1), by=admin_user, swapped=True)
    run.refresh_from_db()
    assert run.judge is None and not run.work_items.exists()


def test_verdict_that_cannot_be_read_fails_alone_and_is_retried(
    queued, contestant, second, server, admin_user
):
    run = finished(queued(videos=3))
    own = verdicts(run)
    server.script(Script(faults=[Fault("nonsense", share=1.0, match="Why is step 1")]))
    made = finished(rejudge_run(run=run, judge=second, budget=Decimal(1), by=admin_user))
    assert made.state == "done" and made.work_items.get(state="failed").error_class
    assert Judgement.objects.filter(rejudging=made, failed=True).count() == 1

    server.script(Script())
    assert retry_failed(run=made, by=admin_user) == 1
    finished(made)
    assert Judgement.objects.filter(rejudging=made, failed=False).count() == 3
    assert verdicts(run) == own


def test_budget_holds(queued, second, admin_user):
    run = finished(queued(videos=3))
    made = finished(rejudge_run(run=run, judge=second, budget=Decimal("0.002"), by=admin_user))
    assert made.state == "paused" and "budget" in made.state_reason
    assert made.spent <= Decimal("0.002")


def test_imported_answers_are_judged_again_and_for_the_first_time(
    contestant, second, server, admin_user
):
    bench = factories.small_benchmark(videos=3)
    release = factories.release(bench)
    judged = make.scored_run(release, [1, 2, 0, 1, 1, 0], judge_label="judge", rubric_version="r1")
    Prediction.objects.filter(run=judged).update(answer_text="To see more.")
    made = finished(rejudge_run(run=judged, judge=second, budget=Decimal(1), by=admin_user))
    assert (made.state, made.verdicts.count()) == ("done", 3)

    unjudged = make.run(release)
    for row in release.release_items.filter(item_version__key_index=None):
        make.prediction(unjudged, row.item_version, None, answer_text="Because.")
    same = finished(rejudge_run(run=unjudged, judge=second, budget=Decimal(1), by=admin_user))
    assert (same.pk, same.state, same.judge) == (unjudged.pk, "done", second)
    assert len(verdicts(unjudged)) == 3
    assert same.entries.get().figures["free"]["scored"] == 3


def test_evidence_and_run_page_keep_the_verdicts_apart(
    queued, contestant, second, admin_user, client_for
):
    run = finished(queued(videos=2))
    shown = client_for(admin_user).get(f"/runs/{run.pk}/").content
    made = finished(rejudge_run(run=run, judge=second, budget=Decimal(1), by=admin_user))
    Judgement.objects.filter(rejudging=made).update(score=2, error_type="none", explanation="New!")
    own = Judgement.objects.filter(prediction__run=run, rejudging=None)
    own.update(score=0, error_type="both_fail", explanation="Old.")
    item = own.first().prediction.item_version.item
    assert "New!" not in str(evidence_on(item))
    page = client_for(admin_user).get(f"/runs/{made.pk}/").content.decode()
    assert "Judged again" in page
    counts = progress(made).counts
    assert (counts.total, counts.done, counts.waiting) == (2, 2, 0)
    assert b"Judged again" not in shown


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"can_judge": False}, "not marked as a judge"),
        ({"price_in": None}, "no price"),
        ({"parameters": {"temperature": "hot"}}, "parameters"),
    ],
)
def test_judge_that_does_not_fit_is_refused(queued, second, admin_user, change, message):
    run = finished(queued(videos=1))
    Contestant.objects.filter(pk=second.pk).update(**change)
    second.refresh_from_db()
    with pytest.raises(RunRefused, match=message):
        rejudge_run(run=run, judge=second, budget=Decimal(1), by=admin_user)
    assert Run.objects.count() == 1


def test_run_that_does_not_fit_is_refused(queued, second, admin_user, maintainer, reviewer):
    run = queued(videos=1)
    asked = {"judge": second, "budget": Decimal(1), "by": maintainer}
    with pytest.raises(RunRefused, match="still working"):
        rejudge_run(run=run, **asked)
    finished(run)
    with pytest.raises(PermissionDenied):
        rejudge_run(run=run, **asked | {"by": reviewer})
    for budget in ("0", "NaN", "-1", "1e9"):
        with pytest.raises(RunRefused, match="budget"):
            rejudge_run(run=run, **asked | {"budget": Decimal(budget)})
    made = rejudge_run(run=run, **asked)
    with pytest.raises(RunRefused, match="judges another"):
        rejudge_run(run=made, **asked)
    Prediction.objects.filter(run=run).update(answer_text="")
    with pytest.raises(RunRefused, match="no free response"):
        rejudge_run(run=run, **asked)


def test_command_estimates_works_off_and_refuses(queued, second, admin_user):
    run = finished(queued(videos=2))

    def call(*arguments: str) -> str:
        out = io.StringIO()
        call_command("rejudge", str(run.pk), "--judge", "judge-2", *arguments, stdout=out)
        return out.getvalue()

    cost = judging_cost(run, second)
    assert cost.answers == 2 and cost.cost and cost.most and cost.cost < cost.most
    assert json.loads(call("--dry-run", "--times", "3", "--json"))["calls"] == 6
    assert Run.objects.count() == 1
    told = json.loads(call("--budget", "1", "--times", "2", "--here", "--json"))
    other = json.loads(call("--budget", "1", "--swapped", "--here", "--json"))["runs"][0]
    assert Run.objects.get(pk=other["run"]).is_swapped and other["verdicts"] == 2
    assert [(row["repeat"], row["state"], row["verdicts"]) for row in told["runs"]] == [
        (0, "done", 2),
        (1, "done", 2),
    ]
    for bad in ([], ["--budget", "much"], ["--budget", "1", "--times", "0"]):
        with pytest.raises(CommandError):
            call(*bad)
