"""The audit of the published benchmark: what it has to find, unasked, through the command."""

import json
import time
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.actions.bulk import apply_bulk
from annotation.actions.bulk_work import advance
from annotation.actions.repairs import ask_repairs, request_repairs
from annotation.actions.trail import IMPORT
from annotation.audit import items_of
from annotation.domain.audit.features import measures
from annotation.domain.audit.flags import SHORT_CLIP, UNSHUFFLED
from annotation.domain.audit.held_out import learn_held_out
from annotation.domain.audit.items import keyed
from annotation.domain.audit.learned import learn
from annotation.importer import import_benchmark
from annotation.models import AuditFlag, AuditState, Benchmark, Revision, ShortcutAudit
from annotation.repairing import find_repairs
from tests import factories

pytestmark = pytest.mark.django_db


def command(*arguments):
    out = StringIO()
    call_command("audit_shortcuts", *arguments, stdout=out)
    return out.getvalue()


@pytest.mark.slow
def test_the_published_leaks_are_found_and_repairs_take_away_what_they_know(rex, adjudicator):
    import_benchmark(rex, slug="rex", by=IMPORT)
    before = time.process_time()
    report = json.loads(command("rex", "--release", "r1", "--json"))
    assert time.process_time() - before < 30
    assert (report["benchmark"], report["release"], report["chance"]) == ("rex", "r1", 0.25)

    rules = {rule["name"]: rule for rule in report["rules"]}
    found = {name: (rule["correct"], rule["n"]) for name, rule in rules.items()}
    assert found["always-a"] == (110, 249)
    assert found["shortest"] == (191, 249)
    assert found["punctuation-length"] == (209, 249)
    bare = rules["only-without-full-stop"]
    assert (bare["correct"], bare["picked"]) == (100, 100)
    assert all(rules[name]["leaks"] for name in ("shortest", "only-without-full-stop", "always-a"))

    learned = report["learned"]
    assert learned["accuracy"] >= 0.83
    assert learned["ci"][0] < learned["accuracy"] < learned["ci"][1]
    assert (learned["n"], learned["sources"], learned["folds"]) == (249, 35, 35)
    assert (learned["p"], learned["refits"]) == (0.01, 99)
    assert 0.15 < learned["null"][0] < 0.25 < learned["null"][1] < 0.4

    flags = report["flags"]
    assert flags["unshuffled-marks"] == 105
    assert report["flags_kept"]["unshuffled-marks"] == 76
    assert flags["window-past-segment"] == 2
    assert flags["clip-under-2s"] == 10
    assert report["flags_all"]["clip-under-2s"] == 17
    assert flags["only-without-full-stop"] == 100
    assert flags["shortest"] == 191

    audit = ShortcutAudit.objects.get()
    assert (audit.state, audit.release.tag) == (AuditState.DONE, "r1")
    assert audit.flags.filter(flag=UNSHUFFLED).count() == 105
    assert audit.flags.filter(flag=SHORT_CLIP).count() == 17
    reason = audit.flags.filter(flag=UNSHUFFLED).first().reason
    assert "“A)”" in reason and "never shuffled" in reason
    repaired(report, adjudicator)


def repaired(report, adjudicator):
    """Accept what can be accepted together: the figure falls, the held-out one hardly does."""
    bench = Benchmark.objects.get(slug="rex")
    counts = {}
    for kind in ("punctuation", "order", "late-window"):
        request_repairs(benchmark=bench, by=adjudicator)
        find_repairs(bench.pk)
        bulk = ask_repairs(benchmark=bench, kind=kind, by=adjudicator)
        apply_bulk(bulk_id=bulk.pk, by=adjudicator)
        advance(bulk.pk)
        bulk.refresh_from_db()
        counts[kind] = bulk.tally["done"]
    assert counts == {"punctuation": 100, "order": 57, "late-window": 2}
    assert bench.items.filter(keep=True).count() == 514
    mcqs = keyed(list(items_of(bench)))
    after = learn(mcqs, refits=1).estimate.mean
    assert after < report["learned"]["accuracy"] - 0.05
    held_out = learn_held_out(mcqs, measures(mcqs)).estimate.mean
    assert held_out == pytest.approx(report["held_out"]["accuracy"], abs=0.005)
    assert held_out > 0.6


def small():
    """Four MCQs of four sources whose key is the first and the shortest, and one that is not
    kept."""
    bench = factories.benchmark(slug="small")
    for number in range(4):
        vid = factories.video(bench)
        options = ("Stop", "Slide it up.", "Turn it round.", f"Wait a while {number}.")
        factories.kept(factories.mcq_item(vid, options=options, key_index=0))
        factories.kept(factories.free_item(vid))
    factories.kept(factories.mcq_item(vid, window=(20.0, 21.5)), keep=False)
    return bench


def test_a_benchmark_is_audited_as_it_stands():
    small()
    report = json.loads(command("small", "--json"))
    assert report["release"] is None
    assert (report["items"], report["kept"], report["learned"]["n"]) == (9, 8, 4)
    assert report["flags_all"]["clip-under-2s"] == 1
    assert report["flags"]["clip-under-2s"] == 0
    assert "whoever always picks it" in report["sentences"][0]
    verbs = list(Revision.objects.filter(target_kind="audit").values_list("verb", flat=True))
    assert sorted(verbs) == ["finish_audit", "request_audit"]


def test_a_release_is_audited_as_it_was():
    bench = small()
    factories.release(bench, "r1")
    bench.items.filter(kind="mcq").update(keep=False, state="dropped")
    assert json.loads(command("small", "--release", "r1", "--json"))["learned"]["n"] == 4
    report = json.loads(command("small", "--json"))
    assert report["learned"] is None
    assert report["rules"] == []
    assert "no kept MCQ" in report["sentences"][-1]


def test_flags_are_kept_for_the_newest_audit_alone():
    small()
    command("small")
    first = AuditFlag.objects.count()
    command("small")
    assert AuditFlag.objects.count() == first
    assert set(AuditFlag.objects.values_list("audit", flat=True)) == {
        ShortcutAudit.objects.first().pk
    }
    assert ShortcutAudit.objects.filter(state=AuditState.DONE).count() == 2


def test_one_source_only_and_no_item_give_sentences():
    bench = factories.benchmark(slug="one")
    assert "no kept MCQ" in command("one")
    vid = factories.video(bench)
    for _ in range(3):
        factories.kept(factories.mcq_item(vid))
    assert "All MCQs are of one source" in command("one")


def test_unknown_names_are_refused():
    small()
    with pytest.raises(CommandError, match="No benchmark is called 'nope'"):
        command("nope")
    with pytest.raises(CommandError, match="has no release 'r9'"):
        command("small", "--release", "r9")
    out = StringIO()
    with pytest.raises(CommandError):
        call_command("audit_shortcuts", "nope", "--json", stdout=out)
    assert json.loads(out.getvalue())["ok"] is False


def test_hostile_texts_are_data():
    bench = factories.benchmark(slug="bad")
    texts = ("<script>alert(1)</script>", "\ud800 lone", "Z\u0336a\u0336", "x" * 5000)
    for number in range(6):
        options = tuple(f"{text}{number}" for text in texts[:1] + texts[2:])
        vid = factories.video(bench)
        factories.kept(factories.mcq_item(vid, stem=texts[2], options=options, key_index=1))
    assert json.loads(command("bad", "--json"))["learned"]["n"] == 6
