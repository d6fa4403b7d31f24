import pytest

from annotation.actions.items import edit_item
from annotation.actions.trail import IMPORT
from annotation.actions.videos import change_roi
from annotation.domain.roi import Roi
from annotation.importer import import_benchmark
from annotation.models import Event, Item, ItemVersion, Release, Revision, Source, Video
from tests import layout

pytestmark = pytest.mark.django_db
MCQ = "benchmark_questions/mcq/V_0_Kidney.json"
FREE = "benchmark_questions/free/V_0_Kidney.json"


def bring(path, **options):
    return import_benchmark(path, **{"slug": "b", "by": IMPORT} | options)


@pytest.fixture
def folder(tmp_path):
    layout.benchmark(tmp_path)
    bring(tmp_path)
    return tmp_path


def state():
    models = (Item, ItemVersion, Video, Source, Event, Release, Revision)
    return {model: list(model.objects.order_by("pk").values()) for model in models}


def item(key="mcq/V_0_Kidney/0"):
    return Item.objects.select_related("current").get(key=key)


def changes(report):
    return [
        (change.key, change.field, change.before, change.after) for change in report.changes.first
    ]


def held(report):
    return [
        (change.field, change.before, change.after, change.reason) for change in report.held.first
    ]


def settled(key, *, keep, source):
    Item.objects.filter(key=key).update(
        keep=keep, keep_source=source, state="kept" if keep else "dropped"
    )


def test_importing_twice_changes_nothing(folder):
    before = state()
    report = bring(folder)
    assert state() == before
    assert not report.changed_anything
    assert report.tallies["mcq"].unchanged == 6
    assert not report.facts["release"]["made"]


def test_a_changed_text_makes_a_new_version_and_shows_what_changed(folder):
    text = layout.question("What is this step?", mark="A) ")
    layout.change(folder / MCQ, 0, question=text, answer="B", time_end=7.5)

    report = bring(folder)

    found = item()
    assert (found.current.number, found.current.stem) == (2, "What is this step?")
    assert (found.current.key_index, found.end, found.text) == (1, 7.5, "What is this step?")
    assert found.versions.count() == 2
    assert found.keep is True
    assert changes(report) == [
        (found.key, "question", layout.question("What is step 0?"), text),
        (found.key, "answer", "A", "B"),
        (found.key, "time_end", 6.25, 7.5),
    ]
    revision = Revision.objects.get(verb="import_item")
    assert revision.before["answer"] == "A" and revision.after["answer"] == "B"
    assert bring(folder).changed_anything is False


def test_another_mark_style_alone_makes_no_version(folder):
    layout.change(folder / MCQ, 0, question=layout.question("What is step 0?", mark="A) "))
    report = bring(folder)
    assert item().current.number == 1
    assert [change[1] for change in changes(report)] == ["question"]


def test_a_changed_keep_flag_is_taken(folder):
    layout.change(folder / MCQ, 0, keep=False)
    report = bring(folder)
    assert (item().keep, item().keep_source, item().state) == (False, "import", "dropped")
    assert item().current.number == 1
    assert changes(report) == [("mcq/V_0_Kidney/0", "keep", True, False)]


@pytest.mark.parametrize("source", ["votes", "adjudicator"])
def test_a_decision_made_here_is_never_overwritten(folder, source):
    settled("mcq/V_0_Kidney/0", keep=True, source=source)
    layout.change(folder / MCQ, 0, keep=False)
    before = state()

    report = bring(folder)

    assert state() == before
    assert held(report) == [("keep", True, False, f"settled here by {source}")]
    assert held(bring(folder)) == held(report)


def test_a_decision_made_here_stands_while_the_file_stays_as_it_was(folder):
    settled("mcq/V_0_Kidney/0", keep=False, source="votes")
    report = bring(folder)
    assert item().keep is False
    assert not report.held.count


def test_new_wording_under_a_decision_made_here_is_doubted(folder):
    settled("mcq/V_0_Kidney/0", keep=False, source="adjudicator")
    layout.change(folder / MCQ, 0, groundtruth="Another.")
    report = bring(folder)
    assert item().current.number == 2
    assert (item().keep, item().keep_source) == (False, "adjudicator")
    assert "decision by adjudicator was for the old one" in str(report.doubts.first[0])


def test_an_edit_made_here_stands_while_the_file_stays_as_it_was(folder, reviewer):
    edit_item(
        item_id=item().pk, base_version=1, changes={"stem": "Ours?"}, reason="better", by=reviewer
    )
    report = bring(folder)
    assert item().current.stem == "Ours?"
    assert item().keep is None
    assert not report.changed_anything and not report.held.count


def test_an_edit_made_here_is_not_overwritten_by_a_changed_file(folder, reviewer):
    edit_item(
        item_id=item().pk, base_version=1, changes={"stem": "Ours?"}, reason="better", by=reviewer
    )
    layout.change(folder / MCQ, 0, groundtruth="Theirs.")
    before = state()

    report = bring(folder)

    assert state() == before
    assert ("groundtruth", "The probe slides, 0.", "Theirs.") in [row[:3] for row in held(report)]


def test_a_reopened_item_is_not_settled_by_a_file(folder, reviewer):
    edit_item(
        item_id=item().pk, base_version=1, changes={"stem": "Ours?"}, reason="better", by=reviewer
    )
    layout.change(folder / MCQ, 0, keep=False)
    report = bring(folder)
    assert item().keep is None
    assert held(report) == [("keep", None, False, "reopened here")]


