"""Runs are steered by API and command as they are from the page."""

import json
from decimal import Decimal
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from evaluation.actions.runs import create_run, start_run
from evaluation.models import Contestant, Judgement, Prediction, Provider, Run, WorkItem
from tests import evaluation_factories as made
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def contestant(db: None) -> Contestant:
    provider = Provider.objects.create(
        name="P", dialect="openai_compatible", base_url="http://127.0.0.1:9/v1"
    )
    return Contestant.objects.create(
        name="M", slug="m", provider=provider, model_id="m-1", can_judge=True,
        price_in=Decimal(1), price_out=Decimal(2),
    )  # fmt: skip


@pytest.fixture
def run(contestant: Contestant, admin_user: Any) -> Run:
    bench = factories.small_benchmark(videos=2)
    run = create_run(
        benchmark=bench, release=factories.release(bench), contestant=contestant,
        condition="blind", judge=contestant, by=admin_user,
    )  # fmt: skip
    return start_run(run=run, by=admin_user)


@pytest.fixture
def done(run: Run) -> Run:
    """A run in which everything is answered and judged."""
    for item in run.work_items.select_related("item_version__item"):
        row = made.prediction(run, item.item_version, None if item.item_version.options else 2)
        row.answer_text = "So that the image is sharper."
        row.save()
    Prediction.objects.filter(run=run).update(raw_reply="Answer: A")
    run.work_items.update(state="done")
    Judgement.objects.update(judge_label="M", rubric_version="rubric-1")
    Run.objects.filter(pk=run.pk).update(state="done")
    run.refresh_from_db()
    return run


def post(client: Any, run: Run, name: str, body: Any = None) -> Any:
    path = f"/api/v1/runs/{run.pk}/{name}/"
    return client.post(path, json.dumps(body or {}), content_type="application/json")


def test_each_control_is_done_once(run: Run, maintainer: Any, client_for: Any) -> None:
    client = client_for(maintainer)
    for name, state in (("pause", "paused"), ("resume", "queued"), ("cancel", "cancelled")):
        first, second = post(client, run, name), post(client, run, name)
        assert first.status_code == second.status_code == 200
        assert first.json()["changed"] is True and second.json()["changed"] is False
        assert first.json()["state"] == second.json()["state"] == state


def test_what_does_not_fit_is_a_conflict(run: Run, maintainer: Any, client_for: Any) -> None:
    client = client_for(maintainer)
    post(client, run, "cancel")
    answer = post(client, run, "resume")
    assert answer.status_code == 409 and answer["Content-Type"] == "application/problem+json"
    assert "cancelled" in answer.json()["detail"]
    assert post(client, run, "explode").status_code == 404
    assert client.post(f"/api/v1/runs/{10**19}/pause/").status_code == 404


def test_failed_steps_are_asked_again(run: Run, maintainer: Any, client_for: Any) -> None:
    client = client_for(maintainer)
    assert post(client, run, "retry-failed").json()["steps"] == 0
    first = run.work_items.first()
    WorkItem.objects.filter(pk=first.pk).update(state="failed")
    assert post(client, run, "retry-failed").json() == {
        "run": run.pk, "state": "queued", "changed": True, "steps": 1,
    }  # fmt: skip


def test_a_run_is_extended_once(done: Run, maintainer: Any, client_for: Any) -> None:
    client = client_for(maintainer)
    factories.kept(factories.mcq_item(factories.video(done.benchmark)))
    factories.release(done.benchmark, tag="r2")
    told = post(client, done, "extend", {"release": "r2", "dry_run": True}).json()
    assert (told["answers"], told["taken"], told["estimate"]["calls"]) == (5, 4, 1)
    assert Run.objects.count() == 1
    first = post(client, done, "extend", {"release": "r2", "budget": "2.50"})
    second = post(client, done, "extend", {"release": "r2", "budget": "2.50"})
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json()["run"] == second.json()["run"]
    assert Run.objects.get(extends=done).budget == Decimal("2.50")


def test_a_judge_is_asked_once_more(done: Run, maintainer: Any, client_for: Any) -> None:
    client = client_for(maintainer)
    told = post(client, done, "rejudge", {"judge": "m", "budget": "1", "dry_run": True}).json()
    assert told["answers"] == 2 and Decimal(told["cost"]) > 0
    first = post(client, done, "rejudge", {"judge": "m", "budget": "1"})
    second = post(client, done, "rejudge", {"judge": "M", "budget": "1"})
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json()["run"] == second.json()["run"] != done.pk
    other = post(client, done, "rejudge", {"judge": "m", "budget": "1", "swapped": True})
    assert other.status_code == 201 and Run.objects.get(pk=other.json()["run"]).is_swapped
    bad = post(client, done, "rejudge", {"judge": "m", "budget": "1", "swapped": "perhaps"})
    assert bad.status_code == 400


