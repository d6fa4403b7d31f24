"""The pages of runs: who sees them, what they ask the database, what they never show."""

import json
import re
import uuid
from datetime import timedelta
from decimal import Decimal
from functools import partial

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from evaluation.actions.providers import reveal_key, set_key
from evaluation.actions.run_checks import RunRefused
from evaluation.actions.runs import create_run, start_run
from evaluation.baselines import settle_references
from evaluation.engine.rows import update_each
from evaluation.leaderboard import compute_entry
from evaluation.models import Call, Contestant, Judgement, Prediction, Provider, Run, WorkItem
from evaluation.queries.estimate import estimate
from tests import factories
from tests.at_once import at_once

pytestmark = pytest.mark.django_db
KEY = "AIza-secret-of-the-test-9876"


@pytest.fixture
def contestant(db) -> Contestant:
    provider = Provider.objects.create(
        name="P", dialect="openai_compatible", base_url="http://127.0.0.1:9/v1"
    )
    return Contestant.objects.create(
        name="M", slug="m", provider=provider, model_id="m-1", can_judge=True,
        price_in=Decimal(1), price_out=Decimal(2),
    )  # fmt: skip


def made_run(contestant, user, *, videos: int) -> Run:
    """A run in which everything is answered and judged."""
    bench = factories.small_benchmark(videos=videos)
    run = create_run(
        benchmark=bench, release=factories.release(bench), contestant=contestant,
        condition="blind", judge=contestant, budget=Decimal(5), by=user,
    )  # fmt: skip
    start_run(run=run, by=user)
    items = list(run.work_items.select_related("item_version__item"))
    for item in items:
        is_mcq = item.item_version.item.kind == "mcq"
        row = Prediction.objects.create(
            run=run, item_version=item.item_version, outcome="answered", raw_reply="Answer: A",
            score=1.0 if is_mcq else None, latency=2.0,
        )  # fmt: skip
        Call.objects.create(
            work_item=item, attempt=1, state="settled", latency=2.0, tokens_in=10, tokens_out=5,
            error_class="" if is_mcq else "timeout",
        )  # fmt: skip
        if not is_mcq:
            WorkItem.objects.create(
                run=run, item_version=item.item_version, stage="judge", state="done", attempt=1
            )
            Judgement.objects.create(
                prediction=row, judge_label="M", rubric_version="rubric-1", score=1,
                error_type="wrong_conclusion",
            )  # fmt: skip
    update_each(WorkItem, ("id",), ("state", "attempt"), [(item.pk, "done", 1) for item in items])
    Run.objects.filter(pk=run.pk).update(state="running")
    return run


@pytest.mark.parametrize("path", ["", "progress.json?fragments=1"])
def test_queries_do_not_grow_with_the_run(contestant, admin_user, client_for, path):
    client = client_for(admin_user)
    counts = []
    for videos in (3, 40):
        run = made_run(contestant, admin_user, videos=videos)
        client.get(f"/runs/{run.pk}/{path}")
        with CaptureQueriesContext(
            connection,
        ) as captured:
            assert client.get(f"/runs/{run.pk}/{path}").status_code == 200
        counts.append(len(captured))
    assert counts[0] == counts[1] <= 32


def test_figures_of_a_very_long_run_are_kept_for_a_while(contestant, admin_user, client_for):
    run = made_run(contestant, admin_user, videos=2)
    run.extra["answers"] = 1_000_000
    run.save()
    client, path = client_for(admin_user), f"/runs/{run.pk}/progress.json"
    before = client.get(path).json()
    Call.objects.filter(work_item__run=run).update(tokens_in=999)
    assert client.get(path).json()["tokens"] == before["tokens"]
    cache.clear()
    assert client.get(path).json()["tokens"]["in"] == 4 * 999


def test_list_of_runs_asks_a_bounded_number_of_queries(contestant, admin_user, client_for):
    client = client_for(admin_user)
    client.get("/runs/")  # the day's first visit is noted
    counts = []
    for _ in range(2):
        made_run(contestant, admin_user, videos=1)
        made_run(contestant, admin_user, videos=1)
        with CaptureQueriesContext(connection) as captured:
            assert client.get("/runs/").status_code == 200
        counts.append(len(captured))
    assert counts[0] == counts[1]


