import pytest
from django.core.exceptions import PermissionDenied

from annotation.actions.items import edit_item
from annotation.actions.releases import make_release
from annotation.models import Benchmark, Item, Revision
from evaluation.importer import PredictionsRefused, check_predictions
from evaluation.models import Contestant, Judgement, LeaderboardEntry, Prediction, Run
from tests import evaluation_factories as made
from tests import layout
from tests.imported_replies import bring, scores

pytestmark = pytest.mark.django_db


def state():
    models = (Run, Prediction, Judgement, Contestant, LeaderboardEntry, Revision)
    return {model: list(model.objects.order_by("pk").values()) for model in models}


def test_replies_become_predictions_scored_by_our_key(bench, folder):
    report = bring(folder / "mcq", bench)

    assert report.ok
    assert scores() == [1.0, 0.0, 0.0] * 2
    found = Prediction.objects.get(item_version__item__key="mcq/V_0_Kidney/1")
    assert (found.raw_reply, found.answer_text, found.chosen) == ("Answer: B", "B", 1)
    assert (found.latency, found.outcome, found.repeat) == (1.5, "answered", 0)
    assert report.tallies["mcq"].new == 6
    assert report.skipped.first == ["mcq/batch_summary.json: a summary"]
    assert report.facts["missing"] == {"mcq": 0, "free": 4}


def test_verdicts_become_judgements(bench, folder):
    bring(folder / "free", bench, judge="judge of the files")
    found = Judgement.objects.order_by("pk").first()
    assert (found.score, found.error_type, found.explanation) == (2, "none", "It agrees.")
    assert (found.judge_label, found.rubric_version) == ("judge of the files", "imported")
    assert list(Judgement.objects.order_by("pk").values_list("score", flat=True)) == [2, 0, 2, 0]
    assert scores("free") == [None] * 4


def test_two_folders_fill_one_run(bench, folder, maintainer):
    bring(folder / "mcq", bench, by=maintainer)
    bring(folder / "free", bench, by=maintainer)
    run = Run.objects.get(origin="import")
    assert (run.state, run.condition, run.release.tag) == ("done", "video", "r1")
    assert run.predictions.count() == 10
    assert run.started_by == maintainer
    assert run.contestant.provider.dialect == "import"
    entry = run.entries.order_by("-version").first()
    assert entry.published_at and not entry.provisional


def test_another_condition_model_or_release_is_another_run(bench, folder, adjudicator):
    second = make_release(benchmark=bench, tag="r2", by=adjudicator)
    bring(folder / "mcq", bench)
    bring(folder / "mcq", bench, condition="blind")
    bring(folder / "mcq", bench, model="N")
    bring(folder / "mcq", bench, release=bench.releases.get(tag="r1"))
    runs = Run.objects.filter(origin="import")
    assert runs.count() == 4
    assert runs.filter(release=second).count() == 3


def test_importing_twice_changes_nothing(bench, folder):
    for name in ("mcq", "free"):
        bring(folder / name, bench)
    before = state()
    for name in ("mcq", "free"):
        report = bring(folder / name, bench)
        assert not report.changed_anything
        assert report.tallies[name].unchanged
    assert state() == before


def test_a_dry_run_writes_nothing(bench, folder):
    before = state()
    report = bring(folder / "mcq", bench, dry_run=True)
    assert report.tallies["mcq"].new == 6
    assert state() == before
    bring(folder / "mcq", bench)
    assert bring(folder / "mcq", bench, dry_run=True).tallies["mcq"].unchanged == 6


def test_an_entry_may_stay_private(bench, folder):
    bring(folder / "mcq", bench, publish=False)
    entry = LeaderboardEntry.objects.get(run__origin="import")
    assert entry.published_at is None
    bring(folder / "mcq", bench)
    entry.refresh_from_db()
    assert entry.published_at


def test_a_failed_call_has_no_score_and_no_verdict(bench, folder):
    path = folder / "free/score_pred_V_0_Kidney.json"
    layout.write(path, [layout.failed(layout.free(0)), layout.judged(layout.free(1), 1)])
    report = bring(folder / "free", bench)
    found = Prediction.objects.get(item_version__item__key="free/V_0_Kidney/0")
    assert (found.outcome, found.score, found.error_message) == ("failed", None, "Error 400")
    assert (found.raw_reply, found.latency) == ("", 0.0095)
    assert not found.judgements.exists()
    assert report.facts["failed_calls"] == 1
    assert "has no score: Error 400" in str(report.doubts.first[0])


