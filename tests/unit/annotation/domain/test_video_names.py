import pytest

from annotation.domain.video_names import (
    category_from,
    closest,
    match_names,
    problem_with,
    title_from,
)

TAGGED = "First_Trimester_Intrauterine_Pregnancy _Ultrasound_Scanning_Technique_CC"


@pytest.mark.parametrize(
    ("name", "video"),
    [
        ("First_Trimester_Intrauterine_Pregnancy _Ultrasound_Scanning_Technique", TAGGED),
        ("First_Trimester_Intrauterine_Pregnancy_Ultrasound_Scanning_Technique", TAGGED),
        ("First_Trimester_Intrauterine_Pregnancy_Ultrasound_Scanning_Technique_CC", TAGGED),
        ("exam_of_the_(GI)_tract", "exam_of_the_(GI)_tract."),
        ("Renal_for_Primary_Care", "Renal_for_Primary_Care_"),
        ("lung", "Lung"),
    ],
)
def test_spellings_that_mean_one_video(name, video):
    videos = [TAGGED, "exam_of_the_(GI)_tract.", "Renal_for_Primary_Care_", "Lung", "Lung_2"]
    match = match_names([name], videos)[name]
    assert match.video == video
    assert match.how.startswith("spelled otherwise")


def test_an_equal_spelling_needs_no_word():
    assert match_names(["Lung"], ["Lung", "Lung_2"])["Lung"].how == ""


@pytest.mark.parametrize("name", ["Lung_3", "Lung_Protocol", "Liver", "", "...", "Lung 2 2"])
def test_a_number_or_a_word_is_another_video(name):
    assert match_names([name], ["Lung", "Lung_2"])[name] is None


def test_two_names_for_one_video_mean_none():
    found = match_names(["lung.", "LUNG"], ["Lung"])
    assert found == {"lung.": None, "LUNG": None}
    assert match_names(["Lung", "LUNG"], ["Lung"])["LUNG"] is None


def test_two_videos_for_one_name_mean_none():
    assert match_names(["lung"], ["Lung_", "Lung."])["lung"] is None
    assert match_names(["lung"], ["Lung_CC", "Lung_HD"])["lung"] is None


def test_many_names_take_no_time():
    names = [f"Name {number}x" for number in range(5000)]
    assert not any(match_names(names, [f"Other_{number}" for number in range(5000)]).values())


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../x", "a/b", "a\\b", "a\x00", "a\nb", ".hidden", "___", "é" * 101]
)
def test_names_that_are_no_file_names(name):
    assert problem_with(name)


def test_good_names_have_no_problem():
    assert not problem_with(TAGGED)
    assert not problem_with("exam_of_the_(GI)_tract.")


def test_titles_and_categories():
    assert title_from("exam_of_the_(GI)_tract.") == "exam of the (GI) tract"
    assert title_from("A__B_ C_") == "A B C"
    assert category_from("POCUS_of_the_Abdominal_Aorta") == "Vessels"
    assert category_from("Scanning_the_Gallbladder") == "Abdomen"
    assert category_from("Bladder_Ultrasound") == "Urinary tract"
    assert category_from("Nothing_known") == ""
    assert closest("Lungs", ["Lung", "Liver"]) == "Lung"
