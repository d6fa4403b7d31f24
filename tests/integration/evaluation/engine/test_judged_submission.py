"""A submission with free responses, worked off by a real worker on a real broker: read there,
judged by a stand-in within its budget, its states told on its page."""

import json
import time
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from evaluation.actions.submissions import folder_of
from evaluation.engine.sweep import sweep
from evaluation.models import Contestant, Judgement, LeaderboardEntry, Submission
from tests import factories
from tests.integration.evaluation.engine.conftest import distinct_benchmark
from tests.standins.model_script import Script
from tests.standins.model_server import ModelServer
from tests.standins.workers import Workers, workers

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
ITEMS = 12


@pytest.fixture
def crew(
    broker: str, child_env: dict[str, str], tmp_path: Path, contestant: Contestant
) -> Iterator[Workers]:
    judged = {"SONOVQA_SUBMISSION_JUDGE": contestant.name, "SONOVQA_SUBMISSION_BUDGET": "1"}
    with workers(child_env | judged, tmp_path / "worker.log") as found:
        yield found


def until(condition: Callable[[], bool], *, seconds: float = 180.0) -> None:
    """Sweep, as the clock would, until the condition holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        sweep()
        time.sleep(0.3)


def test_a_worker_reads_judges_and_scores(
    crew: Workers, server: ModelServer, contestant: Contestant, client_for: Any
) -> None:
    server.script(Script(latency=0.4))
    bench = distinct_benchmark(ITEMS // 2)
    release = factories.release(bench)
    client: Client = client_for(factories.account(role=""))
    lines = [
        json.dumps({"item": item.key, "prediction": "A" if item.kind == "mcq" else "Gas."})
        for item in bench.items.all()
    ]
    upload = SimpleUploadedFile("p.jsonl", "\n".join(lines).encode())
    fields = {"release": release.tag, "model_name": "Seer", "condition": "video"}
    sent = client.post(f"/b/{bench.slug}/submit/", fields | {"uploads": upload})
    assert sent.status_code == 302
    made = Submission.objects.get()
    page = f"/submissions/{made.pk}/"
    assert "number 1 in the queue" in client.get(page).content.decode()
    assert folder_of(made).exists() and server.counted.calls == 0

    crew.start()

    seen = set()

    def is_scored() -> bool:
        made.refresh_from_db()
        seen.add(made.shown_state[0])
        return made.shown_state[0] == "scored" and made.run.entries.exists()

    until(is_scored)
    assert "judging" in seen
    assert not folder_of(made).exists()
    run = made.run
    assert run.judge == contestant and run.budget == Decimal(1)
    assert Judgement.objects.filter(prediction__run=run, score__isnull=False).count() == ITEMS // 2
    assert sum(server.counted.billed.values()) == ITEMS // 2
    assert 0 < run.spent < 1 and run.reserved == 0
    entry = LeaderboardEntry.objects.get(run=run)
    assert entry.figures["scored"] == ITEMS and entry.published_at is None
    shown = client.get(page).content.decode()
    assert "Scored" in shown and "points over 6 scored" in shown
