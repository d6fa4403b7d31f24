"""What can go wrong with a call to a model, typed once for every provider."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sonovqa.adapters.asking import Reply


class ErrorClass(StrEnum):
    """The names under which failures are stored and counted. The last four are not of a
    provider's making: no clip to show, no room to cut one, a worker that died during the call, a
    fault of ours."""

    RATE_LIMIT = "rate_limit"
    OVERLOAD = "overload"
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    AUTH = "auth"
    BAD_REQUEST = "bad_request"
    TOO_LARGE = "too_large"
    REFUSED = "refused"
    EMPTY = "empty"
    TRUNCATED = "truncated"
    UNPARSABLE = "unparsable"
    CLIP = "clip"
    STORE_FULL = "store_full"
    LOST = "lost"
    INTERNAL = "internal"


class ModelError(Exception):
    """A call that brought no usable reply.

    `retryable`: asking again may help. `blameless`: the provider turned the call away before
    it worked on it, so it does not count against the item's attempts. `may_be_billed`: nobody
    can say whether it worked on it. `retry_after` is in seconds, where the provider gave one.
    `reply` holds what came and was billed, if anything.
    """

    error_class: ErrorClass
    retryable = False
    blameless = False
    may_be_billed = False

    def __init__(
        self, message: str, *, retry_after: float | None = None, reply: Reply | None = None
    ) -> None:
        super().__init__(message[:500])
        self.message = message[:500]
        self.retry_after = retry_after
        self.reply = reply


class RateLimited(ModelError):
    """429: too many requests or tokens."""

    error_class = ErrorClass.RATE_LIMIT
    retryable = blameless = True


class Overloaded(ModelError):
    """5xx: the server says that it cannot just now."""

    error_class = ErrorClass.OVERLOAD
    retryable = blameless = True


class TimedOut(ModelError):
    """No whole reply within the deadline."""

    error_class = ErrorClass.TIMEOUT
    retryable = may_be_billed = True


class Unreachable(ModelError):
    """The connection broke after the request went out."""

    error_class = ErrorClass.CONNECTION
    retryable = may_be_billed = True


class NotConnected(Unreachable):
    """The connection could not be made: nothing was sent."""

    blameless = True
    may_be_billed = False


class KeyRefused(ModelError):
    """401 or 403: the key is missing, wrong or not allowed."""

    error_class = ErrorClass.AUTH


class BadRequest(ModelError):
    """4xx: the provider does not understand the request, or knows no such model."""

    error_class = ErrorClass.BAD_REQUEST


class NotAllowed(BadRequest):
    """An address that is not called: nothing was sent."""


class TooLarge(ModelError):
    """The request is larger than the provider takes."""

    error_class = ErrorClass.TOO_LARGE


class FileGone(ModelError):
    """The provider no longer has the clip that was uploaded to it."""

    error_class = ErrorClass.CLIP
    retryable = blameless = True


class Refused(ModelError):
    """A safety filter blocked the prompt or the reply."""

    error_class = ErrorClass.REFUSED


class EmptyReply(ModelError):
    """A reply without text."""

    error_class = ErrorClass.EMPTY
    retryable = True


class TruncatedReply(ModelError):
    """The output limit was used up, by thoughts or text, before there was any answer text."""

    error_class = ErrorClass.TRUNCATED


class Unparsable(ModelError):
    """A reply that is not what the protocol or the schema promises."""

    error_class = ErrorClass.UNPARSABLE
    retryable = may_be_billed = True


class ReplyTooLarge(Unparsable):
    """A reply that was broken off since it grew beyond our bounds."""

    retryable = False


def from_status(status: int, message: str, retry_after: float | None = None) -> ModelError:
    """Return the typed error of an HTTP status."""
    if status == 429:
        return RateLimited(message, retry_after=retry_after)
    if status == 408 or status == 504:
        return TimedOut(message, retry_after=retry_after)
    if status >= 500:
        return Overloaded(message, retry_after=retry_after)
    if status in (401, 403):
        return KeyRefused(message)
    if status == 413:
        return TooLarge(message)
    return BadRequest(message)


def seconds_of(header: str | None) -> float | None:
    """Return a Retry-After header in seconds, 0 to 3600; None where it is absent or no number."""
    try:
        seconds = float(header) if header else None
    except ValueError:
        return None
    if seconds is None or not 0 <= seconds <= 86_400:
        return None
    return min(seconds, 3600.0)