def test_an_open_item_is_settled_by_a_file_that_says_so(tmp_path):
    layout.benchmark(tmp_path)
    row = layout.mcq()
    del row["keep"]
    layout.write(tmp_path / MCQ, [row])
    bring(tmp_path)
    assert (item().keep, item().state) == (None, "todo")
    layout.write(tmp_path / MCQ, [row | {"keep": True}])
    bring(tmp_path)
    assert (item().keep, item().state) == (True, "kept")


def test_votes_under_way_are_not_cut_short(tmp_path):
    layout.benchmark(tmp_path)
    layout.write(tmp_path / MCQ, [layout.mcq(keep=None)])
    bring(tmp_path)
    Item.objects.filter(key="mcq/V_0_Kidney/0").update(state="unsure")
    layout.write(tmp_path / MCQ, [layout.mcq(keep=True)])
    report = bring(tmp_path)
    assert item().keep is None
    assert held(report) == [("keep", None, True, "votes are under way here")]


def test_what_is_gone_is_reported_and_stays(folder):
    layout.write(folder / MCQ, [layout.mcq(0)])
    (folder / FREE).unlink()
    layout.write(folder / "gt_all/gt_V_0_Kidney.json", [layout.event(0)])
    report = bring(folder)
    assert report.gone.first == [
        "mcq/V_0_Kidney/1",
        "mcq/V_0_Kidney/2",
        "free/V_0_Kidney/0",
        "free/V_0_Kidney/1",
        "events/V_0_Kidney/1",
        "events/V_0_Kidney/2",
        "events/V_0_Kidney/3",
    ]
    assert (Item.objects.count(), Event.objects.count()) == (10, 8)


def test_a_video_that_is_gone_is_reported_and_stays(folder):
    layout.write(folder / "video_metadata_new.json", {"V_0_Kidney": layout.metadata(0)})
    report = bring(folder)
    assert report.gone.first == ["video/V_1_Kidney"]
    assert Video.objects.count() == 2


def test_a_broken_row_is_not_gone(folder):
    layout.change(folder / MCQ, 2, answer="Z")
    report = bring(folder)
    assert not report.gone.count
    assert report.tallies["mcq"].refused == 1


def test_a_broken_file_is_not_gone(folder):
    layout.write(folder / MCQ, "[NaN]")
    assert not bring(folder).gone.count


def test_another_segment_or_box_reaches_every_item_of_the_video(folder):
    roi = {"x_prop": 0.0, "y_prop": 0.0, "w_prop": 0.5, "h_prop": 0.5}
    layout.change(folder / "video_metadata_new.json", "V_0_Kidney", roi=roi, end_time=71.5)

    report = bring(folder)

    video = Video.objects.get(name="V_0_Kidney")
    assert (video.version, video.end, video.roi_x) == (2, 71.5, 0.0)
    assert set(video.items.values_list("current__number", "current__video_end")) == {(2, 71.5)}
    other = Item.objects.filter(video__name="V_1_Kidney")
    assert set(other.values_list("current__number", flat=True)) == {1}
    assert [change.field for change in report.changes.first] == ["end_time", "roi"]
    before = state()
    bring(folder)
    assert state() == before


def test_another_source_of_a_video(folder):
    url = "https://youtu.be/ZZZZZZZZZZZ"
    layout.change(folder / "video_metadata_new.json", "V_0_Kidney", youtube_url=url)
    bring(folder)
    assert Video.objects.get(name="V_0_Kidney").source.key == "ZZZZZZZZZZZ"
    assert item().current.number == 2


def test_a_box_moved_here_stands(folder, reviewer):
    video = Video.objects.get(name="V_0_Kidney")
    change_roi(
        video_id=video.pk, base_version=1, roi=Roi(0.1, 0.1, 0.2, 0.2), reason="", by=reviewer
    )
    before = state()
    assert not bring(folder).changed_anything
    layout.change(folder / "video_metadata_new.json", "V_0_Kidney", end_time=71.5)
    report = bring(folder)
    assert state() == before
    assert {change.field for change in report.held.first} == {"end_time", "roi"}


def test_changed_and_new_events(folder):
    path = folder / "gt_all/gt_V_0_Kidney.json"
    layout.write(path, [layout.event(0, action="Tilt."), *map(layout.event, range(1, 5))])
    report = bring(folder)
    assert (report.tallies["events"].changed, report.tallies["events"].new) == (1, 1)
    assert Event.objects.get(video__name="V_0_Kidney", position=0).action == "Tilt."
    assert changes(report) == [("events/V_0_Kidney/0", "action", "Slide, 0.", "Tilt.")]


def test_a_second_import_makes_no_second_release(folder):
    layout.change(folder / MCQ, 0, keep=False)
    bring(folder)
    assert Release.objects.get().tag == "r1"
    assert Release.objects.get().kept_mcq == 6


def test_queries_do_not_grow_with_the_items(folder, django_assert_max_num_queries):
    for number in range(2):
        path = folder / f"benchmark_questions/mcq/V_{number}_Kidney.json"
        layout.write(path, [layout.mcq(i % 40) for i in range(400)])
    with django_assert_max_num_queries(90):
        bring(folder)
    with django_assert_max_num_queries(30):
        bring(folder)
