"""The one-file client in docs: its example as pasted, and what it does when it is refused."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from annotation.actions.tokens import make_token
from annotation.scopes import Scope
from evaluation.actions.entries import publish_entry
from evaluation.baselines import settle_references
from evaluation.leaderboard import compute_entry
from evaluation.models import Submission
from evaluation.submissions import check_waiting
from tests import evaluation_factories as make
from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)
DOCS = Path(__file__).resolve().parents[3] / "docs"
sys.path.insert(0, str(DOCS / "client"))

import sonovqa_client  # noqa: E402


@pytest.fixture
def bench() -> Any:
    made = factories.small_benchmark(slug="bench", videos=3)
    run = make.scored_run(factories.release(made), [1] * 6, name="Seer")
    publish_entry(entry=compute_entry(run), by="import")
    settle_references(run.release)
    return made


def token_of(user: Any, *scopes: Scope) -> str:
    return make_token(name="t", scopes=scopes, days=7, by=user)[1]


def example() -> str:
    """The block of docs/api.md that imports the client."""
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / "api.md").read_text("utf-8"), re.DOTALL)
    (found,) = [block for block in blocks if "sonovqa_client" in block]
    return found


def test_the_example_works_as_pasted(bench: Any, live_server: Any, tmp_path: Path) -> None:
    token = token_of(factories.account("sender", role=""), Scope.READ, Scope.SUBMIT)
    code = example().replace("http://127.0.0.1:8000", live_server.url).replace("snq_...", token)
    (tmp_path / "mine.py").write_text(code, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(DOCS / "client")}
    with subprocess.Popen(
        [sys.executable, "mine.py"], cwd=tmp_path, env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as program:  # fmt: skip
        while program.poll() is None:
            check_waiting()  # what the worker does
            time.sleep(0.2)
        out, err = program.communicate()
    assert program.returncode == 0, err
    assert out.startswith("scored {'n': 3,") and "[1, 1] Seer 1.0" in out
    assert Submission.objects.get().model_name == "My first model"


def test_it_waits_for_a_server_that_is_asked(monkeypatch: Any) -> None:
    told = iter(["received", "asking", "judging", "scoring", "scored"])
    monkeypatch.setattr(sonovqa_client.Client, "submission", lambda *_: {"state": next(told)})
    assert sonovqa_client.Client("http://x").wait(1, every=0)["state"] == "scored"


def test_it_follows_pages_and_tells_refusals(
    bench: Any, live_server: Any, maintainer: Any, monkeypatch: Any, tmp_path: Path
) -> None:
    monkeypatch.setattr("sonovqa.cursors.InOrder.page_size", 2)
    site = sonovqa_client.Client(live_server.url)
    assert len({item["item"] for item in site.items("bench", "r1")}) == 6
    with pytest.raises(sonovqa_client.Refused, match="404") as nothing:
        next(site.items("bench", "../r1"))
    assert nothing.value.kind == "not-found"
    with pytest.raises(sonovqa_client.Refused, match="401"):
        next(site.runs())
    lines = tmp_path / "p.jsonl"
    lines.write_text("x")
    reads = sonovqa_client.Client(live_server.url, token_of(maintainer, Scope.READ))
    run = next(one for one in reads.runs() if one["model"] == "Seer")
    assert reads.run(run["id"])["model"] == "Seer" and len([*reads.predictions(run["id"])]) == 6
    with pytest.raises(sonovqa_client.Refused, match="scope “submit”") as no:
        reads.submit("bench", "r1", lines, model="m", condition="video")
    assert no.value.status == 403


def test_a_limit_is_waited_out(bench: Any, live_server: Any, monkeypatch: Any) -> None:
    waits: list[float] = []
    rates = "evaluation.api_base.StrangerThrottle.rate"
    monkeypatch.setattr(rates, "1/min")

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        monkeypatch.setattr(rates, "1000/min")

    monkeypatch.setattr(sonovqa_client.time, "sleep", sleep)
    site = sonovqa_client.Client(live_server.url)
    assert [one["slug"] for one in site.benchmarks()] == ["bench"]
    assert [one["tag"] for one in site.releases("bench")] == ["r1"]
    assert len(waits) == 1 and 0 < waits[0] <= 60


def test_it_goes_nowhere_but_to_the_site(live_server: Any) -> None:
    with pytest.raises(ValueError, match="https"):
        sonovqa_client.Client("file:///etc/passwd")
    site = sonovqa_client.Client(live_server.url, "snq_secret")
    with pytest.raises(sonovqa_client.Refused, match="301"):
        site._call("GET", "benchmarks")
