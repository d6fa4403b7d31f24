"""Benchmarks that figures can say little of: each page of audit, repairs, statistics, judge,
grading and datasheet gives a sentence and neither a trace nor a figure that is none."""

import json
import re
from html import unescape
from typing import Any

import pytest
from django.utils.html import strip_tags

from annotation.actions.repairs import request_repairs
from annotation.audit import make_waiting_audits
from annotation.models import AuditState, Release, ShortcutAudit
from annotation.repairing import find_repairs
from evaluation.actions.entries import publish_entry
from evaluation.actions.grading_samples import BadSample, close_sample
from evaluation.actions.item_statistics import request_statistics
from evaluation.item_statistics import measure
from evaluation.judge_audit import audit_judges
from evaluation.leaderboard import compute_entry
from evaluation.models import Judgement
from evaluation.panels import refresh_rejudged
from tests import evaluation_factories as make
from tests import factories

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]
PAGES = {
    "audit": "/b/poor/audit/",
    "audit of the release": "/b/poor/audit/?release=r1",
    "leaky and clean": "/b/poor/audit/models/r1/",
    "repairs": "/b/poor/repairs/",
    "look again": "/b/poor/look-again/",
    "solved by none": "/b/poor/look-again/?reason=unsolved",
    "judge": "/b/poor/judge/",
    "samples": "/b/poor/grading/",
    "grading": "/grading/",
    "datasheet": "/b/poor/datasheet/r1/",
    "datasheet file": "/b/poor/datasheet/r1.md",
    "croissant": "/b/poor/croissant/r1.json",
    "questions": "/b/poor/questions/r1.jsonl",
    "leaderboard": "/b/poor/leaderboard/",
    "panel": "/b/poor/leaderboard/?judge=mean",
    "gain": "/b/poor/leaderboard/?condition=gain",
    "benchmark": "/b/poor/",
    "compare": "/b/poor/compare/",
}
# What has to be said, by case and page.
SAID = {
    "empty": {
        "audit": "There is no kept MCQ with a key, so there is nothing to learn.",
        "leaky and clean": "No entry of this release is published.",
        "repairs": "Nothing of this kind is proposed.",
        "look again": "No item has this reason",
        "judge": "No sample of answers has been graded and closed yet",
        "samples": "No sample yet",
        "datasheet": "0 MCQs and 0 free responses kept",
    },
    "one item": {
        "audit": "All MCQs are of one source, so none can be held out",
        "audit of the release": "There is no kept free-response item.",
        "samples": "No sample yet",
        "judge": "No sample of answers has been graded and closed yet",
    },
    "no MCQ": {
        "audit": "There is no kept MCQ with a key, so there is nothing to learn.",
        "datasheet": "0 MCQs and 6 free responses kept",
    },
    "no free response": {
        "audit": "There is no kept free-response item.",
        "judge": "No sample of answers has been graded and closed yet",
        "samples": "No sample yet",
    },
    "one source": {
        "audit": "All MCQs are of one source, so none can be held out",
        "judge": "All answers are of one source, so no interval can be had.",
        "datasheet": "Only 1 source: intervals are wide and rough.",
    },
    "one class": {
        "audit": "The key of all 6 MCQs is option 1: whoever always picks it is always right.",
        "judge": "Both sides give 1 throughout, so there is no agreement beyond chance.",
    },
    "judge always 2": {"judge": "One side gives 2 throughout: its marks tell nothing about the"},
}
FIGURELESS = re.compile(r"\b(nan|inf|None|Traceback)\b")


def poor(case: str) -> Release:
    """A benchmark of the case, released, audited, measured, with two models on it."""
    bench = factories.benchmark(slug="poor", name="Poor")
    videos = {"empty": 0, "one item": 1}.get(case, 6)
    source = factories.source(bench) if case == "one source" else None
    for number in range(videos):
        vid = factories.video(bench, of=source)
        if case != "no MCQ":
            factories.kept(
                factories.mcq_item(vid, key_index=0 if case == "one class" else number % 4)
            )
        if case not in ("no free response", "one item"):
            # A window under 2 s is a repair to propose.
            window = (20.0, 20.5) if case == "none" else (20.0, 25.0)
            factories.kept(factories.free_item(vid, window=window))
    return factories.release(bench)


