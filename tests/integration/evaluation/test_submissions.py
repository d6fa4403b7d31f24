"""Submissions from upload to leaderboard, and all that hostile uploads try."""

import io
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as conf
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client, TestCase
from django.utils import timezone

from annotation.exporter import export_benchmark
from annotation.models import Benchmark, Revision
from evaluation.actions.submissions import folder_of
from evaluation.leaderboard import compute_entry
from evaluation.models import Contestant, LeaderboardEntry, Run, Submission, WorkItem
from evaluation.submissions import check_submission, check_waiting
from tests import evaluation_factories as make
from tests import factories

pytestmark = pytest.mark.django_db
URL = "/b/bench/submit/"


@pytest.fixture
def bench() -> Benchmark:
    made = factories.small_benchmark(slug="bench", videos=4)
    factories.release(made)
    return made


@pytest.fixture
def sender(outsider: Any, client_for: Any) -> Client:
    return client_for(outsider)


def answers(bench: Benchmark, **more: Any) -> bytes:
    """Every kept item answered: MCQs by the letter of the key, as it is shown."""
    lines = []
    for item in bench.items.select_related("current"):
        version = item.current
        text = "Because of the gas."
        if version.key_index is not None:
            text = "ABCD"[version.shown_order.index(version.key_index)]
        lines.append({"item": item.key, "prediction": text} | more)
    return "\n".join(json.dumps(line) for line in lines).encode()


def send(client: Client, *contents: bytes, name: str = "p.jsonl", model: str = "Seer") -> Any:
    files = [
        SimpleUploadedFile(name if len(contents) == 1 else f"{n}{name}", content)
        for n, content in enumerate(contents)
    ]
    data = {"release": "r1", "model_name": model, "condition": "video", "uploads": files}
    return client.post(URL, data)


def checked(client: Client, *contents: bytes, **more: Any) -> Submission:
    """Send, let a worker read, and return what became of it."""
    assert send(client, *contents, **more).status_code == 302
    made = Submission.objects.first()
    assert made is not None
    with TestCase.captureOnCommitCallbacks(execute=True):
        check_submission(made.pk)
    return Submission.objects.select_related("run").get(pk=made.pk)


