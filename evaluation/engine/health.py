"""How a provider fares, as one pump sees it: how many calls at once, and whether to stop.

Plain arithmetic over results and a clock that is handed in.
"""

from dataclasses import dataclass

from sonovqa.adapters.errors import ErrorClass

TROUBLE = frozenset({ErrorClass.OVERLOAD, ErrorClass.TIMEOUT, ErrorClass.CONNECTION})
TRIPS_AT = 20  # failures in a row
FIRST_REST, LONGEST_REST = 5.0, 120.0  # seconds
HOPELESS_AT = 10  # bad requests in a row before any reply
RATE_SHARE = 0.3  # share of 429s among recent results from which on fewer calls are made
MEMORY = 32  # results


@dataclass
class Health:
    """`now` is in seconds of any clock that only goes forward."""

    limit: float = 1.0
    rest_until: float = 0.0
    stop_reason: str = ""
    _in_a_row: int = 0
    _bad_requests: int = 0
    _replies: int = 0
    _rest: float = FIRST_REST
    _recent_429: float = 0.0
    _last_cut: float = 0.0
    _factor: float = 1.0

    def allowed(self, now: float) -> int:
        """Return how many calls may be in flight; while a provider rests none, then one."""
        if self.stop_reason or now < self.rest_until:
            return 0
        if self._in_a_row >= TRIPS_AT:
            return 1  # one probe
        return max(1, int(self.limit * self._factor))

    def note(self, error_class: str, message: str, now: float) -> None:
        """Take in one result; `error_class` is "" for a reply."""
        self._recent_429 += ((error_class == ErrorClass.RATE_LIMIT) - self._recent_429) / MEMORY
        if error_class == ErrorClass.AUTH:
            self.stop_reason = f"The provider refuses the key: {message}"
        elif error_class in (ErrorClass.BAD_REQUEST, ErrorClass.TOO_LARGE):
            self._bad_request(message)
        elif error_class == ErrorClass.RATE_LIMIT:
            self._slow_down(now)
        elif error_class in TROUBLE:
            self._trouble(now)
        else:
            self._good()

    @property
    def resting(self) -> bool:
        return self._in_a_row >= TRIPS_AT

    def _good(self) -> None:
        self._in_a_row, self._rest, self.rest_until = 0, FIRST_REST, 0.0
        self._replies += 1
        self._factor = min(1.0, self._factor + 1 / max(self.limit, 1) / 4)

    def _bad_request(self, message: str) -> None:
        self._bad_requests += 1
        if self._bad_requests >= HOPELESS_AT and not self._replies:
            self.stop_reason = f"The provider understands none of the requests: {message}"

    def _slow_down(self, now: float) -> None:
        if self._recent_429 > RATE_SHARE and now - self._last_cut > 1.0:
            self._factor, self._last_cut = self._factor * 0.7, now

    def _trouble(self, now: float) -> None:
        self._in_a_row += 1
        if self._in_a_row >= TRIPS_AT and now >= self.rest_until:
            self.rest_until, self._rest = now + self._rest, min(self._rest * 2, LONGEST_REST)
