import pytest

from annotation.domain.clock import clock


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0:00.00"),
        (7.15, "0:07.15"),
        (59.999, "1:00.00"),
        (71.5, "1:11.50"),
        (3671.5, "1:01:11.50"),
        (-3, "0:00.00"),
    ],
)
def test_clock_carries_what_rounds_up(seconds, text):
    assert clock(seconds) == text


def test_clock_without_hundredths():
    assert clock(71.5, hundredths=False) == "1:11"
