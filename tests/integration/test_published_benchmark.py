"""The published benchmark, whole: imported, exported, scored, against the published figures."""

import pytest
from django.db.models import Count, Sum

from annotation.actions.trail import IMPORT
from annotation.exporter import export_benchmark
from annotation.importer import import_benchmark
from annotation.models import Benchmark, Event, Item, ItemVersion, Revision, Source, Video
from evaluation.importer import check_predictions, import_predictions
from evaluation.models import Judgement, Prediction, Run

pytestmark = pytest.mark.django_db
T1, T2, T3 = (
    "Type1_ActionGoalReasoning",
    "Type2_ArtifactResolutionOptimization",
    "Type3_ProcedureContextPlanning",
)
RESULTS = {
    "Gemini": ("final_scores_all_MCQ", "final_scores_all_free"),
    "Qwen": ("qwen_result/scores_mcq2", "qwen_result/scores_free2"),
}


def bring(rex):
    return import_benchmark(rex, slug="rex", by=IMPORT)


@pytest.fixture
def bench(rex):
    bring(rex)
    return Benchmark.objects.get(slug="rex")


def bring_results(rex, bench):
    return {
        (model, folder): import_predictions(rex / folder, benchmark=bench, model=model, by=IMPORT)
        for model, folders in RESULTS.items()
        for folder in folders
    }


def kept(model, kind):
    """The predictions of a model for the kept items of its release."""
    run = Run.objects.get(contestant__name=model)
    versions = run.release.release_items.filter(keep=True, item_version__item__kind=kind)
    return Prediction.objects.filter(run=run, item_version__in=versions.values("item_version"))


def test_it_comes_in_whole(rex):
    report = bring(rex)
    assert report.ok
    assert (Video.objects.count(), Source.objects.count(), Event.objects.count()) == (47, 35, 774)
    kinds = dict(Item.objects.values_list("kind").annotate(Count("pk")))
    assert kinds == {"mcq": 320, "free": 337}
    release = Benchmark.objects.get(slug="rex").releases.get()
    assert (release.tag, release.kept_mcq, release.kept_free) == ("r1", 249, 265)
    assert set(Item.objects.values_list("keep_source", flat=True)) == {"import"}
    types = Item.objects.filter(keep=True, kind="mcq").values_list("question_type")
    assert dict(types.annotate(Count("pk"))) == {T1: 103, T2: 79, T3: 67}
    assert Video.objects.exclude(category="").count() == 47


def test_it_says_what_it_mapped_and_what_it_doubts(rex):
    report = bring(rex)
    assert report.mapped.count == 3
    assert all("First_Trimester" in finding.file for finding in report.mapped.first)
    doubts = [str(finding) for finding in report.doubts.first]
    assert sum("leaves a clip of" in doubt for doubt in doubts) == 17
    assert any("lies 0.35 s past the end" in doubt for doubt in doubts)
    assert any("0.42 s" in doubt for doubt in doubts)
    assert any("0.43 s before the start of the source" in doubt for doubt in doubts)


def test_importing_it_twice_changes_nothing(rex, bench):
    def counts():
        return [model.objects.count() for model in (Item, ItemVersion, Event, Video, Revision)]

    before = counts()
    report = bring(rex)
    assert not report.changed_anything and counts() == before
    assert (report.tallies["mcq"].unchanged, report.tallies["free"].unchanged) == (320, 337)


@pytest.mark.parametrize("tag", ["", "r1"])
def test_it_comes_out_byte_for_byte(rex, bench, tmp_path, tag):
    release = bench.releases.get(tag=tag) if tag else None
    report = export_benchmark(bench, tmp_path, release=release)
    published = [
        path
        for pattern in ("benchmark_questions/*/*.json", "gt_all/*.json", "video_metadata_new.json")
        for path in rex.glob(pattern)
    ]
    assert len(published) == report.tallies["files"].written == 142
    assert not report.doubts.count
    for path in published:
        assert (tmp_path / path.relative_to(rex)).read_bytes() == path.read_bytes(), path


def test_the_results_give_the_published_figures(rex, bench):
    reports = bring_results(rex, bench)
    every_row_finds_its_item(reports)
    mcq_figures()
    free_response_figures()
    a_failed_call_is_no_zero(reports)
    before = rows_of_results()
    for (model, folder), first in reports.items():
        again = import_predictions(rex / folder, benchmark=bench, model=model, by=IMPORT)
        assert not again.changed_anything
        assert again.facts["run"] == first.facts["run"]
    assert rows_of_results() == before


def every_row_finds_its_item(reports):
    for report in reports.values():
        assert report.ok
        assert not report.mapped.count
        assert report.skipped.count == 1
    assert reports["Qwen", "qwen_result/scores_mcq2"].facts["matched_by"] == {
        "question": 114,
        "original_question": 206,
    }
    assert reports["Gemini", "final_scores_all_MCQ"].facts["matched_by"] == {"question": 320}
    assert Run.objects.filter(origin="import").count() == 2


def mcq_figures():
    for model, correct in (("Gemini", 165), ("Qwen", 138)):
        found = kept(model, "mcq")
        assert found.count() == 249
        assert found.aggregate(total=Sum("score"))["total"] == correct
    rows = kept("Gemini", "mcq").values_list("item_version__question_type")
    assert dict(rows.annotate(Sum("score"))) == {T1: 72, T2: 48, T3: 45}


def free_response_figures():
    by_type = "prediction__item_version__question_type"
    for model, points, typed in (
        ("Gemini", 240, {T1: 118, T2: 45, T3: 77}),
        ("Qwen", 196, {T1: 105, T2: 42, T3: 49}),
    ):
        found = kept(model, "free")
        judged = Judgement.objects.filter(prediction__in=found)
        assert found.count() == 265
        assert judged.count() == found.exclude(outcome="failed").count()
        assert judged.aggregate(total=Sum("score"))["total"] == points
        assert dict(judged.values_list(by_type).annotate(Sum("score"))) == typed


def a_failed_call_is_no_zero(reports):
    failed = Prediction.objects.get(run__origin="import", outcome="failed")
    assert failed.item_version.item.key == "free/Third_Trimester_Locate_Fetus_and_Placenta/0"
    assert failed.score is None and not failed.judgements.exists()
    assert reports["Qwen", "qwen_result/scores_free2"].facts["failed_calls"] == 1


def rows_of_results():
    return [model.objects.count() for model in (Run, Prediction, Judgement, Revision)]


def test_bare_predictions_pass_the_check(rex, bench):
    for folder, rows in (("qwen_result/mcq", 320), ("qwen_result/free", 337)):
        report = check_predictions(rex / folder, benchmark=bench)
        assert report.ok
        assert report.tallies["replies"].read == rows
    assert not Run.objects.filter(origin="import").exists()