def test_scored_is_said_once_there_are_figures(
    bench: Benchmark, sender: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evaluation.submissions.compute_entry", lambda run: None)
    made = checked(sender, answers(bench))
    assert made.shown_state[0] == "scoring"
    assert "Computing its figures" in sender.get("/submissions/").content.decode()
    assert "Computing its figures" in sender.get(f"/submissions/{made.pk}/").content.decode()
    compute_entry(made.run)
    assert made.shown_state[0] == "scored"
    assert "Scored" in sender.get("/submissions/").content.decode()


def test_from_upload_to_the_leaderboard(
    bench: Benchmark, sender: Client, client: Client, client_for: Any, maintainer: Any
) -> None:
    made = checked(sender, answers(bench))
    assert made.shown_state == ("scored", "Scored")
    assert made.report["answered"] == {"mcq": 4, "free": 4} and made.report["refused_count"] == 0
    entry = LeaderboardEntry.objects.get(run=made.run)
    assert entry.figures["mcq"]["points"] == 4 and entry.figures["free"]["scored"] == 0
    assert entry.published_at is None
    assert "Seer" not in client.get("/b/bench/leaderboard/").content.decode()
    assert not folder_of(made).exists()
    page = sender.get(f"/submissions/{made.pk}/").content.decode()
    assert "No judge is configured" in page and "Withdraw" in page and "Approve" not in page

    client_for(maintainer).post(f"/submissions/{made.pk}/approve/", {"reason": "fine"})

    made.refresh_from_db()
    assert made.state == "approved"
    board = client.get("/b/bench/leaderboard/").content.decode()
    assert "Seer" in board and "self-reported" in board
    sender.post(f"/submissions/{made.pk}/withdraw/")
    assert "Seer" not in client.get("/b/bench/leaderboard/").content.decode()
    verbs = set(Revision.objects.filter(target_kind="submission").values_list("verb", flat=True))
    assert verbs == {
        "receive_submission", "check_submission", "approve_submission", "withdraw_submission",
    }  # fmt: skip


def test_what_a_file_claims_beside_its_replies_counts_for_nothing(
    bench: Benchmark, sender: Client
) -> None:
    wrong = [{"item": item.key, "prediction": "Z"} for item in bench.items.filter(kind="mcq")]
    claims = {"answer": "Z", "keep": False, "score": 9, "eval_score": 9, "key_index": 25}
    data = "\n".join(json.dumps(row | claims) for row in wrong).encode()
    made = checked(sender, data)
    entry = LeaderboardEntry.objects.get(run=made.run)
    assert (entry.figures["mcq"]["points"], entry.figures["mcq"]["n"]) == (0, 4)
    assert made.report["doubts_count"] == 4
    assert not made.run.predictions.exclude(extra={}).exists()


def test_the_original_layout_is_taken_without_its_claims(
    bench: Benchmark, sender: Client, tmp_path: Path
) -> None:
    export_benchmark(bench, tmp_path)
    contents, names = [], []
    for path in sorted((tmp_path / "benchmark_questions" / "mcq").glob("*.json")):
        rows = json.loads(path.read_text())
        for row in rows:
            row |= {"model_prediction": row["answer"], "answer": "Q", "eval_score": 450}
        contents.append(json.dumps(rows).encode())
        names.append(f"pred_{path.name}")
    files = [SimpleUploadedFile(*pair) for pair in zip(names, contents, strict=True)]
    data = {"release": "r1", "model_name": "Seer", "condition": "video", "uploads": files}
    assert sender.post(URL, data).status_code == 302
    check_waiting()
    made = Submission.objects.get()
    assert made.report["answered"] == {"mcq": 4, "free": 0}
    assert LeaderboardEntry.objects.get(run=made.run).figures["mcq"]["points"] == 4


def test_rows_are_refused_one_by_one_and_good_ones_come_in(
    bench: Benchmark, sender: Client
) -> None:
    good = answers(bench).splitlines()
    bad = [b'{"item": "no/such/0", "prediction": "A"}', b"[[[[", b'{"prediction": 1e999}', good[0]]
    made = checked(sender, b"\n".join([*good, *bad]))
    found = made.report["refused"]
    assert {row["position"] for row in found} == {f"line {n}" for n in (9, 10, 11, 12)}
    assert all(row["file"] == "p.jsonl" and row["reason"] for row in found)
    assert made.run.predictions.count() == 8


HOSTILE = {
    "deep": b"[" * 200_000,
    "infinite": b'{"item": "a", "prediction": "A", "s": 1e999}',
    "NUL": b'{"item": "a", "prediction": "\\u0000"}',
    "surrogate": b'{"item": "\\udc00", "prediction": "A"}',
    "binary": bytes(range(256)) * 20,
    "zip": b"PK\x03\x04" + b"\x00" * 100,
    "formula": b'{"item": "=HYPERLINK(1)", "prediction": "=1+1"}',
    "markup": b'{"item": "<script>alert(1)</script>", "prediction": "A"}',
}


@pytest.mark.parametrize("name", ["p.jsonl", "pred_Video_1.json", "other.json"])
@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_hostile_files_leave_a_report_and_nothing_else(
    bench: Benchmark, sender: Client, data: bytes, name: str
) -> None:
    made = checked(sender, data, name=name)
    assert made.state == "invalid" and made.report["refused_count"] >= 1
    assert not Run.objects.filter(origin="submission").exists()
    assert not Contestant.objects.filter(name="Seer").exists()
    page = sender.get(f"/submissions/{made.pk}/")
    assert page.status_code == 200 and b"<script>alert" not in page.content


def test_too_large_a_body_is_refused_before_it_is_read(
    bench: Benchmark, sender: Client, settings: Any
) -> None:
    settings.SUBMISSION_MEGABYTES = 1
    kept = Path(conf.VAR) / "submissions"
    before = set(kept.glob("*"))
    assert send(sender, b"x" * 3_000_000).status_code == 413
    assert "larger than 1 MB" in send(sender, b"x" * 1_500_000).content.decode()
    assert not Submission.objects.exists() and set(kept.glob("*")) == before


@pytest.mark.parametrize("name", ["p.zip", "p.jsonl.gz", "p", "p.exe"])
def test_other_files_are_refused(bench: Benchmark, sender: Client, name: str) -> None:
    assert send(sender, answers(bench), name=name).status_code == 400
    assert not Submission.objects.exists()


def test_the_quota_of_a_day(bench: Benchmark, sender: Client, settings: Any) -> None:
    settings.SUBMISSIONS_A_DAY = 2
    for number in range(2):
        checked(sender, answers(bench, n=number) + b"\n" + str(number).encode(), model=f"M{number}")
    assert "used up" in send(sender, b"{}", model="M3").content.decode()
    Submission.objects.update(created_at=timezone.now() - timedelta(hours=25))
    assert send(sender, b"{}", model="M3").status_code == 302


def test_our_failure_is_refunded(
    bench: Benchmark, sender: Client, settings: Any, outsider: Any
) -> None:
    settings.SUBMISSIONS_A_DAY = 1
    send(sender, answers(bench))
    made = Submission.objects.get()
    (folder_of(made) / "0").unlink()
    check_submission(made.pk)
    made.refresh_from_db()
    assert made.state == "failed" and made.refunded
    assert send(sender, answers(bench)).status_code == 302


def test_a_lost_reader_is_made_good_and_given_up_in_the_end(
    bench: Benchmark, sender: Client
) -> None:
    send(sender, answers(bench))
    made = Submission.objects.get()
    Submission.objects.update(claimed_until=timezone.now() + timedelta(minutes=1))
    check_waiting()
    made.refresh_from_db()
    assert made.state == "received"
    Submission.objects.update(claimed_until=timezone.now() - timedelta(minutes=1), attempts=3)
    check_waiting()
    made.refresh_from_db()
    assert made.state == "failed"


def test_a_duplicate_is_refused_by_its_bytes_and_by_its_answers(
    bench: Benchmark, sender: Client, client_for: Any
) -> None:
    checked(sender, answers(bench))
    other = client_for(factories.account(role=""))
    assert "same files" in send(other, answers(bench), model="Other").content.decode()
    turned = b"\n".join(reversed(answers(bench, more=1).splitlines()))
    again = checked(other, turned, model="Other")
    assert again.state == "invalid" and "same predictions" in again.reason
    assert not Contestant.objects.filter(name="Other").exists()


def test_nobody_takes_the_name_of_another_model(
    bench: Benchmark, sender: Client, client_for: Any
) -> None:
    make.contestant("Gemini")
    assert "take another name" in send(sender, b"{}", model="gemini").content.decode()
    checked(sender, answers(bench), model="Mine")
    other = client_for(factories.account(role=""))
    assert "take another name" in send(other, b"{}", model="MINE").content.decode()
    assert send(sender, b"{}", model="Mine").status_code == 302


def test_each_sees_the_own_submissions_alone(
    bench: Benchmark, sender: Client, client: Client, client_for: Any, maintainer: Any
) -> None:
    made = checked(sender, answers(bench))
    other = client_for(factories.account(role="reviewer"))
    assert other.get(f"/submissions/{made.pk}/").status_code == 404
    assert other.post(f"/submissions/{made.pk}/withdraw/").status_code == 404
    assert "Seer" not in other.get("/submissions/").content.decode()
    assert "Seer" in client_for(maintainer).get("/submissions/").content.decode()
    assert sender.post(f"/submissions/{made.pk}/approve/").status_code == 403
    assert client.get(f"/submissions/{made.pk}/").status_code == 302
    made.refresh_from_db()
    assert made.state == "checked"


def test_a_rejection_says_why(
    bench: Benchmark, sender: Client, client_for: Any, maintainer: Any
) -> None:
    made = checked(sender, answers(bench))
    judge = client_for(maintainer)
    judge.post(f"/submissions/{made.pk}/reject/")
    made.refresh_from_db()
    assert made.state == "checked"
    judge.post(f"/submissions/{made.pk}/reject/", {"reason": "No such model is known."})
    assert "No such model is known." in sender.get(f"/submissions/{made.pk}/").content.decode()


def test_free_responses_go_to_the_judge_within_a_budget(
    bench: Benchmark, sender: Client, settings: Any
) -> None:
    judge = make.contestant("The judge", can_judge=True)
    settings.SUBMISSION_JUDGE, settings.SUBMISSION_BUDGET = judge.name, 2
    made = checked(sender, answers(bench))
    assert made.shown_state[0] == "judging"
    assert (made.run.state, made.run.judge, made.run.budget) == ("queued", judge, 2)
    assert set(WorkItem.objects.filter(run=made.run).values_list("stage", flat=True)) == {"judge"}
    assert WorkItem.objects.filter(run=made.run).count() == 4
    assert "0 of 4 free responses" in sender.get(f"/submissions/{made.pk}/").content.decode()


def test_the_template_has_no_key_and_can_be_sent_back(bench: Benchmark, sender: Client) -> None:
    items = bench.items.filter(kind="free")
    for item in items:
        type(item.current).objects.filter(pk=item.current_id).update(
            reference_answer="CANARY", ground_truth="CANARY"
        )
    body = b"".join(sender.get(f"{URL}template.jsonl"))
    assert b"CANARY" not in body and b"key" not in body
    rows = [json.loads(line) for line in body.splitlines()]
    assert len(rows) == 8
    assert set(rows[0]) == {
        "item", "prediction", "kind", "question", "options", "video", "start", "end",
    }  # fmt: skip
    filled = "\n".join(json.dumps(row | {"prediction": "A"}) for row in rows).encode()
    assert checked(sender, filled).report["refused_count"] == 0


def test_the_command_checks_lines_too(bench: Benchmark, tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_bytes(answers(bench) + b"\nnonsense")
    out = io.StringIO()
    with pytest.raises(CommandError):
        call_command("check_predictions", path, benchmark="bench", json=True, stdout=out)
    found = json.loads(out.getvalue())
    assert found["answered"] == {"mcq": 4, "free": 4} and found["refused_count"] == 1
    assert not Run.objects.filter(origin="submission").exists()


@pytest.mark.parametrize("tag", ["a\x00b", "9" * 5_000, "\u0663", "'"])
def test_a_release_that_is_none_is_told(sender: Client, bench: Benchmark, tag: str) -> None:
    data = {"release": tag, "model_name": "Seer", "condition": "video"}
    answer = sender.post(URL, data | {"uploads": SimpleUploadedFile("p.jsonl", answers(bench))})
    assert answer.status_code == 400
    assert not Submission.objects.exists()
