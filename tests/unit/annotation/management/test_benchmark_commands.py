import json

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from annotation.models import Benchmark, Release
from tests import layout

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path):
    return layout.benchmark(tmp_path / "in")


def test_import_says_what_it_did(folder, capsys):
    call_command("import_benchmark", str(folder), slug="b")
    out = capsys.readouterr().out
    assert "mcq: 6 read, 6 new" in out
    assert "Release r1 frozen: 6 MCQs and 4 free-response items kept" in out


def test_import_for_machines(folder, capsys):
    call_command("import_benchmark", str(folder), slug="b", json=True)
    found = json.loads(capsys.readouterr().out)
    assert found["ok"] is True
    assert found["counts"]["mcq"]["new"] == 6
    assert found["sources"] == 2
    assert found["release"]["tag"] == "r1"


def test_a_dry_run_is_said_and_writes_nothing(folder, capsys):
    call_command("import_benchmark", str(folder), "--slug", "b", "--dry-run")
    assert "dry run: nothing written" in capsys.readouterr().out
    assert not Benchmark.objects.exists()


def test_a_refused_row_ends_with_status_1_and_the_rest_stands(folder, capsys):
    layout.change(folder / "benchmark_questions/mcq/V_0_Kidney.json", 0, answer="Z")
    with pytest.raises(CommandError, match="1 row or file was refused; the rest stands"):
        call_command("import_benchmark", str(folder), slug="b", json=True)
    found = json.loads(capsys.readouterr().out)
    assert found["ok"] is False
    assert found["refused"] == [
        {
            "file": "benchmark_questions/mcq/V_0_Kidney.json",
            "position": "row 0",
            "field": "answer",
            "reason": "is 'Z', not one of the letters A to D",
        }
    ]
    assert Benchmark.objects.get().items.count() == 9


def test_a_missing_folder_is_one_sentence(tmp_path, capsys):
    with pytest.raises(CommandError, match="does not exist; give the folder of a benchmark"):
        call_command("import_benchmark", str(tmp_path / "nowhere"), slug="b", json=True)
    assert json.loads(capsys.readouterr().out)["ok"] is False


def test_export_and_release(folder, tmp_path, capsys):
    call_command("import_benchmark", str(folder), slug="b")
    call_command("make_release", "b", "r2", "--notes", "Second.")
    call_command("export_benchmark", "b", str(tmp_path / "out"), "--release", "r2")
    out = capsys.readouterr().out
    assert "b r2: 6 MCQs and 4 free-response items kept, hash" in out
    assert "files: 7 written" in out
    assert Release.objects.get(tag="r2").notes == "Second."


def test_release_for_machines(folder, capsys):
    call_command("import_benchmark", str(folder), slug="b")
    capsys.readouterr()
    call_command("make_release", "b", "r2", json=True)
    found = json.loads(capsys.readouterr().out)
    assert (found["tag"], found["kept"]) == ("r2", {"mcq": 6, "free": 4})
    assert found["hash"] == Release.objects.get(tag="r2").hash


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["make_release", "nix", "r2"], "No benchmark is called 'nix'; there are: b"),
        (["make_release", "b", "r1"], "has a release r1 already"),
        (["make_release", "b", "r 2"], "no release tag"),
        (["export_benchmark", "nix", "out"], "No benchmark is called 'nix'"),
        (["export_benchmark", "b", "out", "--release", "r9"], "no release 'r9'; there are: r1"),
        (["import_benchmark", ".", "--slug", "a b"], "no slug"),
    ],
)
def test_what_cannot_be_is_one_sentence(folder, arguments, reason, tmp_path, monkeypatch):
    call_command("import_benchmark", str(folder), slug="b")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CommandError, match=reason):
        call_command(*arguments)
    assert not (tmp_path / "out").exists()
