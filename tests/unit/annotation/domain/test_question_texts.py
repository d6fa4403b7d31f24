import pytest

from annotation.domain.question_texts import letter, type_label, without_opening


@pytest.mark.parametrize(
    ("stem", "short"),
    [
        ("Based on the video clip, what is shown?", "What is shown?"),
        ("[MCQ] Based on this clip, why?", "Why?"),
        ("The clip shows a sweep. Why?", "The clip shows a sweep. Why?"),
        ("", ""),
    ],
)
def test_lists_drop_the_stock_opening(stem, short):
    assert without_opening(stem) == short


def test_type_of_the_files():
    label = type_label("Type2_ArtifactResolutionOptimization")
    assert (label.code, label.name) == ("T2", "Artifact")


@pytest.mark.parametrize("unknown", ["", "Anything", "Type9_SomethingNew", "<b>x</b>"])
def test_an_unknown_type_is_shown_as_it_is(unknown):
    label = type_label(unknown)
    assert label.code and len(label.code) <= 12


def test_letters():
    assert [letter(place) for place in (0, 3, 25, 26)] == ["A", "D", "Z", "AA"]
