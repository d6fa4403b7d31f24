"""PostgreSQL tells what the whole server has committed, and the server of the tests serves
several of them at a time: what holds while nothing is committed is asked for until it does."""

import time
from collections.abc import Callable

from django.db import connection

PATIENCE = 30.0  # seconds


def in_a_quiet_moment(holds: Callable[[], bool]) -> bool:
    """Say whether `holds` is true; on PostgreSQL, whether it is before PATIENCE has run out."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        if connection.vendor != "postgresql" or time.monotonic() > deadline:
            return False
    return True
