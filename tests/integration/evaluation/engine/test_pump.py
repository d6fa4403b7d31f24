"""One pump carries out whole runs against the stand-in: what is stored, what is scored."""

import threading
import time
from decimal import Decimal

import pytest
from django.db import OperationalError

from annotation.models import ItemVersion, Revision
from evaluation.engine import health, places, replies, texts
from evaluation.engine.plan import load_plan
from evaluation.engine.pump import pump
from evaluation.models import Call, Contestant, Judgement, Prediction, Provider, WorkItem
from tests import factories
from tests.standins import model_replies
from tests.standins.model_script import Fault, Script
from tests.standins.model_server import ModelServer

pytestmark = pytest.mark.django_db(transaction=True)


def finished(run):
    assert pump(run.pk)
    run.refresh_from_db()
    return run


def own_prompt(run, version: ItemVersion) -> str:
    return texts.model_texts(load_plan(run.pk), version).user


def test_every_answer_is_the_models_own_and_is_scored_once(queued, server):
    run = finished(queued(videos=8))

    assert run.state == "done"
    predictions = Prediction.objects.filter(run=run).select_related("item_version__item")
    assert len(predictions) == 16
    for row in predictions:
        version = row.item_version
        reply = model_replies.answer(own_prompt(run, version))
        assert row.raw_reply == reply
        if version.item.kind == "mcq":
            place = ord(reply[8]) - ord("A")
            assert row.chosen == version.shown_order[place]
            assert row.score == float(row.chosen == version.key_index)
        else:
            assert row.score is None
            assert row.judgements.get().score in (0, 1, 2)
    assert server.counted.calls == 16 + 8
    assert set(server.counted.billed.values()) == {1}


def test_money_tokens_and_provenance_are_written_down(queued, server):
    server.script(Script(versions=["m-1-a", "m-1-b"], version_calls=5))
    run = finished(queued(videos=4, budget=Decimal(5)))

    each = Decimal("0.000340")  # 300 tokens in at $1, 20 out at $2 a million
    assert run.spent == 12 * each
    assert run.reserved == 0
    assert Call.objects.filter(cost=each, state="settled").count() == 12
    assert set(Prediction.objects.values_list("model_version", flat=True)) == {"m-1-a", "m-1-b"}
    assert run.prompt_version and run.prompt_text and run.rubric_version and run.code_version
    verbs = Revision.objects.filter(target_kind="run", target_id=run.pk).values_list("verb")
    assert {verb for (verb,) in verbs} >= {"create_run", "start_run", "begin_run", "settle_run"}


def test_last_item_settled_computes_the_entry(queued):
    run = finished(queued(videos=3, publish_when_done=True))
    entry = run.entries.get()
    assert entry.figures["scored"] == 6
    assert entry.published_at is not None


def test_faults_of_the_provider_are_got_over_and_scored_as_nothing(queued, server):
    server.script(
        Script(
            faults=[
                Fault("rate_limit", share=0.1, retry_after=0.05),
                Fault("overload", share=0.05),
                Fault("drop", share=0.04),
                Fault("truncated_json", share=0.03),
            ]
        )
    )
    run = finished(queued(videos=20))

    met = sum(server.counted.faults.values())
    assert met > 0
    assert run.state == "done"
    assert not run.work_items.exclude(state="done").exists()
    assert server.counted.calls == 60 + met, "an extra call without a fault"
    for row in Prediction.objects.filter(run=run).select_related("item_version__item"):
        assert row.raw_reply == model_replies.answer(own_prompt(run, row.item_version))


def test_item_that_keeps_failing_is_failed_and_not_wrong(queued, server):
    server.script(Script(faults=[Fault("truncated_json", share=1.0, match="in step 1?")]))
    run = finished(queued(videos=3))

    assert run.state == "done"
    failed = run.work_items.get(state="failed")
    assert (failed.error_class, failed.faults) == ("unparsable", 3)
    assert not Prediction.objects.filter(run=run, item_version=failed.item_version).exists()
    assert Call.objects.filter(work_item=failed).count() == 3
    figures = run.entries.get().figures
    assert figures["scored"] == 5
    assert figures["failures"] == {"unparsable": 1}


@pytest.mark.parametrize(
    ("kind", "outcome"),
    [("safety", "refused"), ("thinking", "abstained"), ("empty", "abstained"),
     ("nonsense", "abstained")],
)  # fmt: skip
def test_reply_without_an_answer_is_the_models_doing_and_scores_0(queued, server, kind, outcome):
    server.script(Script(faults=[Fault(kind, share=1.0, match="What happens")]))
    run = finished(queued(videos=2))

    rows = Prediction.objects.filter(run=run, item_version__item__kind="mcq")
    assert {(row.outcome, row.score, row.chosen) for row in rows} == {(outcome, 0.0, None)}
    assert run.entries.get().figures["mcq"]["scored"] == 2
    if kind == "thinking":
        assert all(row.tokens_out == 2048 for row in rows), "thoughts are billed"


def test_judges_failure_is_its_own_state_and_never_a_0(queued, server):
    server.script(Script(faults=[Fault("nonsense", share=1.0, match=model_replies.JUDGE_MARK)]))
    run = finished(queued(videos=2))

    assert run.state == "done"
    judged = run.work_items.filter(stage="judge")
    assert {(one.state, one.error_class, one.attempt) for one in judged} == {
        ("failed", "unparsable", 3)
    }
    assert {(one.failed, one.score) for one in Judgement.objects.all()} == {(True, None)}
    figures = run.entries.get().figures
    assert figures["free"]["scored"] == 0
    assert not run.work_items.filter(stage="predict").exclude(state="done").exists()
    billed = sum(server.counted.billed.values())
    assert billed == 4 + 2 * 3, "a judge's retry paid the model again"


