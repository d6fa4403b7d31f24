"""Jobs on threads of their own, each with a database connection of its own."""

import threading
from collections.abc import Callable, Iterable

from django.db import connection


def at_once(jobs: Iterable[Callable[[], object]]) -> None:
    """Run the jobs at the same time; any error of one of them fails the test."""
    errors: list[BaseException] = []

    def run(job: Callable[[], object]) -> None:
        try:
            job()
        except Exception as error:  # noqa: BLE001  told to the test below
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=[job]) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors
