import json

import pytest

from annotation.actions.items import edit_item
from annotation.actions.releases import make_release
from annotation.actions.trail import IMPORT
from annotation.actions.videos import change_roi, override_roi
from annotation.domain.roi import Roi
from annotation.exporter import ExportRefused, export_benchmark
from annotation.importer import import_benchmark
from annotation.models import Benchmark, Item, Video
from tests import factories, layout

pytestmark = pytest.mark.django_db
MCQ = "benchmark_questions/mcq/V_0_Kidney.json"
FREE = "benchmark_questions/free/V_0_Kidney.json"


def bring(path):
    import_benchmark(path, slug="b", by=IMPORT)
    return Benchmark.objects.get(slug="b")


def files(root):
    return {
        str(path.relative_to(root)): path.read_text()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def rows(root, name=MCQ):
    return json.loads((root / name).read_text())


@pytest.fixture
def folder(tmp_path):
    return layout.benchmark(tmp_path / "in")


@pytest.fixture
def out(tmp_path):
    return tmp_path / "new" / "out"


def test_what_went_in_comes_out(folder, out):
    report = export_benchmark(bring(folder), out)
    assert files(out) == files(folder)
    assert report.tallies["files"].written == 7


def test_irregularities_come_out_as_they_were(folder, out):
    layout.change(folder / MCQ, 0, question=layout.question("What?", mark="A) "), note={"b": [1]})
    layout.change(folder / MCQ, 1, question="What?\nA. one\nB) two\nmore\n")
    row = layout.mcq(2)
    reordered = {name: row[name] for name in sorted(row) if name != "keep"} | {"keep": None}
    written = json.loads((folder / MCQ).read_text())
    layout.write(folder / MCQ, [*written[:2], reordered])
    del (short := layout.free(0))["groundtruth"], short["keep"]
    layout.write(folder / FREE, [short])
    layout.write(folder / "benchmark_questions/free/V_1_Kidney.json", [])
    (folder / "gt_all/gt_V_1_Kidney.json").unlink()
    layout.change(folder / "gt_all/gt_V_0_Kidney.json", 1, speaker="x")
    url = "http://youtu.be/abcdefghij0?t=3"
    layout.change(folder / "video_metadata_new.json", "V_0_Kidney", youtube_url=url, _score=0.5)
    metadata = rows(folder, "video_metadata_new.json")
    del metadata["V_1_Kidney"]["roi"]
    layout.write(folder / "video_metadata_new.json", metadata)
    (folder / MCQ).rename(folder / "benchmark_questions/mcq/V_0 Kidney..json")

    export_benchmark(bring(folder), out)

    assert files(out) == files(folder)


def test_edits_come_out_in_the_style_of_the_file(folder, out, reviewer):
    layout.change(folder / MCQ, 0, question=layout.question("What?", mark="A) "))
    benchmark = bring(folder)
    item = Item.objects.get(key="mcq/V_0_Kidney/0")
    changes = {"options": ["one", "two", "three"], "key_index": 2, "end": 7.0}
    edit_item(item_id=item.pk, base_version=1, changes=changes, reason="better", by=reviewer)

    export_benchmark(benchmark, out)

    row = rows(out)[0]
    assert row["question"] == "[MCQ] What?\nA) one\nB) two\nC) three"
    assert (row["answer"], row["time_end"], row["keep"]) == ("C", 7.0, None)
    assert list(row) == list(layout.mcq())


def test_an_export_can_be_imported_again(folder, out, reviewer):
    benchmark = bring(folder)
    video = Video.objects.get(name="V_0_Kidney")
    item = video.items.get(kind="mcq", index=1)
    box = Roi(0.0, 0.0, 0.5, 0.5)
    change_roi(video_id=video.pk, base_version=1, roi=box, reason="", by=reviewer)
    override_roi(
        item_id=item.pk, base_version=2, roi=Roi(0.5, 0.5, 0.25, 0.25), reason="", by=reviewer
    )
    export_benchmark(benchmark, out)
    assert rows(out)[1]["roi"] == {"x_prop": 0.5, "y_prop": 0.5, "w_prop": 0.25, "h_prop": 0.25}

    import_benchmark(out, slug="again", by=IMPORT)

    def content(slug):
        versions = Item.objects.filter(benchmark__slug=slug).order_by("key")
        return list(versions.values_list("key", "current__clip_digest", "keep"))

    assert content("again") == content("b")


def test_a_release_comes_out_as_it_was_frozen(folder, out, reviewer, adjudicator):
    benchmark = bring(folder)
    before = files(folder)
    video = Video.objects.get(name="V_0_Kidney")
    change_roi(
        video_id=video.pk, base_version=1, roi=Roi(0.0, 0.0, 0.5, 0.5), reason="", by=reviewer
    )
    item = video.items.get(kind="free", index=0)
    changes = {"reference_answer": "Another."}
    edit_item(item_id=item.pk, base_version=2, changes=changes, reason="better", by=reviewer)
    factories.free_item(video, key="free/V_0_Kidney/2")

    export_benchmark(benchmark, out, release=benchmark.releases.get(tag="r1"))

    assert files(out) == before
    second = make_release(benchmark=benchmark, tag="r2", by=adjudicator)
    export_benchmark(benchmark, out, release=second)
    assert rows(out, FREE)[0]["answer"] == "Another."
    assert [row["keep"] for row in rows(out, FREE)] == [False, False, False]
    assert rows(out, "video_metadata_new.json")["V_0_Kidney"]["roi"]["w_prop"] == 0.5


def test_a_release_of_another_benchmark_is_refused(folder, out):
    bring(folder)
    other = factories.benchmark()
    release = Benchmark.objects.get(slug="b").releases.get()
    with pytest.raises(ExportRefused, match="no release of"):
        export_benchmark(other, out, release=release)


def test_items_made_here_come_out_in_the_published_style(tmp_path):
    benchmark = factories.benchmark()
    video = factories.video(benchmark, of=factories.source(benchmark, kind="file", key="p/one.mp4"))
    factories.event(video)
    factories.kept(factories.mcq_item(video, options=("a.", "b."), key_index=1))
    factories.free_item(video)
    export_benchmark(benchmark, tmp_path)
    name = video.name
    row = rows(tmp_path, f"benchmark_questions/mcq/{name}.json")[0]
    assert row["question"] == "[MCQ] What does the operator do next?\nA. a.\nB. b."
    assert (row["answer"], row["keep"]) == ("B", True)
    assert "keep" not in rows(tmp_path, f"benchmark_questions/free/{name}.json")[0]
    metadata = rows(tmp_path, "video_metadata_new.json")[name]
    assert metadata["source_file"] == "p/one.mp4"
    assert import_benchmark(tmp_path, slug="again", by=IMPORT).ok


def test_a_text_that_would_read_otherwise_is_doubted(folder, out, reviewer):
    benchmark = bring(folder)
    item = Item.objects.get(key="mcq/V_0_Kidney/0")
    changes = {"options": ["one\nB. not two", "two"], "key_index": 0}
    edit_item(item_id=item.pk, base_version=1, changes=changes, reason="odd", by=reviewer)
    report = export_benchmark(benchmark, out)
    assert "reads otherwise" in str(report.doubts.first[0])


def test_a_row_that_never_came_in_is_doubted(folder, out):
    layout.change(folder / MCQ, 1, answer="Z")
    report = export_benchmark(bring(folder), out)
    assert len(rows(out)) == 2
    assert "is row 2 here" in str(report.doubts.first[0])


def test_other_files_in_the_folder_stay(folder, out):
    benchmark = bring(folder)
    stranger = layout.write(out / "gt_all/gt_Other.json", [])
    old = layout.write(out / MCQ, "old")
    target = layout.write(out / "target.json", "[]")
    (out / FREE).parent.mkdir(parents=True)
    (out / FREE).symlink_to(target)
    report = export_benchmark(benchmark, out)
    assert "gt_Other.json is not of this benchmark" in report.skipped.first[0]
    assert stranger.read_text() == "[]" and target.read_text() == "[]"
    assert old.read_text() != "old" and not (out / FREE).is_symlink()


def test_a_folder_that_cannot_be_written(folder, tmp_path):
    benchmark = bring(folder)
    file = layout.write(tmp_path / "file", "x")
    with pytest.raises(ExportRefused, match="cannot be written"):
        export_benchmark(benchmark, file)


@pytest.mark.parametrize("name", ["../../escape", "/etc/x", "a/b", ".."])
def test_a_name_that_leaves_the_folder_is_refused(folder, out, name):
    benchmark = bring(folder)
    Video.objects.filter(name="V_0_Kidney").update(files={"mcq": name})
    with pytest.raises(ExportRefused, match="no name for a file"):
        export_benchmark(benchmark, out)


def test_accepted_variants_go_out_and_come_in_again(folder, out, reviewer, tmp_path):
    layout.change(folder / FREE, 0, accepted_variants=["From the file."])
    benchmark = bring(folder)
    assert files(folder) == (export_benchmark(benchmark, out), files(out))[1]
    edited = benchmark.items.get(key="free/V_1_Kidney/0")
    edit_item(
        item_id=edited.pk,
        base_version=1,
        changes={"accepted_variants": ["Written here.", "And here."]},
        reason="as good",
        by=reviewer,
    )
    export_benchmark(benchmark, out)
    import_benchmark(out, slug="again", by=IMPORT)
    for item in benchmark.items.select_related("current"):
        again = Item.objects.select_related("current").get(benchmark__slug="again", key=item.key)
        assert again.current.accepted_variants == item.current.accepted_variants
        assert again.current.digest == item.current.digest
    plain = rows(out, "benchmark_questions/free/V_1_Kidney.json")
    assert plain[0]["accepted_variants"] == ["Written here.", "And here."]
    assert all("accepted_variants" not in row for row in rows(out))
