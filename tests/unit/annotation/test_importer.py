import json

import pytest
from django.core.exceptions import PermissionDenied

from annotation.actions.trail import IMPORT
from annotation.importer import ImportRefused, import_benchmark
from annotation.models import (
    Benchmark,
    Event,
    Item,
    ItemVersion,
    Release,
    Revision,
    Source,
    Video,
)
from tests import layout

pytestmark = pytest.mark.django_db


def bring(path, **options):
    return import_benchmark(path, **{"slug": "b", "by": IMPORT} | options)


@pytest.fixture
def folder(tmp_path):
    return layout.benchmark(tmp_path / "clone")


def test_everything_comes_in(folder):
    layout.change(folder / "benchmark_questions/mcq/V_0_Kidney.json", 1, keep=False, answer="C")

    report = bring(folder, name="The first")

    assert report.ok
    assert Benchmark.objects.get().name == "The first"
    assert (Source.objects.count(), Video.objects.count()) == (2, 2)
    assert (Item.objects.count(), Event.objects.count()) == (10, 8)
    item = Item.objects.get(key="mcq/V_0_Kidney/1")
    assert (item.keep, item.keep_source, item.state) == (False, "import", "dropped")
    assert item.current.number == 1
    assert item.current.key_index == 2
    assert item.current.options == list(layout.OPTIONS)
    assert (item.start, item.end, item.text) == (2.5, 7.25, "What is step 1?")
    video = Video.objects.get(name="V_1_Kidney")
    assert (video.start, video.end, video.roi_x, video.roi_h) == (10.5, 70.25, 0.25, 0.5)
    assert (video.title, video.category) == ("V 1 Kidney", "Urinary tract")
    assert any("Categories are guessed" in note for note in report.notes)


def test_lists_are_ordered_by_video_and_kind_and_ordinals_count_each_kind(folder):
    bring(folder)
    keys = list(Item.objects.order_by("position").values_list("key", flat=True))
    assert keys[:6] == [
        *(f"mcq/V_0_Kidney/{i}" for i in range(3)),
        *(f"free/V_0_Kidney/{i}" for i in range(2)),
        "mcq/V_1_Kidney/0",
    ]
    ordinals = (
        Item.objects.filter(kind="mcq").order_by("position").values_list("ordinal", flat=True)
    )
    assert list(ordinals) == list(range(6))


def test_the_first_import_freezes_r1(folder):
    report = bring(folder)
    release = Release.objects.get()
    assert (release.tag, release.kept_mcq, release.kept_free) == ("r1", 6, 4)
    assert report.facts["release"] == {"tag": "r1", "hash": release.hash, "made": True}


def test_without_a_kept_item_there_is_no_release(tmp_path):
    path = layout.write(
        layout.benchmark(tmp_path, videos=1) / "benchmark_questions/mcq/V_0_Kidney.json",
        [layout.mcq(keep=False)],
    )
    layout.write(path.parent.parent / "free/V_0_Kidney.json", [])
    report = bring(tmp_path)
    assert report.ok and report.facts["release"] is None
    assert not Release.objects.exists()


def test_a_dry_run_writes_nothing(folder):
    report = bring(folder, dry_run=True)
    assert report.tallies["mcq"].new == 6
    for model in (Benchmark, Source, Video, Item, ItemVersion, Event, Release, Revision):
        assert not model.objects.exists()


def test_a_dry_run_over_an_imported_benchmark_writes_nothing(folder):
    bring(folder)
    layout.change(folder / "benchmark_questions/mcq/V_0_Kidney.json", 0, keep=False)
    before = Revision.objects.count()
    report = bring(folder, dry_run=True)
    assert report.tallies["mcq"].changed == 1
    assert Revision.objects.count() == before
    assert Item.objects.get(key="mcq/V_0_Kidney/0").keep is True


def test_a_revision_is_written_for_each_video(folder, maintainer):
    bring(folder, by=maintainer)
    written = Revision.objects.filter(verb="import_video")
    assert written.count() == 2
    assert written.first().after["new"] == {"items": 5, "events": 4}
    assert written.first().actor == maintainer.pseudonym
    assert ItemVersion.objects.first().author == maintainer


