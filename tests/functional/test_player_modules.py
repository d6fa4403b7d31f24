"""The pure modules of the player and the timeline, imported into real Chromium."""

import itertools

import pytest

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]


# When a loop jumps.

POLL = """
    let loop = m.makeLoop(...arg.window), time = arg.from, jumps = [], pending = null;
    for (let now = 0; now < arg.ms; now += 16) {
        if (pending && now >= pending.at) { time = pending.to; pending = null; }
        const seen = m.look(loop, time, now);
        loop = seen.loop;
        if (seen.jump) jumps.push(now);
        if (seen.jump && !arg.lost) pending ??= { at: now + arg.lag, to: arg.lands ?? loop.start };
        time += 0.016;
    }
    return jumps;
"""


def test_a_loop_jumps_once_a_round_however_late_the_seek_takes_effect(run):
    jumps = run("player/loop", POLL, {"window": [5, 7], "from": 5, "ms": 10_000, "lag": 900})

    assert 3 <= len(jumps) <= 4


def test_a_loop_of_a_tiny_clip_still_goes_round(run):
    jumps = run("player/loop", POLL, {"window": [5, 5.2], "from": 5, "ms": 4000, "lag": 50})

    assert 14 <= len(jumps) <= 22


def test_a_seek_that_was_lost_is_asked_for_again_after_a_while(run):
    argument = {"window": [5, 7], "from": 6.9, "ms": 8000, "lag": 0, "lost": True}
    jumps = run("player/loop", POLL, argument)

    assert 2 <= len(jumps) <= 3
    assert min(after - before for before, after in itertools.pairwise(jumps)) >= 3000


def test_landing_on_an_earlier_keyframe_asks_for_nothing(run):
    argument = {"window": [5, 7], "from": 5, "ms": 9000, "lag": 100, "lands": 3.2}
    jumps = run("player/loop", POLL, argument)

    assert len(jumps) <= 3


def test_who_goes_past_the_end_on_purpose_is_not_pulled_back(run):
    free = """
        let loop = m.sought(m.makeLoop(5, 7), 9, 0);
        const past = m.look(loop, 9.5, 5000);
        const inside = m.look(past.loop, 6, 6000);
        return [past.jump, inside.jump, m.look(inside.loop, 6.95, 9000).jump];
    """
    assert run("player/loop", free) == [False, False, True]


@pytest.mark.parametrize("window", [[5, 5], [7, 5], ["5", 7]])
def test_a_window_that_is_none_is_refused(run, window):
    script = "try { m.makeLoop(...arg); return 'made'; } catch (error) { return error.name; }"

    assert run("player/loop", script, window) == "RangeError"


# A clock that lags.


def test_the_clock_runs_on_between_reports_and_stops_when_they_stop(run):
    script = """
        let clock = m.report(m.makeClock(), 10, 1000, 1);
        return [m.read(clock, 1200, 1), m.read(clock, 1200, 0), m.read(clock, 9000, 2)];
    """
    assert run("player/clock", script) == pytest.approx([10.2, 10, 11])


def test_after_a_seek_old_reports_are_not_believed(run):
    script = """
        let clock = m.report(m.makeClock(), 10, 1000, 1);
        clock = m.seekTo(clock, 5, 1100, 1);
        const late = m.report(clock, 10.2, 1250, 1);
        const there = m.report(late, 5.1, 1400, 1);
        return [m.read(clock, 1100, 1), m.read(late, 1250, 1), m.read(there, 1400, 1)];
    """
    assert run("player/clock", script) == pytest.approx([5, 5, 5.1])


def test_steps_of_a_frame_add_up_although_no_report_comes(run):
    script = """
        let clock = m.report(m.makeClock(), 10, 1000, 0);
        for (let n = 0; n < 5; n += 1) {
            clock = m.seekTo(clock, m.read(clock, 1100 + n, 0) + 1 / 30, 1100 + n, 0);
            clock = m.report(clock, 10, 1101 + n, 0);
        }
        return m.read(clock, 1200, 0);
    """
    assert run("player/clock", script) == pytest.approx(10 + 5 / 30)


def test_a_seek_without_effect_is_given_up(run):
    script = """
        let clock = m.report(m.makeClock(), 10, 1000, 1);
        clock = m.seekTo(clock, 5, 1000, 1);
        return m.read(m.report(clock, 12, 3000, 1), 3000, 1);
    """
    assert run("player/clock", script) == pytest.approx(12)


# Times and lanes.


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0:00.00"), (7.154, "0:07.15"), (59.996, "1:00.00"), (223.76, "3:43.76")],
)
def test_times_read_as_everywhere(run, seconds, text):
    assert run("stage/format", "return m.clock(arg)", seconds) == text


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("0:07.15", 7.15), ("71.5", 71.5), ("1:01:02", 3662), ("", None), ("a", None), ("-1", None)],
)
def test_typed_times_are_read(run, text, seconds):
    assert run("stage/format", "return m.parse(arg)", text) == seconds


def test_places_and_times_of_a_lane_are_inverse(run):
    script = """
        const lane = { span: { start: 4, end: 19 }, left: 58, width: 604 };
        return [4, 7.15, 12.5, 19].map((time) => m.timeAt(lane, m.xOf(lane, time)));
    """
    assert run("stage/scale", script) == pytest.approx([4, 7.15, 12.5, 19])


def test_labels_have_room_at_every_width(run):
    script = """
        return [[604, 15], [300, 90], [604, 0.9], [280, 4000]].map(([width, length]) => {
            const lane = { span: { start: 0, end: length }, left: 0, width };
            const ticks = m.ticks(lane).list.filter((tick) => tick.major);
            const major = ticks.map((tick) => m.xOf(lane, tick.time));
            return [major.length, Math.min(...major.slice(1).map((x, n) => x - major[n]))];
        });
    """
    for count, gap in run("stage/scale", script):
        assert 2 <= count <= 11
        assert gap >= 63.9


def test_a_moved_edge_leaves_the_other_and_stays_inside(run):
    script = """
        const limits = { duration: 20, least: 0.2 };
        return arg.map(([edge, time]) => m.moveEdge({ start: 5, end: 9.37 }, edge, time, limits));
    """
    moved = run("stage/scale", script, [["start", -3], ["start", 12], ["end", 2], ["end", 99]])

    assert moved[0] == {"start": 0, "end": 9.37}
    assert moved[1] == {"start": pytest.approx(9.17), "end": 9.37}
    assert moved[2] == {"start": 5, "end": pytest.approx(5.2)}
    assert moved[3] == {"start": 5, "end": 20}


def test_a_window_that_ends_after_its_video_may_stay_but_not_grow(run):
    script = """
        const limits = { duration: 20, least: 0.2 };
        return [m.moveEdge({ start: 5, end: 20.35 }, "start", 6, limits),
            m.moveEdge({ start: 5, end: 20.35 }, "end", 25, limits)];
    """
    assert run("stage/scale", script) == [{"start": 6, "end": 20.35}, {"start": 5, "end": 20.35}]