def test_a_failed_mcq_has_no_score(bench, folder):
    path = folder / "mcq/score_pred_V_0_Kidney.json"
    layout.write(path, [layout.failed(layout.mcq(0))])
    bring(folder / "mcq", bench)
    assert scores()[0] is None


def test_a_failed_call_can_be_made_good(bench, folder):
    path = folder / "free/score_pred_V_0_Kidney.json"
    layout.write(path, [layout.failed(layout.free(0))])
    bring(folder / "free", bench)
    layout.write(path, [layout.judged(layout.free(0), 2)])
    report = bring(folder / "free", bench)
    found = Prediction.objects.get(item_version__item__key="free/V_0_Kidney/0")
    assert (found.outcome, found.error_message) == ("answered", "")
    assert found.judgements.get().score == 2
    assert report.tallies["free"].changed == 1
    layout.write(path, [layout.failed(layout.free(0))])
    before = state()
    bring(folder / "free", bench)
    assert state() == before


def test_another_reply_never_replaces_the_one_that_stands(bench, folder):
    bring(folder / "mcq", bench)
    path = folder / "mcq/score_pred_V_0_Kidney.json"
    layout.write(path, [layout.reply(layout.mcq(0), "D")])
    before = state()
    report = bring(folder / "mcq", bench)
    assert "holds another reply" in report.refused.first[0].reason
    assert state() == before


def test_verdicts_may_come_after_the_replies(bench, folder):
    bare = folder / "bare"
    for name in ("V_0_Kidney", "V_1_Kidney"):
        rows = [layout.reply(layout.free(i), "To see it.") for i in range(2)]
        layout.write(bare / f"pred_{name}.json", rows)
    bring(bare, bench)
    assert not Judgement.objects.exists()
    report = bring(folder / "free", bench)
    assert report.tallies["free"].changed == 4
    assert Judgement.objects.count() == 4
    assert Prediction.objects.filter(run__origin="import").count() == 4


def test_another_verdict_of_the_same_judge_is_refused(bench, folder):
    bring(folder / "free", bench)
    layout.write(folder / "free/score_pred_V_0_Kidney.json", [layout.judged(layout.free(0), 1)])
    report = bring(folder / "free", bench)
    assert "judged the reply otherwise" in report.refused.first[0].reason
    assert bring(folder / "free", bench, judge="second").ok
    assert Judgement.objects.filter(judge_label="second").count() == 3


def test_the_order_shown_is_kept_where_it_is_not_the_items_own(bench, folder):
    bring(folder / "mcq", bench)
    for found in Prediction.objects.filter(run__origin="import").select_related("item_version"):
        own = found.item_version.shown_order
        assert found.shown_order == (None if own == [0, 1, 2, 3] else [0, 1, 2, 3])


def test_shuffled_letters_are_mapped_back(bench, folder):
    shuffled = layout.question("What is step 0?", layout.OPTIONS[::-1])
    fields = {"question": shuffled, "original_question": layout.mcq(0)["question"]}
    path = folder / "mcq/score_pred_V_0_Kidney.json"
    layout.write(path, [layout.reply(layout.mcq(0), "D", **fields)])
    report = bring(folder / "mcq", bench)
    found = Prediction.objects.get(item_version__item__key="mcq/V_0_Kidney/0")
    assert (found.chosen, found.score) == (0, 1.0)
    assert (found.shown_order or found.item_version.shown_order) == [3, 2, 1, 0]
    assert report.facts["matched_by"] == {"original_question": 1, "question": 3}


def test_one_item_is_answered_once_in_a_file(bench, folder):
    row = layout.reply(layout.mcq(0), "A")
    layout.write(folder / "mcq/score_pred_V_0_Kidney.json", [row, row])
    report = bring(folder / "mcq", bench)
    assert "a second time" in report.refused.first[0].reason
    assert Prediction.objects.filter(item_version__item__key="mcq/V_0_Kidney/0").count() == 1


