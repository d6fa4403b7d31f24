"""How a provider's faults change the number of calls at once. Plain arithmetic."""

from evaluation.engine.health import FIRST_WINDOW, HOPELESS_AT, TRIPS_AT, Health

GOOD, LIMITED = "", "rate_limit"


def note(health: Health, *classes: str, now: float = 1.0, hold: float | None = None) -> None:
    for error_class in classes:
        health.note(error_class, "why", now, hold=hold)


def test_small_limit_is_used_from_the_first_call() -> None:
    health = Health(limit=8)
    assert health.allowed(1.0) == 8
    note(health, *[GOOD] * 50)
    assert health.allowed(1.0) == 8


def test_unknown_provider_is_doubled_in_each_round_trip_up_to_the_limit() -> None:
    health = Health(limit=256)
    assert health.allowed(1.0) == FIRST_WINDOW
    note(health, *[GOOD] * 32)
    assert health.allowed(1.0) == 64
    note(health, *[GOOD] * 300)
    assert health.allowed(1.0) == 256


def test_known_provider_begins_with_what_went_well() -> None:
    health = Health(limit=200)
    health.begin_with(0.5)
    assert health.allowed(1.0) == 100
    assert health.share == 0.5
    note(health, *[GOOD] * 100)
    assert 100 < health.allowed(1.0) <= 110, "no doubling beyond what is known"


def test_first_429_ends_the_doubling() -> None:
    health = Health(limit=256)
    note(health, LIMITED, *[GOOD] * 31)
    assert FIRST_WINDOW <= health.allowed(1.0) <= FIRST_WINDOW + 4


def test_a_few_429_cut_nothing() -> None:
    health = Health(limit=64, window=64)
    note(health, *([LIMITED] + [GOOD] * 19) * 40)
    assert health.allowed(1.0) >= 60


def test_many_429_cut_by_a_factor_and_it_grows_again_slowly() -> None:
    health = Health(limit=64, window=64)
    note(health, *[LIMITED] * 64)
    assert health.allowed(1.0) == 32
    note(health, *[LIMITED] * 32)
    assert health.allowed(1.0) == 16
    note(health, *[GOOD] * 16)
    assert 16 < health.allowed(1.0) <= 18
    note(health, *[GOOD] * 2000)
    assert health.allowed(1.0) == 64


def test_window_settles_near_what_the_provider_takes() -> None:
    health = Health(limit=256, window=256)
    for _ in range(60):
        sent = health.allowed(1.0)
        taken = min(sent, 40)
        note(health, *[GOOD] * taken, *[LIMITED] * (sent - taken))
    assert 34 <= health.allowed(1.0) <= 50


def test_hold_that_the_provider_asks_for_is_kept_where_many_met_it() -> None:
    health = Health(limit=16, window=16)
    note(health, *[LIMITED] * 16, now=100.0, hold=7.0)
    assert health.allowed(106.9) == 0
    assert health.allowed(107.0) == 8


def test_failures_in_a_row_stop_all_calls_but_a_probe() -> None:
    health = Health(limit=8)
    note(health, *["overload"] * TRIPS_AT)
    assert health.tripped
    assert health.allowed(1.0) == 0
    health.is_open, health.may_probe, health.failures = True, True, 0
    assert health.allowed(1.0) == 1
    note(health, "timeout")
    assert health.tripped, "the probe failed"


def test_reply_ends_a_row_of_failures() -> None:
    health = Health(limit=8)
    note(health, *(["overload"] * (TRIPS_AT - 1) + [GOOD]) * 3)
    assert not health.tripped
    assert health.replied


def test_refused_key_stops() -> None:
    health = Health(limit=8)
    health.note("auth", "401", 0.0)
    assert health.allowed(0.0) == 0
    assert "401" in health.stop_reason


def test_bad_requests_stop_only_where_nothing_was_ever_understood() -> None:
    fresh, used = Health(limit=8), Health(limit=8)
    note(used, GOOD)
    for _ in range(HOPELESS_AT):
        fresh.note("bad_request", "no such model", 0.0)
        used.note("bad_request", "no such model", 0.0)
    assert "no such model" in fresh.stop_reason
    assert not used.stop_reason