def test_bad_rows_are_named_and_the_rest_comes_in(folder):
    path = folder / "benchmark_questions/mcq/V_0_Kidney.json"
    layout.change(path, 1, answer="Z", time_end=None)
    layout.write(folder / "benchmark_questions/free/V_1_Kidney.json", '[{"a": NaN}]')
    layout.write(folder / "gt_all/gt_V_1_Kidney.json", '{"not": "a list"}')

    report = bring(folder)

    shown = "benchmark_questions/mcq/V_0_Kidney.json"
    assert [str(finding) for finding in report.refused.first] == [
        f"{shown}, row 1, answer: is 'Z', not one of the letters A to D",
        f"{shown}, row 1, time_end: is missing",
        "benchmark_questions/free/V_1_Kidney.json: NaN is no JSON number",
        "gt_all/gt_V_1_Kidney.json: is not a list of rows",
    ]
    assert Item.objects.count() == 10 - 1 - 2
    assert not Item.objects.filter(key="mcq/V_0_Kidney/1").exists()
    assert Item.objects.filter(key="mcq/V_0_Kidney/2").exists()
    assert any("not part of release r1" in note for note in report.notes)


def test_what_was_mended_comes_in_later_and_takes_its_place(folder):
    path = folder / "benchmark_questions/mcq/V_0_Kidney.json"
    layout.change(path, 1, answer="Z")
    bring(folder)
    layout.change(path, 1, answer="A")

    report = bring(folder)

    assert report.ok
    assert (report.tallies["mcq"].new, report.tallies["mcq"].unchanged) == (1, 5)
    keys = Item.objects.order_by("position").values_list("key", flat=True)
    assert list(keys)[:3] == [f"mcq/V_0_Kidney/{i}" for i in range(3)]
    assert list(Item.objects.order_by("position").values_list("position", flat=True)) == list(
        range(10)
    )


def test_a_bad_video_takes_its_files_with_it(folder):
    layout.change(folder / "video_metadata_new.json", "V_0_Kidney", youtube_url="file:///etc")
    report = bring(folder)
    assert Video.objects.get().name == "V_1_Kidney"
    assert report.tallies["videos"].refused == 1
    assert report.tallies["files"].refused == 3


def test_spellings_are_mapped_and_kept(folder):
    old = folder / "benchmark_questions/mcq/V_0_Kidney.json"
    old.rename(old.with_name("V_0 Kidney..json"))
    report = bring(folder)
    assert report.ok
    assert "spelled otherwise: V_0_Kidney" in str(report.mapped.first[0])
    assert Video.objects.get(name="V_0_Kidney").files["mcq"] == "V_0 Kidney."


def test_what_is_odd_is_doubted_but_taken(folder):
    path = folder / "benchmark_questions/mcq/V_0_Kidney.json"
    layout.change(path, 0, time_end=60.1)
    layout.change(path, 1, time_start=3.0, time_end=3.4)
    twins = layout.question("What?", ("same", "same", "other"))
    layout.change(path, 2, question=twins)
    report = bring(folder)
    assert report.ok
    assert [finding.reason for finding in report.doubts.first] == [
        "lies 0.35 s past the end of the video",
        "leaves a clip of 0.40 s",
        "has two options that read the same",
    ]


def test_a_box_of_its_own_is_an_override(folder):
    box = {"x_prop": 0.0, "y_prop": 0.0, "w_prop": 0.25, "h_prop": 0.25}
    layout.change(folder / "benchmark_questions/mcq/V_0_Kidney.json", 0, roi=box)
    bring(folder)
    version = Item.objects.get(key="mcq/V_0_Kidney/0").current
    assert version.roi_is_override
    assert (version.roi_w, version.roi_h) == (0.25, 0.25)


def test_unknown_keys_are_kept(folder):
    layout.change(folder / "benchmark_questions/mcq/V_0_Kidney.json", 0, difficulty={"a": [1.5]})
    layout.change(folder / "video_metadata_new.json", "V_0_Kidney", _alignment_score=0.97)
    layout.change(folder / "gt_all/gt_V_0_Kidney.json", 2, speaker="x")
    bring(folder)
    assert Item.objects.get(key="mcq/V_0_Kidney/0").extra["difficulty"] == {"a": [1.5]}
    assert Video.objects.get(name="V_0_Kidney").extra["_alignment_score"] == 0.97
    assert Event.objects.get(video__name="V_0_Kidney", position=2).extra == {"speaker": "x"}


