"""A release's datasheet, its Markdown, its Croissant metadata read by the reference library."""

import hashlib
import json
import uuid
from pathlib import Path
from typing import Any

import mlcroissant
import pytest
from django.test import Client

from annotation.actions.review_rules import set_rules
from annotation.actions.reviews import cast_vote
from annotation.models import ShortcutAudit
from evaluation.actions.entries import publish_entry
from evaluation.leaderboard import compute_entry
from tests import evaluation_factories as make
from tests import factories

# Which database it is makes no difference to what is proved here.
pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]
PAGE = "/b/phantom/datasheet/r1/"


def vote(item: Any, reader: Any) -> None:
    cast_vote(
        review_id=uuid.uuid4(),
        item_id=item.pk,
        version_number=item.current.number,
        verdict="keep",
        reasons=[],
        comment="",
        active_seconds=3,
        by=reader,
    )


@pytest.fixture
def release(reviewer: Any) -> Any:
    bench = factories.small_benchmark(videos=6, slug="phantom", name="Phantom")
    vote(bench.items.first(), reviewer)
    return factories.release(bench)


def test_it_tells_composition_review_and_limits(client: Client, release: Any) -> None:
    html = client.get(PAGE).content.decode()
    for text in (
        "6 MCQs and 6 free responses kept, 0 dropped, on 6 videos of 6 sources",
        "1 reader gave 1 vote on 1 of 12 kept items",
        "11 of 12 kept items had no vote of a reader here",
        "has not been audited",
        "No licence of the items has been stated.",
        "No model has been published on it yet.",
        release.hash,
    ):
        assert text in html


def test_votes_after_the_release_do_not_count(
    client: Client, release: Any, reviewer: Any, reviewer_2: Any
) -> None:
    vote(release.benchmark.items.first(), reviewer_2)
    assert "1 reader gave 1 vote" in client.get(PAGE).content.decode()


def test_audit_models_judge_and_licence_are_told(
    client: Client, release: Any, admin_user: Any
) -> None:
    set_rules(benchmark=release.benchmark, changes={"licence": "CC-BY-4.0"}, by=admin_user)
    run = make.scored_run(release, [1, 2] * 6, name="Seer", judge_label="Judge One")
    publish_entry(entry=compute_entry(run), by="import")
    report = {
        "learned": {"accuracy": 0.8, "n": 6, "p": 0.01, "ci": [0.6, 0.95]},
        "chance": 0.25, "flags": {"short_clip": 3}, "sentences": [],
    }  # fmt: skip
    ShortcutAudit.objects.create(
        benchmark=release.benchmark, release=release, state="done", report=report,
        finished_at=release.created_at,
    )  # fmt: skip
    html = client.get(PAGE).content.decode()
    for text in ("CC-BY-4.0", "1 model published on it: Seer", "80.0 %", "60.0 % to 95.0 %"):
        assert text in html


def test_the_file_says_the_same_and_escapes_what_comes_from_outside(
    client: Client, release: Any
) -> None:
    release.benchmark.description = "# no | heading <script>\nand *no* line"
    release.benchmark.save()
    text = client.get("/b/phantom/datasheet/r1.md").content.decode()
    assert text.startswith("# Phantom, release r1: datasheet\n")
    assert "\\# no \\| heading \\<script\\> and \\*no\\* line" in text
    assert "| Question type | MCQ | Free response |" in text


def test_questions_hold_no_key_and_croissant_names_their_hash(client: Client, release: Any) -> None:
    body = b"".join(client.get("/b/phantom/questions/r1.jsonl").streaming_content)
    rows = [json.loads(line) for line in body.splitlines()]
    assert len(rows) == 12
    assert set(rows[0]) == {
        "item", "kind", "question_type", "question", "options", "video", "start", "end",
    }  # fmt: skip
    found = client.get("/b/phantom/croissant/r1.json").json()
    assert found["distribution"][0]["sha256"] == hashlib.sha256(body).hexdigest()
    assert found["distribution"][0]["contentSize"] == f"{len(body)} B"


def test_the_reference_library_reads_the_metadata_and_the_records(
    client: Client, release: Any, tmp_path: Path, admin_user: Any
) -> None:
    set_rules(benchmark=release.benchmark, changes={"licence": "CC-BY-4.0"}, by=admin_user)
    body = b"".join(client.get("/b/phantom/questions/r1.jsonl").streaming_content)
    (tmp_path / "questions.jsonl").write_bytes(body)
    found = client.get("/b/phantom/croissant/r1.json").json()
    found["distribution"][0]["contentUrl"] = "questions.jsonl"
    (tmp_path / "croissant.json").write_text(json.dumps(found))
    dataset = mlcroissant.Dataset(jsonld=str(tmp_path / "croissant.json"))
    assert not dataset.metadata.ctx.issues.errors
    records = list(dataset.records("items"))
    assert len(records) == 12
    assert records[0]["items/kind"] in (b"mcq", b"free")


@pytest.mark.parametrize(
    "path", [PAGE, "/b/phantom/datasheet/r1.md", "/b/phantom/croissant/r1.json",
             "/b/phantom/questions/r1.jsonl"],
)  # fmt: skip
def test_a_closed_benchmark_and_an_unknown_release_are_not_there(
    client: Client, release: Any, path: str
) -> None:
    assert client.get(path.replace("r1", "r9")).status_code == 404
    release.benchmark.is_public = False
    release.benchmark.save()
    assert client.get(path).status_code == 404


def test_a_benchmark_without_any_kept_item_has_a_datasheet_too(client: Client, db: None) -> None:
    bench = factories.benchmark(slug="phantom", name="Phantom")
    factories.release(bench)
    assert "0 MCQs and 0 free responses kept" in client.get(PAGE).content.decode()
    assert client.get("/b/phantom/croissant/r1.json").status_code == 200


def test_the_number_of_queries_does_not_grow(
    client: Client, release: Any, django_assert_max_num_queries: Any
) -> None:
    with django_assert_max_num_queries(22):
        client.get(PAGE)
