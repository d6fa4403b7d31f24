"""The Range header."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.byte_ranges import ByteRange, UnsatisfiableRangeError, read_range

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
