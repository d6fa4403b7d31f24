"""The threads in which a pump cuts and reads clips."""

import threading
from concurrent.futures import ThreadPoolExecutor

from django.db import connections


class MediaThreads:
    """`count` threads that may ask the database, and leave no connection behind."""

    def __init__(self, count: int, name: str) -> None:
        self.count = count
        self.pool = ThreadPoolExecutor(count, name)

    def close(self) -> None:
        """Wait for what is under way, close each thread's connections and end the threads."""
        together = threading.Barrier(self.count)
        for _ in range(self.count):
            self.pool.submit(_leave, together)
        self.pool.shutdown()


def _leave(together: threading.Barrier) -> None:
    together.wait()  # so that each of the threads comes here once
    connections.close_all()
