"""manage.py prepare with a clone of the published benchmark: all of it comes in, once."""

import io

import pytest
from django.core.management import call_command

from annotation.models import Benchmark, Revision, User
from evaluation.models import LeaderboardEntry, Run
from tests import layout


@pytest.fixture
def own_folder(settings, tmp_path):
    settings.VAR = tmp_path
    return tmp_path


def prepare(clone):
    out = io.StringIO()
    call_command("prepare", benchmark=str(clone), no_demo=True, stdout=out)
    return out.getvalue()


@pytest.mark.slow
def test_the_published_benchmark_and_its_results_come_in_once(rex, db, own_folder):
    prepare(rex)
    runs = Run.objects.filter(benchmark__slug="rexsonovqa", origin="import")
    before = list(runs.order_by("pk").values_list("contestant__name", flat=True))

    prepare(rex)

    assert before == ["Gemini 3 Pro", "Qwen3.5-397B"]
    assert list(runs.order_by("pk").values_list("contestant__name", flat=True)) == before
    published = LeaderboardEntry.objects.filter(run__in=runs, published_at__isnull=False)
    newest = {entry.run.contestant.name: entry.figures for entry in published.order_by("version")}
    assert {name: figures["mcq"]["points"] for name, figures in newest.items()} == {
        "Gemini 3 Pro": 165,
        "Qwen3.5-397B": 138,
    }
    assert {name: figures["free"]["points"] for name, figures in newest.items()} == {
        "Gemini 3 Pro": 240,
        "Qwen3.5-397B": 196,
    }


def test_the_first_accounts_leave_their_trail_and_work(db, own_folder, client):
    out = io.StringIO()
    call_command("prepare", no_demo=True, stdout=out)

    logins = dict(row.split() for row in (own_folder / "logins.txt").read_text().splitlines())
    assert User.objects.get(username="clinician").check_password(logins["clinician"])
    assert "logins.txt" in out.getvalue()
    assert logins["admin"] not in out.getvalue()  # `up` prints them
    assert Revision.objects.filter(verb="make_account", actor="system").count() == 4
    signed = client.post(
        "/accounts/login/", {"login": "admin", "password": logins["admin"], "next": "/admin/"}
    )
    assert (signed.status_code, signed["Location"]) == (302, "/admin/")
    assert client.get("/admin/").status_code == 200


def test_a_refused_row_stops_nothing_and_a_known_clone_gives_the_name(db, own_folder, tmp_path):
    clone = layout.benchmark(tmp_path / "ReXSonoVQA", videos=1)
    questions = clone / "benchmark_questions/mcq/V_0_Kidney.json"
    layout.change(questions, 1, time_start="soon")
    err = io.StringIO()
    call_command("prepare", benchmark=str(clone), no_demo=True, stdout=io.StringIO(), stderr=err)

    assert "1 row or file was refused" in err.getvalue()
    assert "Going on with what came in" in err.getvalue()
    bench = Benchmark.objects.get(slug="rexsonovqa")
    assert (bench.name, bench.items.count()) == ("ReXSonoVQA", 4)
    assert bench.releases.get().kept_mcq == 2