@pytest.mark.parametrize(
    ("name", "body", "status"),
    [
        ("extend", {}, 400), ("extend", {"release": "r9"}, 404), ("extend", {"release": []}, 400),
        ("extend", {"release": "r1", "budget": "NaN"}, 400),
        ("extend", {"release": "r1", "budget": 1e999}, 400),
        ("extend", {"release": "r1", "budget": "-1"}, 400), ("extend", [1], 400),
        ("extend", {"release": "\x00"}, 400), ("extend", {"release": "r" * 10_000}, 400),
        ("extend", {"release": "r1"}, 409), ("rejudge", {"judge": "nobody", "budget": 1}, 404),
        ("rejudge", {"judge": "m"}, 400), ("rejudge", {"judge": "m", "budget": "9" * 99}, 400),
    ],
)  # fmt: skip
def test_hostile_bodies_are_told_as_problems(
    done: Run, maintainer: Any, client_for: Any, name: str, body: Any, status: int
) -> None:
    answer = post(client_for(maintainer), done, name, body)
    assert answer.status_code == status
    assert answer["Content-Type"] == "application/problem+json"
    assert Run.objects.count() == 1


def test_figures_are_those_of_the_page(done: Run, maintainer: Any, client_for: Any) -> None:
    client = client_for(maintainer)
    figures = client.get(f"/api/v1/runs/{done.pk}/figures/").json()
    page = client.get(f"/runs/{done.pk}/progress.json").json()
    assert figures["counts"] == page["counts"] and figures["counts"]["done"] == 4
    assert {**page, "live": None}.items() >= {"spent": figures["spent"], "live": None}.items()


def test_pages_show_what_it_takes_and_start(done: Run, maintainer: Any, client_for: Any) -> None:
    client = client_for(maintainer)
    release = factories.release(done.benchmark, tag="r2")
    page = client.post(f"/runs/{done.pk}/extend/", {"release": release.pk, "budget": ""})
    assert "of them 4 taken over" in page.content.decode() and Run.objects.count() == 1
    form = {"release": release.pk, "intent": "start"}
    page = client.post(f"/runs/{done.pk}/extend/", form, follow=True).content.decode()
    assert f"extends run {done.pk}" in page and "4 answers to items" in page
    judge = Contestant.objects.get()
    page = client.post(f"/runs/{done.pk}/rejudge/", {"judge": judge.pk, "budget": "1"})
    assert "about $" in page.content.decode()
    form = {"judge": judge.pk, "budget": "1", "intent": "start"}
    page = client.post(f"/runs/{done.pk}/rejudge/", form, follow=True).content.decode()
    assert "Judged again" in page and "the answer before the reference" not in page
    page = client.post(f"/runs/{done.pk}/rejudge/", form | {"swapped": "on"}, follow=True)
    assert "the answer before the reference" in page.content.decode()
    bad = client.post(f"/runs/{done.pk}/extend/", {"release": done.release_id, "intent": "start"})
    assert bad.status_code == 200 and "Select a valid choice" in bad.content.decode()


# Commands.


def told(capsys: Any, *arguments: str) -> Any:
    call_command(*arguments, "--json")
    return json.loads(capsys.readouterr().out)


def test_commands_steer_a_run(run: Run, admin_user: Any, capsys: Any) -> None:
    number = str(run.pk)
    assert told(capsys, "control_run", number, "pause")["state"] == "paused"
    assert told(capsys, "control_run", number, "pause")["changed"] is False
    assert told(capsys, "show_run", number)["counts"]["total"] == 4
    assert told(capsys, "control_run", number, "cancel")["state"] == "cancelled"
    with pytest.raises(CommandError, match="cancelled"):
        call_command("control_run", number, "resume")
    with pytest.raises(CommandError, match="no run 999"):
        call_command("show_run", "999")
    call_command("show_run", number)
    assert "cancelled" in capsys.readouterr().out


def test_command_extends_a_run(done: Run, admin_user: Any, capsys: Any) -> None:
    factories.release(done.benchmark, tag="r2")
    number = str(done.pk)
    dry = told(capsys, "extend_run", number, "--release", "r2", "--dry-run")
    assert (dry["taken"], dry["estimate"]["calls"]) == (4, 0)
    assert told(capsys, "extend_run", number, "--release", "r2")["taken"] == 4
    with pytest.raises(CommandError, match="no release"):
        call_command("extend_run", number, "--release", "r7")
    with pytest.raises(CommandError, match="already"):
        call_command("extend_run", number, "--release", "r1")