@pytest.mark.parametrize(
    ("break_it", "reason"),
    [
        (lambda folder: (folder / "video_metadata_new.json").unlink(), "holds no video_metadata"),
        (lambda folder: layout.write(folder / "video_metadata_new.json", "[]"), "not an object"),
        (lambda folder: layout.write(folder / "video_metadata_new.json", "{"), "is not JSON"),
    ],
)
def test_a_folder_that_is_no_benchmark(folder, break_it, reason):
    break_it(folder)
    with pytest.raises(ImportRefused, match=reason):
        bring(folder)
    assert not Benchmark.objects.exists()


def test_paths_and_slugs_that_are_none(folder):
    with pytest.raises(ImportRefused, match="does not exist"):
        bring(folder / "nowhere")
    with pytest.raises(ImportRefused, match="is a file"):
        bring(folder / "video_metadata_new.json")
    for slug in ("", "a b", "x" * 65, "../x"):
        with pytest.raises(ImportRefused, match="no slug"):
            bring(folder, slug=slug)


def test_only_a_maintainer_may(folder, reviewer):
    with pytest.raises(PermissionDenied):
        bring(folder, by=reviewer)


def test_links_and_folders_named_like_files_are_refused(folder):
    questions = folder / "benchmark_questions/mcq"
    secret = layout.write(folder / "secret.json", [layout.mcq()])
    (questions / "V_0_Kidney.json").unlink()
    (questions / "V_0_Kidney.json").symlink_to(secret)
    (questions / "V_1_Kidney.json").unlink()
    (questions / "V_1_Kidney.json").mkdir()
    report = bring(folder)
    assert [finding.reason for finding in report.refused.first] == [
        "is a symbolic link",
        "is not a regular file",
    ]
    assert not Item.objects.filter(kind="mcq").exists()


HOSTILE = {
    "deep": "[" * 100_000,
    "twice": '[{"question": "a", "question": "b"}]',
    "nan": "[NaN]",
    "endless": '[{"time_start": 1e999}]',
    "nul": '[{"question": "a\\u0000b"}]',
    "half": '[{"question": "\\ud800"}]',
    "digits": "[" + "1" * 5000 + "]",
    "binary": b"\x00\xff\xfe",
    "empty": "",
}


@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE.keys())
@pytest.mark.parametrize(
    "what", ["benchmark_questions/mcq/", "benchmark_questions/free/", "gt_all/gt_"]
)
def test_a_hostile_file_is_refused_alone(folder, what, hostile):
    layout.write(folder / f"{what}V_0_Kidney.json", hostile)
    report = bring(folder)
    assert report.tallies["files"].refused == 1
    assert report.refused.first[0].file == f"{what}V_0_Kidney.json"
    assert Item.objects.filter(video__name="V_1_Kidney").count() == 5
    json.dumps(report.as_dict())


@pytest.mark.parametrize("value", [[], {}, None, True, 10**17, 1.5, "x" * 30_000, ["a", {"b": 1}]])
@pytest.mark.parametrize("name", ["question", "answer", "groundtruth", "time_start", "keep"])
def test_wrong_types_are_rows_refused_not_errors(folder, name, value):
    layout.change(folder / "benchmark_questions/free/V_0_Kidney.json", 0, **{name: value})
    report = bring(folder)
    assert Item.objects.count() == 10 - report.tallies["free"].refused


def test_odd_but_lawful_texts_are_stored(folder):
    signs = "\U0001f600 \u202e \x7f\u0085"
    text = f"[FREE] {signs} <script>alert(1)</script> {{{{ x }}}} '\"; DROP TABLE --"
    layout.change(folder / "benchmark_questions/free/V_0_Kidney.json", 0, question=text)
    assert bring(folder).ok
    assert Item.objects.get(key="free/V_0_Kidney/0").current.stem == text.removeprefix("[FREE] ")
