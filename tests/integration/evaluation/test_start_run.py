"""manage.py start_run."""

import io
import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from annotation.models import Revision
from evaluation.management.commands import start_run as command
from evaluation.models import Contestant, Provider, Run
from tests import factories
from tests.standins.model_server import ModelServer
from tests.standins.workers import workers

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def ready(server, admin_user) -> None:
    bench = factories.small_benchmark(videos=3, slug="sweep")
    factories.release(bench)
    provider = Provider.objects.create(name="P", dialect="gemini", base_url=server.url)
    provider.key_env = "SONOVQA_TEST_KEY"
    provider.save()
    Contestant.objects.create(
        name="Model M", slug="model-m", provider=provider, model_id="m-1", can_judge=True,
        price_in=Decimal(1), price_out=Decimal(2),
    )  # fmt: skip


@pytest.fixture(autouse=True)
def key(monkeypatch) -> None:
    monkeypatch.setenv("SONOVQA_TEST_KEY", "key-for-the-stand-in")


def start(*arguments: str) -> str:
    out = io.StringIO()
    call_command(
        "start_run", "--benchmark", "sweep", "--release", "r1", "--model", "Model M",
        "--condition", "blind", *arguments, stdout=out, stderr=io.StringIO(),
    )  # fmt: skip
    return out.getvalue()


def test_here_works_the_run_off_and_publishes(ready, server):
    out = json.loads(start("--here", "--publish", "--judge", "model-m", "--json"))
    assert out | {"run": 0, "spent": ""} == {
        "run": 0, "state": "done", "reason": "Every item is answered.", "done": 6, "failed": 0,
        "answers": 6, "spent": "", "published": True,
    }  # fmt: skip
    assert server.counted.calls == 9
    assert server.counted.keys == {"key-for-the-stand-in"}
    assert "/v1beta/" in server.counted.last_path


def test_wait_is_carried_out_by_a_worker(
    ready, server, broker, child_env, tmp_path: Path, monkeypatch
):
    monkeypatch.setattr(command, "SILENCE", 100.0)  # a busy machine starts its worker slowly
    with workers(child_env, tmp_path / "worker.log") as crew:
        crew.start()
        assert "is done" in start("--wait")
    assert server.counted.calls == 6


def test_wait_says_that_no_worker_answers(ready, broker, monkeypatch):
    monkeypatch.setattr(command, "SILENCE", 1.0)
    with pytest.raises(CommandError, match="--here"):
        start("--wait")
    assert Run.objects.get().state == "queued"


def test_dry_run_starts_nothing(ready, server):
    found = json.loads(start("--dry-run", "--json", "--judge", "Model M"))
    assert (found["items"], found["calls"], found["judge_calls"]) == (6, 9, 3)
    assert Decimal(found["cost"]) > 0
    assert not Run.objects.exists()
    assert server.counted.calls == 0
    assert "Nothing was started" in start("--dry-run")


def test_dry_run_refuses_what_the_start_refuses(ready):
    imported = Provider.objects.create(name="Files", dialect="import")
    Contestant.objects.create(name="Told, elsewhere", slug="told", provider=imported)
    for more in ([], ["--dry-run"]):
        with pytest.raises(CommandError, match="only has imported predictions"):
            start("--model", "told", *more)
        with pytest.raises(CommandError, match="“Model M”, “Told, elsewhere”"):
            start("--model", "nobody", *more)
    with pytest.raises(CommandError, match="cannot be run here"):
        start("--condition", "asleep", "--dry-run")


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        (["--benchmark", "other"], "no benchmark"),
        (["--release", "r9"], "no release"),
        (["--model", "GPT"], "there are: “Model M”"),
        (["--condition", "smell"], "cannot be run"),
        (["--judge", "nobody"], "no model"),
        (["--budget", "much"], "no number"),
        (["--budget", "-1"], "budget"),
        (["--repeats", "0"], "Repeats"),
        (["--by", "nobody"], "no account"),
    ],
)
def test_refusal_says_why_and_writes_nothing(ready, changed, says):
    with pytest.raises(CommandError, match=says):
        start(*changed)
    assert not Run.objects.exists()
    assert not Revision.objects.filter(verb="create_run").exists()
