"""A finished run is brought to another release: only new and changed items are asked."""

from decimal import Decimal
from typing import Any

import pytest

from evaluation.actions.extending import check_extension, extend_run
from evaluation.actions.run_checks import RunRefused
from evaluation.engine.pump import pump
from evaluation.models import Call, Judgement, LeaderboardEntry, Prediction, Run
from evaluation.queries.extending import extension
from tests import factories
from tests.standins.model_script import Fault, Script

pytestmark = pytest.mark.django_db(transaction=True)


def finished(run: Run) -> Run:
    assert pump(run.pk)
    run.refresh_from_db()
    assert run.state == "done", run.state_reason
    return run


@pytest.fixture
def earlier(queued: Any, server: Any) -> Run:
    """A judged blind run of six MCQs and six free responses, all answered."""
    run = finished(queued(videos=6))
    assert server.counted.calls == 18
    return run


def test_only_new_and_changed_items_are_called(earlier: Run, server: Any, admin_user: Any) -> None:
    bench = earlier.benchmark
    mcq, free = (bench.items.filter(kind=kind).first() for kind in ("mcq", "free"))
    factories.reworded(mcq, "What else happens?")
    factories.reworded(free, "Why else is it done?")
    factories.kept(factories.mcq_item(factories.video(bench), stem="What is new?"))
    factories.kept(bench.items.filter(kind="mcq").last(), keep=True)
    dropped = bench.items.filter(kind="free").last()
    factories.kept(dropped, keep=False)
    release = factories.release(bench, tag="r2")

    found = extension(earlier, release)
    assert (found.answers, found.taken) == (12, 9)
    assert (found.estimate.calls, found.estimate.judge_calls) == (4, 1)

    made = extend_run(run=earlier, release=release, by=admin_user, budget=Decimal(5))
    assert made.extends == earlier and made.release == release
    assert made.predictions.count() == 9
    finished(made)
    assert server.counted.calls == 18 + 4
    assert made.predictions.count() == 12 and Call.objects.filter(work_item__run=made).count() == 4
    for row in made.predictions.exclude(taken_from=None).select_related("taken_from"):
        assert row.taken_from.run == earlier
        assert (row.raw_reply, row.chosen, row.score) == (
            row.taken_from.raw_reply, row.taken_from.chosen, row.taken_from.score,
        )  # fmt: skip
    assert Judgement.objects.filter(prediction__run=made).count() == 5
    entry = LeaderboardEntry.objects.get(run=made, release=release)
    assert entry.figures["scored"] == entry.figures["items"] == 12
    assert earlier.predictions.count() == 12, "the earlier run was changed"


def test_nothing_is_called_where_nothing_changed(
    earlier: Run, server: Any, admin_user: Any
) -> None:
    made = extend_run(
        run=earlier, release=factories.release(earlier.benchmark, tag="r2"), by=admin_user
    )
    finished(made)
    assert server.counted.calls == 18 and made.predictions.count() == 12


def test_a_changed_ground_truth_asks_the_judge_alone(
    earlier: Run, server: Any, admin_user: Any
) -> None:
    item = earlier.benchmark.items.filter(kind="free").first()
    version = factories.current(item)
    version.pk, version.number = None, version.number + 1
    version.ground_truth, version.digest = "Another statement.", "d" * 64
    version.save()
    item.current = version
    item.save()
    release = factories.release(earlier.benchmark, tag="r2")
    assert extension(earlier, release).estimate.calls == 1
    finished(extend_run(run=earlier, release=release, by=admin_user))
    assert server.counted.calls == 19


def test_what_failed_is_asked_and_not_taken_over(queued: Any, server: Any, admin_user: Any) -> None:
    server.script(Script(faults=[Fault("truncated_json", share=1.0, match="in step 1?")]))
    run = finished(queued(videos=3, judge=None))
    assert run.predictions.count() == 5
    server.script(Script())
    release = factories.release(run.benchmark, tag="r2")
    assert extension(run, release).estimate.calls == 1
    before = server.counted.calls
    made = finished(extend_run(run=run, release=release, by=admin_user))
    assert server.counted.calls == before + 1 and made.predictions.count() == 6


def test_a_second_call_returns_the_run_of_the_first(earlier: Run, admin_user: Any) -> None:
    release = factories.release(earlier.benchmark, tag="r2")
    first = extend_run(run=earlier, release=release, by=admin_user)
    assert extend_run(run=earlier, release=release, by=admin_user) == first
    Run.objects.filter(pk=first.pk).update(state="cancelled")
    assert extend_run(run=earlier, release=release, by=admin_user) != first


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"state": "running"}, "still working"), ({"origin": "import"}, "asked from here"),
        ({"condition": "shuffled"}, "start anew"), ({"prompt_version": "gone-1"}, "not known here"),
        ({"rubric_version": "gone-1"}, "not known here"),
        ({"clip_settings": {"recipe": 1}}, "cut otherwise"),
    ],
)  # fmt: skip
def test_what_cannot_be_extended_says_why(
    queued: Any, admin_user: Any, changes: dict[str, Any], why: str
) -> None:
    run = queued(videos=1)
    release = factories.release(run.benchmark, tag="r2")
    Run.objects.filter(pk=run.pk).update(**{"state": "done"} | changes)
    run.refresh_from_db()
    with pytest.raises(RunRefused, match=why):
        extend_run(run=run, release=release, by=admin_user)
    assert not run.extensions.exists()


def test_the_own_release_and_another_benchmarks_are_refused(queued: Any, admin_user: Any) -> None:
    run = queued(videos=1)
    Run.objects.filter(pk=run.pk).update(state="done")
    run.refresh_from_db()
    other = factories.release(factories.small_benchmark(videos=1))
    for release, why in ((run.release, "already"), (other, "another benchmark")):
        with pytest.raises(RunRefused, match=why):
            check_extension(run=run, release=release)


def test_clips_of_items_taken_over_are_not_cut_again(
    queued: Any, filmed: Any, contestant: Any, admin_user: Any
) -> None:
    run = finished(queued(benchmark=filmed, condition="video", judge=None, repeats=2))
    video = filmed.videos.get()
    factories.kept(factories.mcq_item(video, stem="And at last?", window=(0.5, 3.5)))
    made = extend_run(run=run, release=factories.release(filmed, tag="r2"), by=admin_user)
    assert made.work_items.filter(stage="clip").count() == 1
    finished(made)
    assert Prediction.objects.filter(run=made, taken_from=None).count() == 2
    assert made.predictions.count() == 6
