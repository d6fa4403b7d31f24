"""Two edits of one version, brought together."""

from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.edits import FIELDS
from annotation.domain.merging import PARTS, changed_parts, merge

texts = st.text(max_size=3)
numbers = st.sampled_from([0.0, 1.0, 2.5])
VALUES = {
    "stem": texts,
    "options": st.lists(texts, max_size=3),
    "key_index": st.sampled_from([0, 1, None]),
    "reference_answer": texts,
    "accepted_variants": st.lists(texts, max_size=2),
    "question_type": texts,
    "start": numbers,
    "end": numbers,
    "roi": st.none() | st.fixed_dictionaries({"x": numbers, "w": numbers}),
}
contents = st.fixed_dictionaries(VALUES)


def test_every_editable_field_is_in_one_part():
    fields = [name for part in PARTS.values() for name in part]
    assert sorted(fields) == sorted(FIELDS)


def taken_from(content, parts):
    return {name: content[name] for part in parts for name in PARTS[part]}


@st.composite
def apart(draw):
    """A base and two contents made from it that change no part both."""
    base, one, other = draw(contents), draw(contents), draw(contents)
    ours = draw(st.sets(st.sampled_from(sorted(PARTS))))
    theirs = set(PARTS) - ours
    return base, base | taken_from(one, ours), base | taken_from(other, theirs)


@given(apart())
def test_edits_apart_merge_in_any_order_and_lose_nothing(sides):
    base, mine, theirs = sides
    merged = merge(base, mine, theirs)
    assert merged.is_clean
    assert merged == merge(base, theirs, mine)
    for side in (mine, theirs):
        parts = changed_parts(base, side)
        assert taken_from(merged.content, parts) == taken_from(side, parts)
    untouched = set(PARTS) - {*changed_parts(base, mine), *changed_parts(base, theirs)}
    assert taken_from(merged.content, untouched) == taken_from(base, untouched)


@given(contents, contents, contents)
def test_what_both_changed_is_named_and_never_mixed(base, mine, theirs):
    merged = merge(base, mine, theirs)
    assert set(merged.content) == set(FIELDS)
    for part in PARTS:
        found, ours, other, was = (
            taken_from(side, [part]) for side in (merged.content, mine, theirs, base)
        )
        is_conflict = ours != was and other != was and ours != other
        assert (part in merged.conflicts) is is_conflict
        assert found == (other if is_conflict or other != was else ours)
    assert merged.conflicts == merge(base, theirs, mine).conflicts


@given(contents, contents)
def test_a_merge_with_an_unchanged_side_is_the_other_side(base, mine):
    assert merge(base, mine, base).content == mine
    assert merge(base, base, mine).content == mine
    assert merge(base, mine, mine).is_clean


def test_a_key_is_a_place_among_options_and_a_window_has_two_ends():
    base = {
        "stem": "", "options": ["a", "b"], "key_index": 0, "reference_answer": "",
        "accepted_variants": [], "question_type": "", "start": 1.0, "end": 4.0, "roi": None,
    }  # fmt: skip
    swapped, rekeyed = base | {"options": ["b", "a"]}, base | {"key_index": 1}
    assert merge(base, rekeyed, swapped).conflicts == ("options",)
    assert merge(base, base | {"start": 2.0}, base | {"end": 5.0}).conflicts == ("window",)
