import pytest

from annotation.domain.benchmark_files import read_event, read_item, read_video
from tests import layout


def problems(found):
    assert isinstance(found, list), found
    return {(finding.field, finding.reason) for finding in found}


def test_a_good_mcq():
    item = read_item("mcq", 3, layout.mcq(answer="C", note="x"), file="f.json")
    assert (item.index, item.key_index, item.reference_answer) == (3, 2, "")
    assert item.question.options == layout.OPTIONS
    assert item.extra == {"note": "x"}


def test_a_good_free_response():
    item = read_item("free", 0, layout.free(), file="f.json")
    assert item.key_index is None
    assert item.reference_answer == "To see the “long axis”, 0."


def test_keep_type_and_ground_truth_may_be_absent():
    row = layout.mcq()
    for name in ("keep", "question_type", "groundtruth"):
        del row[name]
    item = read_item("mcq", 0, row, file="f.json")
    assert (item.keep, item.question_type, item.ground_truth) == (None, "", "")


@pytest.mark.parametrize(
    ("fields", "field", "reason"),
    [
        ({"answer": "E"}, "answer", "is 'E', not one of the letters A to D"),
        ({"answer": "a"}, "answer", "is 'a', not one of the letters A to D"),
        ({"answer": "AB"}, "answer", "is 'AB', not one of the letters A to D"),
        ({"answer": 1}, "answer", "is a number, not a text"),
        ({"answer": None}, "answer", "is missing"),
        ({"question": ["x"]}, "question", "is a list, not a text"),
        ({"question": "[MCQ] What?"}, "question", "has no options marked A, B, …"),
        (
            {"question": layout.question("x" * 8_001)},
            "question",
            "has a stem of 8001 characters; at most 8000 are taken",
        ),
        (
            {"question": layout.question("What?", ("a", "b" * 2_001))},
            "question",
            "has an option of 2001 characters; at most 2000 are taken",
        ),
        (
            {"question": "What?\n" + "\n".join(f"{letter}. x" for letter in "ABCDEFGHIJK")},
            "question",
            "has 11 options; at most 10 are taken",
        ),
        ({"question": "x" * 20_001}, "question", "has 20001 characters; at most 20000 are taken"),
        ({"time_start": "1"}, "time_start", "is a text, not a number"),
        ({"time_start": True}, "time_start", "is true or false, not a number"),
        ({"time_start": -0.5}, "time_start", "is -0.5, outside 0 to 1e+06"),
        ({"time_end": 1.5}, "time_end", "is 1.5, not after time_start 1.5"),
        ({"time_end": 1e300}, "time_end", "is 1e+300, outside 0 to 1e+06"),
        ({"keep": 1}, "keep", "is a number, not true or false"),
        ({"keep": "true"}, "keep", "is a text, not true or false"),
        (
            {"question_type": "T" * 65},
            "question_type",
            "has 65 characters; at most 64 are taken",
        ),
        ({"groundtruth": {}}, "groundtruth", "is an object, not a text"),
        ({"_import": {}}, "_import", "is a key that the import keeps for itself"),
        ({"x": "y" * 30_000}, "x", "is longer than 20000 characters"),
        ({"k" * 101: 1}, "k" * 40, "is a key of 101 characters"),
        ({"roi": {"x_prop": 0.5}}, "y_prop", "is missing"),
        ({"roi": [1]}, "roi", "is a list, not an object"),
    ],
)
def test_a_bad_field_is_named(fields, field, reason):
    found = read_item("mcq", 2, layout.mcq(**fields), file="f.json")
    assert (field, reason) in problems(found)
    assert {(finding.file, finding.position) for finding in found} == {("f.json", "row 2")}


def test_all_that_is_wrong_is_said_at_once():
    found = read_item("mcq", 0, {"question": 1, "time_start": None}, file="f.json")
    assert {name for name, _ in problems(found)} == {"question", "answer", "time_start", "time_end"}


def test_many_unknown_keys_are_refused():
    row = layout.mcq(**{f"k{number}": 1 for number in range(51)})
    assert "51 unknown keys" in read_item("mcq", 0, row, file="f")[0].reason


