import json
import os
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.strict_json import BadJson, Limits, parse_json, read_json


def refused(data, limits=None):
    with pytest.raises(BadJson) as caught:
        parse_json(data if isinstance(data, bytes) else data.encode(), name="f.json", limits=limits)
    assert str(caught.value).startswith("f.json")
    return caught.value.reason


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ('{"a": 1, "a": 2}', "the key 'a' stands twice"),
        ('{"b": [{"x": 1, "y": 2, "x": 3}]}', "the key 'x' stands twice"),
        ("[NaN]", "NaN is no JSON number"),
        ("[Infinity]", "Infinity is no JSON number"),
        ("[-Infinity]", "-Infinity is no JSON number"),
        ("[1e999]", "1e999 is too large"),
        ("[-1e999]", "-1e999 is too large"),
        ("[" + "9" * 19 + "]", "has more than 18 digits"),
        ("[" + "9" * 100_000 + "]", "has more than 18 digits"),
        ('["\\u0000"]', "holds a NUL character"),
        ('{"k\\u0000": 1}', "holds a NUL character"),
        ('["\\ud800"]', "half of a surrogate pair"),
        ('["\\udc00\\ud800"]', "half of a surrogate pair"),
        ('{"\\udfff": 1}', "half of a surrogate pair"),
        ('["a\x00b"]', "is not JSON"),
        ("", "is not JSON"),
        ("[1] [2]", "is not JSON"),
        ("[1,]", "is not JSON"),
        ("{'a': 1}", "is not JSON"),
        ("[01]", "is not JSON"),
        ('["', "is not JSON"),
        ("]]]]", "is not JSON"),
        (b"\xff\xfe[\x001\x00]\x00", "UTF-16"),
        (b'["\xff"]', "is not UTF-8"),
        (b'["\xed\xa0\x80"]', "is not UTF-8"),
    ],
)
def test_it_refuses(data, reason):
    assert reason in refused(data)


@pytest.mark.parametrize("opener", ["[", '{"a":', '[{"a":'])
def test_depth_is_refused_before_the_parser_recurses(opener):
    assert "levels deep" in refused(opener * 100_000)
    assert "levels deep" in refused(opener * 17 + "1")


def test_brackets_in_texts_are_no_depth():
    assert parse_json(json.dumps(["[" * 1000 + '\\"{']).encode(), name="f") == ["[" * 1000 + '\\"{']


def test_a_tall_file_is_refused_by_its_number_of_values():
    limits = Limits(nodes=1000)
    assert "more than 1000 values" in refused("[" + "1," * 1000 + "1]", limits)
    assert "more than 1000 values" in refused("[" + "{}," * 1000 + "1]", limits)
    assert len(parse_json(b"[" + b"1," * 900 + b"1]", name="f", limits=limits)) == 901


def test_a_large_file_is_refused_by_its_size(tmp_path):
    path = tmp_path / "f.json"
    path.write_text("[" + " " * 2000 + "]")
    with pytest.raises(BadJson, match="larger than"):
        read_json(path, limits=Limits(size=1000))
    assert "larger than" in refused(path.read_bytes(), Limits(size=1000))


@pytest.mark.parametrize(
    "text", ['"' + '\\"' * 1_000_000, '["' + "\\" * 2_000_001, '"' * 2_000_001]
)
def test_open_texts_take_no_time(text):
    start = time.process_time()
    refused(text)
    assert time.process_time() - start < 3


def test_it_says_where():
    with pytest.raises(BadJson) as caught:
        parse_json(b'[\n  {"a": nope}\n]', name="f.json")
    assert caught.value.position == "line 2, column 9"
    with pytest.raises(BadJson) as caught:
        parse_json(b'[{"a": ["x", "\\u0000"]}]', name="f.json")
    assert caught.value.position == "[0].a[1]"


def test_a_byte_order_mark_is_taken():
    assert parse_json(b'\xef\xbb\xbf{"a": "\\ud83d\\ude00"}', name="f") == {"a": "😀"}


def test_links_folders_and_pipes_are_no_files(tmp_path):
    target = tmp_path / "secret.json"
    target.write_text("[]")
    (tmp_path / "link.json").symlink_to(target)
    (tmp_path / "folder.json").mkdir()
    os.mkfifo(tmp_path / "pipe.json")
    for name, reason in (
        ("link.json", "symbolic link"),
        ("folder.json", "not a regular file"),
        ("pipe.json", "not a regular file"),
        ("missing.json", "no such file"),
    ):
        with pytest.raises(BadJson, match=reason):
            read_json(tmp_path / name)


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**17), 10**17)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=20,
)


@given(VALUES, st.booleans())
def test_what_is_sound_comes_in_as_it_is(value, ascii_only):
    data = json.dumps(value, ensure_ascii=ascii_only).encode()
    assert parse_json(data, name="f", limits=Limits(depth=50)) == value


@given(st.binary(max_size=200))
def test_noise_gives_a_value_or_a_refusal(data):
    try:
        parse_json(data, name="f")
    except BadJson as error:
        assert error.reason
