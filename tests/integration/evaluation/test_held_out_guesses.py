"""A sender who guesses at held-out items by files is told nothing that a wrong guess is not."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotation.exporter import export_benchmark
from annotation.models import Item
from evaluation.models import LeaderboardEntry, Submission
from evaluation.submissions import check_waiting
from tests import factories

pytestmark = pytest.mark.django_db
FIELDS = {"release": "r1", "model_name": "Seer", "condition": "video"}


@pytest.fixture
def guessed(tmp_path: Path) -> tuple[Item, Item, Path]:
    """Two held-out MCQs and their files: one beside public items, one of a video of its own."""
    bench = factories.small_benchmark(slug="bench", videos=2)
    beside = bench.items.filter(kind="mcq").first()
    alone = factories.kept(
        factories.mcq_item(factories.video(bench, name="Rare_Scan"), stem="What is hidden?")
    )
    assert beside is not None
    export_benchmark(bench, tmp_path)
    bench.items.filter(pk__in=(beside.pk, alone.pk)).update(held_out=True)
    factories.release(bench)
    beside.refresh_from_db()
    return beside, alone, tmp_path / "benchmark_questions" / "mcq"


def report_on(client: Client, files: dict[str, str]) -> dict[str, Any]:
    Submission.objects.all().delete()  # the quota, and what was sent before
    sent = [SimpleUploadedFile(name, text.encode()) for name, text in files.items()]
    answer = client.post("/b/bench/submit/", FIELDS | {"uploads": sent})
    assert answer.status_code == 302
    check_waiting()
    made = Submission.objects.get()
    made.report["state"] = made.state
    return dict(made.report)


def test_lines_that_guess_a_key(outsider: Any, client_for: Any, guessed: Any) -> None:
    client = client_for(outsider)
    for item in guessed[:2]:
        right = report_on(client, {"p.jsonl": line(item.key) * 2})
        wrong = report_on(client, {"p.jsonl": line("mcq/No_Such/0") * 2})
        assert right == wrong
        assert right["state"] == "invalid"


def line(key: str) -> str:
    return json.dumps({"item": key, "prediction": "A"}) + "\n"


def test_files_that_guess_a_question_or_a_video(
    outsider: Any, client_for: Any, guessed: Any
) -> None:
    client, folder = client_for(outsider), guessed[2]
    for item in guessed[:2]:
        name = f"{item.video.name}.json"
        rows = json.loads((folder / name).read_text())
        rows = [row | {"model_prediction": "A"} for row in rows]
        right = report_on(client, {f"pred_{name}": json.dumps(rows)})
        for row in rows:
            row["question"] = row["question"].replace("What", "Whatever", 1)
        wrong_name = name.replace("Rare_Scan", "Dear_Scan")
        wrong = report_on(client, {f"pred_{wrong_name}": json.dumps(rows)})
        assert json.dumps(right) == json.dumps(wrong).replace("Dear_Scan", "Rare_Scan")
        assert "closest is Rare_Scan" not in json.dumps(wrong)


def test_a_file_answers_the_public_part_and_is_scored_on_it(
    outsider: Any, client_for: Any, guessed: Any
) -> None:
    keys = Item.objects.values_list("key", flat=True)
    made = report_on(client_for(outsider), {"p.jsonl": "".join(map(line, keys))})
    assert made["answered"] == {"mcq": 1, "free": 2}
    entry = LeaderboardEntry.objects.get()
    assert entry.figures["held_out"]["mcq"]["share"] is None
    assert entry.run.predictions.count() == 3