def test_files_of_which_nothing_can_be_taken_make_no_run(bench, folder):
    for name in ("V_0_Kidney", "V_1_Kidney"):
        row = layout.reply(layout.mcq(0), "A", question=layout.question("Unknown?"))
        layout.write(folder / f"mcq/score_pred_{name}.json", [row])
    before = state()
    report = bring(folder / "mcq", bench)
    assert report.tallies["replies"].refused == 2
    assert "No reply could be taken, so no run was made." in report.notes
    assert state() == before


def test_files_of_unknown_videos_are_refused_alone(bench, folder):
    old = folder / "mcq/score_pred_V_1_Kidney.json"
    old.rename(old.with_name("score_pred_V_1_Kidneys.json"))
    report = bring(folder / "mcq", bench)
    assert report.refused.first[0].reason == (
        "no video of the benchmark has this name; the closest is V_1_Kidney"
    )
    assert Prediction.objects.filter(run__origin="import").count() == 3


def test_an_older_wording_matches_its_own_release_only(bench, folder, reviewer, adjudicator):
    item = Item.objects.get(key="mcq/V_0_Kidney/0")
    edit_item(
        item_id=item.pk, base_version=1, changes={"stem": "New?"}, reason="better", by=reviewer
    )
    make_release(benchmark=bench, tag="r2", by=adjudicator)
    report = bring(folder / "mcq", bench)
    assert "is not the text of the item at this place" in report.refused.first[0].reason
    assert bring(folder / "mcq", bench, release=bench.releases.get(tag="r1")).ok


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"model": ""}, "printable characters"),
        ({"model": "x" * 121}, "printable characters"),
        ({"model": "a\x00b"}, "printable characters"),
        ({"model": "a\u202eb"}, "printable characters"),
        ({"condition": "smell"}, "no condition"),
        ({"judge": " "}, "A judge's name"),
    ],
)
def test_names_that_are_none(bench, folder, options, reason):
    before = state()
    with pytest.raises(PredictionsRefused, match=reason):
        bring(folder / "mcq", bench, **options)
    assert state() == before


def test_the_name_of_a_reference_is_taken(bench, folder):
    made.contestant("Chancer", is_reference=True)
    with pytest.raises(PredictionsRefused, match="is a reference"):
        bring(folder / "mcq", bench, model="chancer")


def test_names_of_models_meet_whatever_their_case_and_script(bench, folder):
    bring(folder / "mcq", bench, model="Gemini 3 Pro")
    bring(folder / "free", bench, model="gemini 3 pro ")
    bring(folder / "mcq", bench, model="模型")
    bring(folder / "mcq", bench, model="Gemini-3-Pro")
    slugs = Contestant.objects.filter(provider__dialect="import").values_list("slug", flat=True)
    assert len(set(slugs)) == 3


def test_folders_without_predictions(bench, folder, tmp_path):
    for path, reason in (
        (tmp_path / "nowhere", "does not exist"),
        (folder / "mcq/batch_summary.json", "is a file"),
        (folder, "holds no pred_"),
    ):
        with pytest.raises(PredictionsRefused, match=reason):
            bring(path, bench)


def test_a_benchmark_without_a_release(bench, folder):
    empty = Benchmark.objects.create(slug="empty", name="Empty")
    with pytest.raises(PredictionsRefused, match="has no release yet"):
        bring(folder / "mcq", empty)
    with pytest.raises(PredictionsRefused, match="is no release of"):
        bring(folder / "mcq", empty, release=bench.releases.get())


def test_only_a_maintainer_may(bench, folder, reviewer):
    with pytest.raises(PermissionDenied):
        bring(folder / "mcq", bench, by=reviewer)


def test_a_check_says_the_same_and_changes_nothing(bench, folder):
    layout.change(folder / "free/score_pred_V_0_Kidney.json", 0, eval_score=9)
    before = state()
    report = check_predictions(folder / "free", benchmark=bench)
    assert not report.ok
    assert report.tallies["free"].new == 3
    assert report.facts["missing"] == {"mcq": 6, "free": 1}
    assert state() == before


def test_queries_do_not_grow_with_the_rows(bench, folder, django_assert_max_num_queries):
    with django_assert_max_num_queries(110):
        bring(folder / "mcq", bench)
    with django_assert_max_num_queries(60):
        bring(folder / "mcq", bench)