def test_verdict_of_a_flaky_judge_is_read_at_the_second_try(queued, server):
    server.script(Script(faults=[Fault("nonsense", share=0.5, match=model_replies.JUDGE_MARK)]))
    run = finished(queued(videos=2))
    done = run.work_items.filter(stage="judge", state="done").count()
    assert Judgement.objects.filter(failed=False, score__isnull=False).count() == done


def test_free_response_refused_by_a_filter_is_not_judged(queued, server):
    server.script(Script(faults=[Fault("safety", share=1.0, match="Why is step")]))
    run = finished(queued(videos=2))
    assert not run.work_items.filter(stage="judge").exists()
    assert run.entries.get().figures["free"]["scored"] == 2


def test_in_flight_stays_within_the_providers_limit(queued, server, contestant):
    Provider.objects.update(max_in_flight=5)
    server.script(Script(latency=0.05))
    finished(queued(videos=12))
    assert server.counted.most_in_flight == 5


def test_repeats_are_asked_each(queued, server):
    run = finished(queued(videos=2, repeats=3))
    assert Prediction.objects.filter(run=run).count() == 12
    assert Prediction.objects.filter(run=run, item_version__item__kind="mcq").count() == 6


def test_only_kept_items_are_asked(queued, server):
    bench = factories.benchmark()
    video = factories.video(bench)
    factories.kept(factories.mcq_item(video, stem="Kept?"))
    factories.kept(factories.mcq_item(video, stem="Dropped?"), keep=False)
    finished(queued(benchmark=bench))
    assert server.counted.calls == 1


def test_baseline_needs_no_network(queued, server):
    provider = Provider.objects.create(name="Baselines here", dialect="baseline")
    model = Contestant.objects.create(
        name="Longest", slug="longest-2", provider=provider, model_id="longest", is_reference=True
    )
    run = finished(queued(videos=3, contestant=model, judge=None, condition="video"))

    assert run.state == "done"
    assert server.counted.calls == 0
    rows = Prediction.objects.filter(run=run)
    assert len(rows) == 3
    for row in rows:
        options = row.item_version.options
        assert options[row.chosen] == max(options, key=len)


def test_refused_key_pauses_the_run_instead_of_failing_its_items(queued, server):
    server.script(Script(faults=[Fault("auth", share=1.0)]))
    run = finished(queued(videos=3))
    assert run.state == "paused"
    assert "key" in run.state_reason
    assert run.work_items.filter(state="claimed").count() == 0


def test_key_that_cannot_be_unsealed_pauses_the_run(queued, server):
    Provider.objects.update(key_sealed="not-a-seal")
    run = finished(queued(videos=1))
    assert run.state == "paused"
    assert "enter it again" in run.state_reason
    assert server.counted.calls == 0


def test_hostile_reply_is_stored_as_every_database_takes_it(queued, server, monkeypatch):
    monkeypatch.setattr(
        model_replies, "answer", lambda prompt: "Answer: B\x00 \ud800 <script>" + "x" * 300_000
    )
    run = finished(queued(videos=1, judge=None))
    row = Prediction.objects.get(run=run, item_version__item__kind="mcq")
    assert row.outcome == "answered"
    assert "\x00" not in row.raw_reply
    assert 199_000 < len(row.raw_reply) <= 200_000


def test_database_that_fails_for_a_while_loses_no_reply(queued, server, monkeypatch):
    real, broken = replies.store, []

    def store(*args, **options):
        if args[2] and len(broken) < 2:
            broken.append(True)
            raise OperationalError("database or disk is full")
        return real(*args, **options)

    monkeypatch.setattr(replies, "store", store)
    run = finished(queued(videos=3))
    assert len(broken) == 2
    assert run.state == "done"
    assert server.counted.calls == 9, "a reply that could not be stored was paid twice"


def test_second_pump_finds_no_place(queued, server):
    run = queued(videos=1)
    assert places.take(run, token="a" * 32, worker="elsewhere")
    assert pump(run.pk) is False
    assert server.counted.calls == 0
    assert WorkItem.objects.filter(run=run, state="waiting").count() == 2


def test_judge_keeps_its_own_providers_limit(queued, server, contestant):
    with ModelServer(Script(latency=0.05)) as other:
        provider = Provider.objects.create(
            name="Judges", dialect="openai_compatible", base_url=f"{other.url}/v1", max_in_flight=2
        )
        judge = Contestant.objects.create(
            name="Judge", slug="judge", provider=provider, model_id="j-1", can_judge=True
        )
        run = finished(queued(videos=10, judge=judge))
    assert run.state == "done"
    assert (server.counted.calls, other.counted.calls) == (20, 10)
    assert other.counted.most_in_flight == 2


def test_provider_that_is_down_is_left_alone_and_asked_again_later(queued, server, monkeypatch):
    monkeypatch.setattr(health, "TRIPS_AT", 4)
    server.script(Script(faults=[Fault("overload", share=1.0)]))
    run = queued(videos=4)
    asked = []

    def mend() -> None:
        asked.append(server.counted.calls)
        server.script(Script())

    threading.Timer(2.0, mend).start()
    finished(run)
    assert asked[0] <= 2 * 16, "it was asked on and on"
    assert run.state == "done"
    assert not run.work_items.exclude(state="done").exists()


def test_requests_per_minute_spread_the_calls(queued, server):
    Provider.objects.update(requests_per_minute=600)
    began = time.monotonic()
    finished(queued(videos=5, judge=None))
    assert time.monotonic() - began >= 0.9, "10 calls at 10 a second"
