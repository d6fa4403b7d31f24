"""How a provider fares, as one pump sees it: how many calls at once, and whether to stop.

The number of calls at once doubles in each round trip until the first 429, grows by a tenth
after that, and is cut where many calls of a round trip met one. A few that meet one by
chance are not the sign of too many: each of them waits, the others go on. Plain arithmetic over
results and a clock that is handed in.
"""

from dataclasses import dataclass

from sonovqa.adapters.errors import ErrorClass

TROUBLE = frozenset({ErrorClass.OVERLOAD, ErrorClass.TIMEOUT, ErrorClass.CONNECTION})
TRIPS_AT = 20  # failures in a row
HOPELESS_AT = 10  # bad requests in a row before any reply
FIRST_WINDOW = 32.0  # calls at once with a provider of which nothing is known
SMALL_ROUND = 8  # results, below which a share says nothing
CUT_AT, GROW_BELOW = 0.15, 0.075  # shares of 429s in a round trip
STRONGEST_CUT = 0.5


@dataclass
class Health:
    """`limit` is the most calls at once that are allowed, `window` how many go well, `now`
    in seconds of any clock that only goes forward.

    `is_open`: the provider rests, for all workers; `may_probe`: this pump may try one call.
    """

    limit: float = 1.0
    window: float = FIRST_WINDOW
    hold_until: float = 0.0
    is_open: bool = False
    may_probe: bool = False
    stop_reason: str = ""
    replied: bool = False
    failures: int = 0  # in a row
    _growing: bool = True
    _bad_requests: int = 0
    _replies: int = 0
    _results: int = 0
    _limited: int = 0

    def allowed(self, now: float) -> int:
        """Return how many calls may be in flight; none while the provider rests, then one."""
        if self.stop_reason or now < self.hold_until:
            return 0
        if self.is_open or self.tripped:
            return 1 if self.may_probe else 0
        return max(1, int(min(self.limit, self.window)))

    @property
    def tripped(self) -> bool:
        """Say whether so many calls in a row failed that the provider has to rest."""
        return self.failures >= TRIPS_AT or (self.may_probe and self.failures > 0)

    def begin_with(self, share: float) -> None:
        """Begin with the share of the limit that went well before."""
        self.window, self._growing = max(1.0, share * self.limit), share >= 1

    @property
    def is_settled(self) -> bool:
        """Say whether the window is known: it is full, or a 429 has ended the doubling."""
        return not self._growing or self.window >= self.limit

    @property
    def share(self) -> float:
        """Return which share of the limit goes well, above 0 and at most 1."""
        return min(1.0, max(self.window, 1.0) / max(self.limit, 1.0))

    def note(
        self, error_class: str, message: str, now: float, *, hold: float | None = None
    ) -> None:
        """Take in one result; `error_class` is "" for a reply.

        `hold` is for how many seconds the provider wants to be left alone, where it said so.
        """
        if error_class == ErrorClass.AUTH:
            self.stop_reason = f"The provider refuses the key: {message}"
        elif error_class in (ErrorClass.BAD_REQUEST, ErrorClass.TOO_LARGE):
            self._bad_request(message)
        elif error_class in TROUBLE:
            self.failures += 1
        elif error_class != ErrorClass.RATE_LIMIT:
            self.failures, self.replied = 0, True
            self._replies += 1
        self._count(error_class == ErrorClass.RATE_LIMIT, now, hold)

    def _bad_request(self, message: str) -> None:
        self._bad_requests += 1
        if self._bad_requests >= HOPELESS_AT and not self._replies:
            self.stop_reason = f"The provider understands none of the requests: {message}"

    def _count(self, limited: bool, now: float, hold: float | None) -> None:
        self._results += 1
        self._limited += limited
        self._growing = self._growing and not limited
        if self._growing:
            self.window = min(self.window + 1, max(self.limit, FIRST_WINDOW))
        if self._results < max(SMALL_ROUND, min(self.window, self.limit)):
            return
        share = self._limited / self._results
        self._results = self._limited = 0
        if share > CUT_AT:
            at_once = min(self.window, self.limit)
            self.window = max(1.0, at_once * max(STRONGEST_CUT, 1 - share))
            self.hold_until = max(self.hold_until, now + (hold or 0.0))
        elif share < GROW_BELOW and not self._growing:
            self.window = min(self.limit, self.window + max(1.0, self.window / 10))