def test_model_that_changed_within_a_run_is_flagged(contestant, admin_user, client_for):
    run = made_run(contestant, admin_user, videos=2)
    client = client_for(admin_user)
    assert "changed during the run" not in client.get(f"/runs/{run.pk}/").content.decode()
    for number, row in enumerate(Prediction.objects.filter(run=run)):
        row.model_version = f"m-1-{number % 2}"
        row.save()
    page = client.get(f"/runs/{run.pk}/").content.decode()
    assert "changed during the run" in page
    assert "m-1-0, m-1-1" in page


def test_list_of_runs_counts_answers_of_baselines_too(reference_run, admin_user, client_for):
    Prediction.objects.filter(run=reference_run).first().delete()
    reference_run.extra = {"answers": 3}
    reference_run.save()
    Run.objects.exclude(pk=reference_run.pk).exclude(contestant__slug="chance").delete()
    page = client_for(admin_user).get("/runs/").content.decode()
    assert "2 / 3" in page and "3 / 3" in page


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("", 6), ("kind=mcq", 3), ("kind=free", 3), ("kind=other", 6), ("state=done", 6),
        ("state=failed", 0), ("state=waiting", 0), ("state=retrying", 0), ("state=in-flight", 0),
        ("error=timeout", 3), ("q=press+harder", 3), ("q=%00", 6), ("page=99999999999", 6),
        ("page=x", 6), ("type=Type1_ActionGoalReasoning", 3),
    ],
)  # fmt: skip
def test_items_are_narrowed(contestant, admin_user, client_for, query, rows):
    run = made_run(contestant, admin_user, videos=3)
    page = client_for(admin_user).get(f"/runs/{run.pk}/?{query}")
    assert len(page.context["rows"]) == rows


def test_progress_is_told_to_programs(contestant, admin_user, client_for):
    run = made_run(contestant, admin_user, videos=3)
    data = client_for(admin_user).get(f"/runs/{run.pk}/progress.json").json()
    assert data["counts"] == {
        "total": 6, "done": 6, "failed": 0, "retrying": 0, "in_flight": 0, "waiting": 0,
    }  # fmt: skip
    assert data["live"] is True
    assert data["provenance"]["release"]["tag"] == "r1"
    assert "fragments" not in data


def test_text_of_models_is_escaped(contestant, admin_user, client_for):
    contestant.name = "<script>alert(1)</script>"
    contestant.save()
    run = made_run(contestant, admin_user, videos=1)
    WorkItem.objects.filter(run=run).update(state="failed", error_class="<b>x</b>")
    page = client_for(admin_user).get(f"/runs/{run.pk}/").content.decode()
    assert "<script>alert" not in page
    assert "<b>x</b>" not in page


def test_maintainer_sees_and_starts_reviewer_does_not(contestant, maintainer, reviewer, client_for):
    run = made_run(contestant, maintainer, videos=1)
    assert client_for(maintainer).get(f"/runs/{run.pk}/").status_code == 200
    assert client_for(reviewer).get(f"/runs/{run.pk}/").status_code == 403
    assert client_for(reviewer).post(f"/runs/{run.pk}/cancel/").status_code == 403


def test_unknown_action_and_get_are_refused(contestant, admin_user, client_for):
    run = made_run(contestant, admin_user, videos=1)
    client = client_for(admin_user)
    assert client.post(f"/runs/{run.pk}/delete/").status_code == 404
    assert client.get(f"/runs/{run.pk}/cancel/").status_code == 405


def test_action_that_does_not_fit_says_why(contestant, admin_user, client_for):
    run = made_run(contestant, admin_user, videos=1)
    page = client_for(admin_user).post(f"/runs/{run.pk}/resume/", follow=True)
    assert "The run is running" in page.content.decode()


