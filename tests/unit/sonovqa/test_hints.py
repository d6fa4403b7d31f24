"""What providers say about their limits, well or badly written."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from sonovqa.adapters import hints


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("6m0s", 360.0), ("120ms", 0.12), ("1.5", 1.5), ("2h", 3600.0), ("1s", 1.0), ("0s", 0.0),
     ("", None), (None, None), ("soon", None), ("1x", None), ("-1", None), ("nan", None),
     ("1e999", None), ("1s;2", None), ("9" * 60, None)],
)  # fmt: skip
def test_length(text: str | None, seconds: float | None) -> None:
    assert hints.length(text) == (None if seconds is None else pytest.approx(seconds))


def test_only_what_is_used_up_counts() -> None:
    headers = {
        "x-ratelimit-remaining-requests": "12", "x-ratelimit-reset-requests": "1h",
        "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "7s",
    }  # fmt: skip
    assert hints.used_up_for(headers) == 7.0
    assert hints.used_up_for({}) == 0.0
    assert hints.used_up_for({"x-ratelimit-remaining-tokens": "0"}) == 0.0


def test_retry_after_in_every_spelling() -> None:
    assert hints.retry_after({"retry-after": "3"}) == 3.0
    assert hints.retry_after({"retry-after-ms": "250", "retry-after": "9"}) == 0.25
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    assert 90 < (hints.retry_after({"retry-after": later}) or 0) <= 100
    assert hints.retry_after({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0.0
    assert hints.retry_after({"retry-after": "whenever"}) is None
    assert hints.retry_after({"x-ratelimit-remaining-requests": "0",
                              "x-ratelimit-reset-requests": "2s"}) == 2.0  # fmt: skip


@pytest.mark.parametrize(
    "date",
    ["Mon, 01 Jan 99999999999999999999 00:00:00 GMT", "99999999999 Jan 2020 00:00:00",
     "1 Jan 2020 00:00:00 -99999999999999999999", "1 Jan 2020 00:00:00 -3999999999999"],
)  # fmt: skip
def test_a_date_beyond_all_calendars_is_none(date: str) -> None:
    """It would count as a fault of ours, and its call as one that may have been billed."""
    assert hints.retry_after({"retry-after": date}) is None
