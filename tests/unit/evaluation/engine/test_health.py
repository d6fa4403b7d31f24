"""How a provider's faults change the number of calls at once. Plain arithmetic."""

from evaluation.engine.health import FIRST_REST, HOPELESS_AT, TRIPS_AT, Health


def test_healthy_provider_gets_its_limit() -> None:
    health = Health(limit=8)
    for _ in range(50):
        health.note("", "", 1.0)
    assert health.allowed(1.0) == 8


def test_failures_in_a_row_give_rest_then_one_probe_then_all() -> None:
    health = Health(limit=8)
    for _ in range(TRIPS_AT):
        health.note("overload", "", 100.0)
    assert health.allowed(100.0 + FIRST_REST - 0.1) == 0
    assert health.allowed(100.0 + FIRST_REST) == 1
    health.note("", "", 106.0)
    assert health.allowed(106.0) == 8


def test_failed_probe_rests_longer() -> None:
    health = Health(limit=8)
    for _ in range(TRIPS_AT):
        health.note("timeout", "", 0.0)
    health.note("timeout", "", 5.0)
    assert health.allowed(5.0 + FIRST_REST) == 0
    assert health.allowed(5.0 + 2 * FIRST_REST) == 1


def test_a_few_429_change_nothing_many_cut_back() -> None:
    health = Health(limit=64)
    for number in range(40):
        health.note("rate_limit" if number % 20 == 0 else "", "", float(number))
    assert health.allowed(40.0) == 64
    for number in range(40, 80):
        health.note("rate_limit", "", float(number))
    cut = health.allowed(80.0)
    assert 1 <= cut < 16
    for number in range(400):
        health.note("", "", 80.0 + number)
    assert health.allowed(500.0) == 64


def test_refused_key_stops() -> None:
    health = Health(limit=8)
    health.note("auth", "401", 0.0)
    assert health.allowed(0.0) == 0
    assert "401" in health.stop_reason


def test_bad_requests_stop_only_where_nothing_was_ever_understood() -> None:
    fresh, used = Health(limit=8), Health(limit=8)
    used.note("", "", 0.0)
    for _ in range(HOPELESS_AT):
        fresh.note("bad_request", "no such model", 0.0)
        used.note("bad_request", "no such model", 0.0)
    assert "no such model" in fresh.stop_reason
    assert not used.stop_reason