def test_form_refuses_what_does_not_fit(contestant, admin_user, client_for):
    bench = factories.small_benchmark(videos=1)
    release = factories.release(bench)
    form = {
        "release": release.pk, "model": contestant.pk, "condition": "blind", "repeats": 1,
        "budget": "-3", "intent": "start",
    }  # fmt: skip
    client = client_for(admin_user)
    assert client.post("/runs/new/", form).status_code == 200
    assert not Run.objects.exists()
    contestant.price_in = None
    contestant.save()
    page = client.post("/runs/new/", form | {"budget": "3"}).content.decode()
    assert "no price" in page
    assert not Run.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_form_that_is_sent_twice_starts_one_run(contestant, admin_user, client_for):
    release = factories.release(factories.small_benchmark(videos=1))
    page = client_for(admin_user).get("/runs/new/").content.decode()
    key = re.search('name="form_key" value="([^"]+)"', page)[1]
    form = {
        "release": release.pk, "model": contestant.pk, "condition": "blind", "repeats": 1,
        "intent": "start", "form_key": key,
    }  # fmt: skip
    clients = [client_for(admin_user) for _ in range(3)]
    at_once([partial(client.post, "/runs/new/", form) for client in clients])
    assert clients[0].post("/runs/new/", form).url == f"/runs/{Run.objects.get().pk}/"
    clients[0].post("/runs/new/", form | {"repeats": 2})  # gone back, and asked for something else
    clients[0].post("/runs/new/", form | {"form_key": str(uuid.uuid4())})
    assert Run.objects.count() == 3
    assert clients[0].post("/runs/new/", form | {"form_key": "'"}).status_code == 200


def test_the_page_of_a_run_that_has_ended_waits_for_its_entry(contestant, admin_user, client_for):
    """It used to stop looking in between, and so never offered to publish."""
    run = made_run(contestant, admin_user, videos=1)
    Run.objects.filter(pk=run.pk).update(state="done", finished_at=timezone.now())
    run.entries.all().delete()
    client = client_for(admin_user)

    def told() -> tuple[bool, bool]:
        found = client.get(f"/runs/{run.pk}/progress.json?fragments=1").json()
        return found["live"], "Publish" in found["fragments"]["head"]

    assert told() == (True, False)
    Run.objects.filter(pk=run.pk).update(finished_at=timezone.now() - timedelta(hours=1))
    assert told() == (False, False), "one that never comes is not waited for"
    Run.objects.filter(pk=run.pk).update(finished_at=timezone.now())
    run.refresh_from_db()
    compute_entry(run)
    assert told() == (False, True)


def test_a_run_that_cannot_start_leaves_no_draft(contestant, admin_user, client_for):
    release = factories.release(factories.small_benchmark(videos=1))
    release.release_items.update(keep=False)
    form = {
        "release": release.pk, "model": contestant.pk, "condition": "blind", "repeats": 1,
        "intent": "start",
    }  # fmt: skip
    page = client_for(admin_user).post("/runs/new/", form).content.decode()
    assert "no kept item" in page and not Run.objects.exists()


# Keys.


def test_key_is_sealed_and_never_shown_again(contestant, admin_user, client_for):
    provider = contestant.provider
    client = client_for(admin_user)
    url = reverse("admin:evaluation_provider_change", args=[provider.pk])
    form = {
        "name": "P", "dialect": "gemini", "base_url": "", "key_env": "", "max_in_flight": 8,
        "requests_per_minute": 0, "tokens_per_minute": 0, "timeout_seconds": 300, "new_key": KEY,
    }  # fmt: skip
    assert client.post(url, form).status_code == 302
    provider.refresh_from_db()
    assert KEY not in provider.key_sealed
    assert reveal_key(provider) == KEY
    page = client.get(url).content.decode()
    assert KEY not in page
    assert provider.key_sealed not in page
    assert "…9876" in page

    client.post(url, form | {"new_key": "", "remove_key": "on"})
    provider.refresh_from_db()
    assert reveal_key(provider) == ""


def test_key_of_the_environment_goes_first(contestant, admin_user, monkeypatch):
    provider = set_key(provider=contestant.provider, key=KEY, by=admin_user)
    provider.key_env = "SONOVQA_TEST_KEY"
    monkeypatch.setenv("SONOVQA_TEST_KEY", "from-the-environment")
    assert reveal_key(provider) == "from-the-environment"


