"""The Range header."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.byte_ranges import (
    ByteRange,
    UnsatisfiableRangeError,
    merged,
    missing,
    read_range,
)

SIZE = 1000


@pytest.mark.parametrize(
    ("header", "first", "last"),
    [
        ("bytes=0-0", 0, 0),
        ("bytes=0-", 0, 999),
        ("bytes=10-19", 10, 19),
        ("bytes=990-5000", 990, 999),
        ("bytes=-10", 990, 999),
        ("bytes=-5000", 0, 999),
        ("BYTES= 5-6 ", 5, 6),
    ],
)
def test_a_range_is_read(header, first, last):
    assert read_range(header, SIZE) == ByteRange(first, last)


@pytest.mark.parametrize(
    "header",
    ["", "bytes", "bytes=", "bytes=-", "bytes=a-b", "items=0-5", "bytes=5-2", "bytes=0-1,4-5",
     "bytes=0x1-5", "bytes=--5", "bytes=1-2-3", "bytes=" + "9" * 40 + "-", "bytes=٣-٥"],
)  # fmt: skip
def test_a_malformed_or_multiple_range_means_the_whole_file(header):
    assert read_range(header, SIZE) is None


@pytest.mark.parametrize("header", ["bytes=1000-", "bytes=5000-6000", "bytes=-0"])
def test_a_range_outside_the_file_cannot_be_satisfied(header):
    with pytest.raises(UnsatisfiableRangeError):
        read_range(header, SIZE)


def test_nothing_of_an_empty_file_can_be_had():
    with pytest.raises(UnsatisfiableRangeError):
        read_range("bytes=0-", 0)
    with pytest.raises(UnsatisfiableRangeError):
        read_range("bytes=-5", 0)


@given(header=st.text(max_size=60), size=st.integers(0, 10**7))
def test_whatever_is_sent_gives_a_range_inside_the_file_or_none(header, size):
    for sent in (header, "bytes=" + header):
        try:
            found = read_range(sent, size)
        except UnsatisfiableRangeError:
            continue
        assert found is None or 0 <= found.first <= found.last < size


byte_ranges = st.builds(
    lambda first, more: ByteRange(first, first + more), st.integers(0, 60), st.integers(0, 20)
)


def bytes_in(ranges) -> set[int]:
    return {place for one in ranges for place in range(one.first, one.last + 1)}


@given(st.lists(byte_ranges, max_size=8))
def test_merged_ranges_hold_the_same_bytes_and_do_not_touch(ranges):
    found = merged(ranges)
    assert bytes_in(found) == bytes_in(ranges)
    assert all(a.last + 1 < b.first for a, b in pairwise(found))


@given(byte_ranges, st.lists(byte_ranges, max_size=8))
def test_what_is_missing_is_what_is_wanted_and_not_held(wanted, held):
    found = missing(wanted, held)
    assert bytes_in(found) == bytes_in([wanted]) - bytes_in(held)
    assert all(one.length > 0 for one in found)
