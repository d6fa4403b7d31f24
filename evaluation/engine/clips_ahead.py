"""How many clips a pump claims at once."""

import os

AT_ONCE = max(1, os.cpu_count() or 1)  # clips that are cut at the same time
MOMENT = 0.2  # seconds of work that are claimed
MOST = 32 * AT_ONCE


class ClipsAhead:
    """As many clips as are ready in a moment: clips that are kept need few turns, and of those
    that have to be cut none waits in the hands of one worker while another has nothing to do."""

    def __init__(self) -> None:
        self._usual = MOMENT  # seconds that a clip takes

    def note(self, seconds: float) -> None:
        """Take in how long one clip took."""
        self._usual += (seconds - self._usual) / 4

    @property
    def count(self) -> int:
        """Return how many may be claimed and not ready."""
        return min(MOST, AT_ONCE * max(1, int(MOMENT / max(self._usual, 1e-6))))