@pytest.mark.parametrize(
    "address",
    ["ftp://example.org", "file:///etc/passwd", "javascript:alert(1)", "//example.org",
     "http://", "http://user:pw@example.org", "https://example.org/?key=1", "http://[::1"],
)  # fmt: skip
def test_address_that_is_no_plain_server_is_refused(contestant, admin_user, client_for, address):
    url = reverse("admin:evaluation_provider_change", args=[contestant.provider_id])
    form = {
        "name": "P", "dialect": "gemini", "base_url": address, "key_env": "", "max_in_flight": 8,
        "requests_per_minute": 0, "tokens_per_minute": 0, "timeout_seconds": 300,
    }  # fmt: skip
    assert client_for(admin_user).post(url, form).status_code == 200
    assert Provider.objects.get().base_url == "http://127.0.0.1:9/v1"


def test_bad_parameters_are_refused_in_the_admin_site(contestant, admin_user, client_for):
    url = reverse("admin:evaluation_contestant_change", args=[contestant.pk])
    form = {
        "name": "M", "slug": "m", "provider": contestant.provider_id, "model_id": "m-1",
        "parameters": json.dumps({"temprature": 1}),
    }  # fmt: skip
    page = client_for(admin_user).post(url, form)
    assert "temprature" in page.content.decode()


def test_admin_site_starts_a_draft(contestant, admin_user, client_for):
    bench = factories.small_benchmark(videos=1)
    run = create_run(
        benchmark=bench, release=factories.release(bench), contestant=contestant,
        condition="blind", by=admin_user,
    )  # fmt: skip
    url = reverse("admin:evaluation_run_changelist")
    client = client_for(admin_user)
    client.post(url, {"action": "start", "_selected_action": [run.pk]})
    run.refresh_from_db()
    assert run.state == "queued"
    client.post(url, {"action": "cancel", "_selected_action": [run.pk]})
    run.refresh_from_db()
    assert run.state == "cancelled"


@pytest.fixture
def reference_run(admin_user) -> Run:
    """A run of a baseline that somebody started, done and with an entry."""
    release = factories.release(factories.small_benchmark(videos=3))
    settle_references(release)
    by_hand = create_run(
        benchmark=release.benchmark, release=release, by=admin_user, condition="blind",
        contestant=Contestant.objects.get(slug="longest"),
    )  # fmt: skip
    Run.objects.filter(pk=by_hand.pk).update(state="done")
    by_hand.refresh_from_db()
    for row in release.release_items.filter(item_version__item__kind="mcq"):
        Prediction.objects.create(
            run=by_hand, item_version_id=row.item_version_id, outcome="answered", chosen=0, score=1
        )
    compute_entry(by_hand)
    return by_hand


def test_a_reference_model_has_nothing_to_publish(reference_run, admin_user, client_for):
    client = client_for(admin_user)
    page = client.get(f"/runs/{reference_run.pk}/").content.decode()
    assert "nothing to publish" in page and 'form="run-publish"' not in page
    assert "This model makes no calls." in page
    page = client.post(f"/runs/{reference_run.pk}/publish/", follow=True).content.decode()
    assert "by itself" in page
    assert not reference_run.entries.filter(published_at__isnull=False).exists()


def test_a_run_of_a_reference_is_not_started_to_be_published(reference_run, admin_user):
    with pytest.raises(RunRefused, match="needs no publishing"):
        create_run(
            benchmark=reference_run.benchmark, release=reference_run.release, by=admin_user,
            condition="blind", contestant=reference_run.contestant, publish_when_done=True,
        )  # fmt: skip


def test_a_baseline_is_estimated_without_calls(reference_run):
    found = estimate(
        release=reference_run.release, contestant=reference_run.contestant, condition="video"
    )
    assert (found.items, found.calls, found.tokens_in, found.tokens_out) == (3, 0, 0, 0)
    assert (found.cost, found.seconds) == (0, 0)


def test_publish_takes_the_entry_on_the_own_release(contestant, admin_user, client_for):
    run = made_run(contestant, admin_user, videos=2)
    Run.objects.filter(pk=run.pk).update(state="done")
    run.refresh_from_db()
    own, other = compute_entry(run), compute_entry(run, factories.release(run.benchmark, tag="r2"))
    type(other).objects.filter(pk=other.pk).update(version=7)
    client_for(admin_user).post(f"/runs/{run.pk}/publish/")
    own.refresh_from_db()
    other.refresh_from_db()
    assert own.published_at is not None and other.published_at is None
