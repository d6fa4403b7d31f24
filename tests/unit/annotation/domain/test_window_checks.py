"""What is said of a window before it is saved."""

import pytest

from annotation.domain.window_checks import warnings


@pytest.mark.parametrize(
    ("start", "end", "said"),
    [
        (2.0, 60.35, "Ends 0.35 s after its segment: end it at 1:00.00"),
        (60.0, 60.8, "Lies after its segment, which ends at 1:00.00"),
        (2.0, 2.42, "Only 0.42 s: a model gets 6 frames"),
        (2.0, 2.06, "a model gets 1 frame."),
        (30.0, 40.0, "No entry of the event log"),
    ],
)
def test_each_fault_has_its_warning(start, end, said):
    found = warnings(start, end, segment=60.0, events=[(0.0, 5.0), (55.0, 61.0)])

    assert any(said in text for text in found)


def test_a_window_without_fault_is_not_warned_of():
    assert warnings(2.0, 60.0, segment=60.0, events=[(0.0, 5.0)]) == []
    assert warnings(2.0, 60.004, segment=60.0) == []  # reads as 1:00.00