@pytest.mark.parametrize("value", [None, 1, "x", [], True])
def test_a_row_that_is_no_object(value):
    for read in (
        lambda: read_item("mcq", 0, value, file="f"),
        lambda: read_event(0, value, file="f"),
        lambda: read_video("name", value),
    ):
        assert any("not an object" in finding.reason for finding in read())


def test_a_good_video():
    video = read_video("V_1", layout.metadata(7, _note=[1]))
    assert (video.source_kind, video.source_key) == ("youtube", "abcdefghij7")
    assert video.roi == (0.25, 0.125, 0.5, 0.5)
    assert video.extra == {"_note": [1]}


def test_a_segment_may_start_shortly_before_its_source():
    assert read_video("V", layout.metadata(start_time=-0.43)).start == -0.43


def roi(**fields):
    return {"roi": {"x_prop": 0.0, "y_prop": 0.0, "w_prop": 1.0, "h_prop": 1.0} | fields}


@pytest.mark.parametrize(
    ("name", "fields", "field", "reason"),
    [
        ("V", {"youtube_url": "https://evil.example/x"}, "youtube_url", "not the address of"),
        ("V", {"youtube_url": 1}, "youtube_url", "is a number"),
        ("V", {"end_time": 10.5}, "end_time", "not after start_time"),
        ("V", {"start_time": -11}, "start_time", "outside -10"),
        ("V", roi(x_prop=0.5), "roi", "x + w must not pass 1"),
        ("V", roi(w_prop=0), "roi", "w must be at least"),
        ("V", roi(w_prop=1.5), "w_prop", "outside 0 to 1"),
        ("V", roi(w_prop=None), "w_prop", "is missing"),
        ("V", roi(z=1), "roi", "unknown key 'z'"),
        ("../V", {}, "", "no name for a file"),
        ("V/x", {}, "", "no name for a file"),
        ("", {}, "", "no name for a file"),
        ("V" * 201, {}, "", "longer than 200 bytes"),
        ("V", {"source_file": "../x.mp4"}, "source_file", "no path below"),
        ("V", {"source_file": "/etc/passwd"}, "source_file", "no path below"),
        ("V", {"source_file": "a/../../x.mp4"}, "source_file", "no path below"),
    ],
)
def test_a_bad_video_is_named(name, fields, field, reason):
    found = problems(read_video(name, layout.metadata(**fields)))
    assert any(field == one and reason in other for one, other in found), found


def test_a_file_of_our_own_is_a_source():
    row = layout.metadata(source_file="phantom/one.mp4")
    del row["youtube_url"]
    video = read_video("V", row)
    assert (video.source_kind, video.source_key) == ("file", "phantom/one.mp4")


def test_events():
    assert read_event(1, layout.event(end=1.5), file="f").end == 1.5
    assert problems(read_event(1, layout.event(end=1.0), file="f"))
    assert problems(read_event(1, layout.event(action=""), file="f")) == {("action", "is blank")}


@pytest.mark.parametrize(
    ("variants", "reason"),
    [
        ("one", "is a text, not a list"),
        ([1], "has an entry that is no text, or blank"),
        ([" "], "has an entry that is no text, or blank"),
        (["x" * 2_001], "has an entry of more than 2000 characters"),
        ([str(number) for number in range(11)], "has 11 entries; at most 10 are taken"),
        (["a", "a "], "has two accepted answers that are equal"),
    ],
)
def test_bad_accepted_variants_are_refused(variants, reason):
    found = read_item("free", 0, layout.free(accepted_variants=variants), file="f.json")
    assert ("accepted_variants", reason) in problems(found)


def test_accepted_variants_belong_to_free_responses_and_change_the_content():
    row = layout.free()
    plain = read_item("free", 0, row, file="f.json")
    empty = read_item("free", 0, row | {"accepted_variants": []}, file="f.json")
    more = read_item("free", 0, row | {"accepted_variants": ["To see it."]}, file="f.json")
    assert more.accepted_variants == ("To see it.",) and more.extra == {}
    assert plain.content_digest == empty.content_digest != more.content_digest
    found = read_item("mcq", 0, layout.mcq(accepted_variants=["A"]), file="f.json")
    assert {field for field, _ in problems(found)} == {"accepted_variants"}