def fill(release: Release, case: str, reviewers: list[Any], by: Any) -> None:
    """Let models answer, two judges mark, clinicians grade; audit, measure, look for repairs."""
    names = ("Seer 1", "Oracle 2", *(("Delphi 3",) if case == "none" else ()))
    for number, name in enumerate(names):
        run = make.run(release, name=name, judge_label="Judge", rubric_version="r1")
        again = make.run(release, origin="rejudge", rejudges=run)
        rows = release.release_items.filter(keep=True).select_related("item_version")
        for place, row in enumerate(rows.order_by("position")):
            points = 2 if case == "judge always 2" else (place + number) % 3
            points = 1 if case == "one class" else points
            mcq = row.item_version.key_index is not None
            found = make.prediction(run, row.item_version, place % 2 if mcq else None)
            if not mcq:
                make.judgement(found, points, judge_label="Judge")
                make.judgement(found, points, judge_label="Second", rejudging=again)
        publish_entry(entry=compute_entry(run), by="import")
    for of in (None, release):
        ShortcutAudit.objects.create(benchmark=release.benchmark, release=of)
    make_waiting_audits()
    request_repairs(benchmark=release.benchmark, by="system")
    find_repairs(release.benchmark_id)
    request_statistics(release=release, by="system")
    measure(release.pk)
    refresh_rejudged()
    if Judgement.objects.exists():
        sample = make.grading_sample(release, reviewers, by=by)
        for place, reviewer in enumerate(reviewers):
            make.grade(sample, reviewer, [1 if case == "one class" else place + 1] * 12)
        audit_judges(close_sample(sample=sample, by=by))
    else:
        with pytest.raises(BadSample, match=r"\.$"):
            make.grading_sample(release, reviewers, by=by)


@pytest.mark.parametrize("case", SAID)
def test_every_page_says_in_a_sentence_what_cannot_be_told(
    case: str, client_for: Any, maintainer: Any, reviewer: Any, reviewer_2: Any
) -> None:
    release = poor(case)
    fill(release, case, [reviewer, reviewer_2], maintainer)
    assert set(ShortcutAudit.objects.values_list("state", flat=True)) == {AuditState.DONE}
    client = client_for(maintainer)
    told: set[tuple[str, str]] = set()
    for name, path in PAGES.items():
        answer = client.get(path)
        assert answer.status_code == 200, (name, answer.status_code)
        body = answer.getvalue().decode()
        if answer.headers["Content-Type"].startswith("application/"):
            for line in body.splitlines() if path.endswith(".jsonl") else [body]:
                json.loads(line)
            continue
        text = " ".join(unescape(strip_tags(body)).split())
        assert not FIGURELESS.search(text), (name, FIGURELESS.search(text))
        wanted = SAID[case].get(name)
        if wanted is not None:
            assert wanted in text, (name, text)
            told.add((name, wanted))
    assert told == set(SAID[case].items())


def test_a_benchmark_without_these_faults_is_told_none_of_them(
    client_for: Any, maintainer: Any, reviewer: Any, reviewer_2: Any
) -> None:
    """So that no sentence above stands on its page in any case."""
    fill(poor("none"), "none", [reviewer, reviewer_2], maintainer)
    client = client_for(maintainer)
    for name in {name for said in SAID.values() for name in said}:
        body = client.get(PAGES[name]).getvalue().decode()
        text = " ".join(unescape(strip_tags(body)).split())
        found = [said[name] for said in SAID.values() if name in said and said[name] in text]
        assert found == [], name


def test_without_a_release_too(client_for: Any, maintainer: Any) -> None:
    factories.benchmark(slug="poor", name="Poor")
    client = client_for(maintainer)
    for name in ("audit", "repairs", "look again", "judge", "samples", "leaderboard", "benchmark"):
        text = strip_tags(client.get(PAGES[name]).content.decode())
        assert not FIGURELESS.search(text), name
