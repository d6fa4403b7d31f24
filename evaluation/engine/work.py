"""What passes between the ledger and the calls."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

from annotation.models import ItemVersion
from evaluation.domain.prompts import Asked
from sonovqa.adapters.asking import Reply
from sonovqa.adapters.errors import ErrorClass

CLIP_ERROR = ErrorClass.CLIP.value
STORE_FULL = ErrorClass.STORE_FULL.value
RAW_LENGTH = 200_000


@dataclass(frozen=True, slots=True)
class Room:
    """How much more may begin: calls of both sides together, those of each, and clips."""

    calls: int = 0
    predictions: int = 0
    judgements: int = 0
    clips: int = 0

    def __bool__(self) -> bool:
        asked = self.calls > 0 and (self.predictions > 0 or self.judgements > 0)
        return asked or self.clips > 0


@dataclass(frozen=True, slots=True)
class Claimed:
    """A work item that this pump holds. `attempt` and the pump's token fence its result.

    `judged_id` is the prediction that a judge's call marks. A clip has no call. `tokens` are
    what the call will probably use, in and out; its money stands in `month` of `provider_id`.
    """

    work_item_id: int
    attempt: int
    faults: int
    stage: str
    repeat: int
    version: ItemVersion
    asked: Asked
    reserved: Decimal = Decimal(0)
    judged_id: int | None = None
    tokens: int = 0
    provider_id: int = 0
    month: date | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a work item brought nothing. See `sonovqa.adapters.errors.ModelError`.

    `may_be_billed`: nobody can say whether the provider worked on it.
    """

    error_class: str
    message: str
    retryable: bool = False
    blameless: bool = False
    may_be_billed: bool = False
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one claimed item: a reply, a failure, or both where a failure was
    billed; a cut clip has neither."""

    claimed: Claimed
    reply: Reply | None = None
    failure: Failure | None = None
    clip_sha256: str = ""
    clip: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Unread:
    """A reply that is stored raw and not read yet: the prediction of an item version and
    repeat, or the judgement `row_id`."""

    stage: str
    work_item_id: int
    attempt: int
    faults: int
    repeat: int
    version: ItemVersion
    raw: str
    error_class: str = ""
    row_id: int = 0


def storable(text: str) -> str:
    """Return `text` as every database takes it: bounded, no NUL, no lone surrogate."""
    kept = text[:RAW_LENGTH].replace("\x00", "")
    return kept.encode("utf-8", "replace").decode("utf-8")
