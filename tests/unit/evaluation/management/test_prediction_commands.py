import json

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from evaluation.models import Run
from tests import layout

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path):
    call_command("import_benchmark", str(layout.benchmark(tmp_path / "clone")), slug="b")
    rows = [layout.judged(layout.free(0), 2), layout.judged(layout.free(1), 1)]
    layout.write(tmp_path / "free/score_pred_V_0_Kidney.json", rows)
    return tmp_path / "free"


def test_import_for_people_and_machines(folder, capsys):
    capsys.readouterr()
    arguments = ["import_predictions", str(folder), "--benchmark", "b", "--model", "M"]
    call_command(*arguments)
    assert "free: 2 read, 2 new" in capsys.readouterr().out
    call_command(*arguments, "--json")
    found = json.loads(capsys.readouterr().out)
    assert found["counts"]["free"]["unchanged"] == 2
    assert (found["model"], found["condition"], found["release"]) == ("M", "video", "r1")
    assert found["entry"]["published"] is True
    assert found["run"] == Run.objects.get(origin="import").pk


def test_check_ends_with_status_1_where_a_row_would_be_refused(folder, capsys):
    call_command("check_predictions", str(folder), benchmark="b")
    layout.change(folder / "score_pred_V_0_Kidney.json", 0, eval_score=9)
    capsys.readouterr()
    with pytest.raises(CommandError, match="1 row or file was refused"):
        call_command("check_predictions", str(folder), benchmark="b", json=True)
    found = json.loads(capsys.readouterr().out)
    assert found["refused"][0]["field"] == "eval_score"
    assert not Run.objects.filter(origin="import").exists()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--benchmark", "nix", "--model", "M"], "No benchmark is called 'nix'"),
        (["--benchmark", "b", "--model", "M", "--release", "r9"], "no release 'r9'"),
        (["--benchmark", "b", "--model", " "], "printable characters"),
        (["--benchmark", "b", "--model", "M", "--condition", "smell"], "invalid choice"),
    ],
)
def test_what_cannot_be_is_one_sentence(folder, arguments, reason):
    with pytest.raises(CommandError, match=reason):
        call_command("import_predictions", str(folder), *arguments)
    assert not Run.objects.filter(origin="import").exists()


def test_private_and_dry_runs(folder, capsys):
    arguments = ["import_predictions", str(folder), "--benchmark", "b", "--model", "M"]
    call_command(*arguments, "--dry-run")
    assert not Run.objects.filter(origin="import").exists()
    call_command(*arguments, "--no-publish", "--judge", "J")
    run = Run.objects.get(origin="import")
    assert run.judge_label == "J"
    assert not run.entries.filter(published_at__isnull=False).exists()
