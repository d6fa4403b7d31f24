"""The geometry of windows in the page, beside the server's: imported into real Chromium."""

import random

import pytest

from annotation.domain import edits, window_checks
from annotation.domain.clock import clock

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]
RNG = random.Random(13)


def windows(count: int) -> list[dict[str, float]]:
    """Windows as the store holds them: also very short ones, and past their segment."""
    found = []
    for _ in range(count):
        segment = round(RNG.uniform(0.5, 4000), 2)
        start = round(RNG.uniform(0, segment), RNG.choice([2, 6]))
        length = RNG.choice([RNG.uniform(0.06, 0.4), RNG.uniform(0.4, segment)])
        end = min(start + length, segment + edits.WINDOW_SLACK)
        if end - start >= edits.SHORTEST_WINDOW:
            found.append({"start": start, "end": end, "segment": segment})
    return found


def test_whatever_is_dragged_one_edge_moves_and_the_server_takes_it(run):
    cases = [
        {**case, "edge": RNG.choice(["start", "end"]), "to": RNG.uniform(-50, 4100)}
        for case in windows(400)
    ]
    script = """
        return arg.map(({ start, end, segment, edge, to }) =>
            m.moveEdge({ start, end }, edge, to, { duration: segment, least: 0.2 }));
    """

    for case, moved in zip(cases, run("stage/scale", script, cases), strict=True):
        other = "end" if case["edge"] == "start" else "start"
        assert moved[other] == case[other]
        assert edits.window_errors(moved, case["segment"]) == {}, case
        shortest = min(0.2, case["end"] - case["start"])
        assert moved["end"] - moved["start"] >= shortest - 1e-9


def test_snapping_finds_the_nearest_and_stepping_the_next(run):
    script = """
        const times = m.boundariesOf(arg);
        return [times, m.snap(5.1, times, 1), m.snap(4.9, times, 1), m.snap(5, [], 9),
            m.nextOf(2, times, 1), m.nextOf(2.004, times, -1), m.nextOf(8, times, 1),
            m.nextOf(3, [], -1)];
    """
    events = [{"start": a, "end": b} for a, b in ((6, 8), (0, 2), (2, 6))]

    assert run("stage/scale", script, events) == [[0, 2, 6, 8], 6, 4.9, 5, 6, 0, 8, 3]


def test_the_page_says_of_a_window_what_the_server_says(run):
    cases = []
    for case in windows(300):
        whole = {name: round(value, 2) for name, value in case.items()}
        first = round(RNG.uniform(0, whole["segment"]), 2)
        events = RNG.choice([[], [[first, first + 3]]])
        cases.append(whole | {"events": [{"start": a, "end": b} for a, b in events]})
    script = """
        return arg.map(({ start, end, segment, events }) =>
            m.windowWarnings({ start, end }, segment, events));
    """

    for case, said in zip(cases, run("stage/window_checks", script, cases), strict=True):
        events = [(one["start"], one["end"]) for one in case["events"]]
        assert said == window_checks.warnings(
            case["start"], case["end"], segment=case["segment"], events=events
        )


def test_times_read_as_they_are_written_here_and_there(run):
    times = [round(RNG.uniform(0, 20_000), 2) for _ in range(400)]
    script = "return arg.map((time) => [m.clock(time), m.parse(m.clock(time))]);"

    for time, (text, back) in zip(times, run("stage/format", script, times), strict=True):
        assert text == clock(time)
        assert back == pytest.approx(time, abs=1e-6)
