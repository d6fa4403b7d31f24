"""What a run will probably take: items, calls, tokens, money and time, before it starts."""

import math
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Avg, Count, F, QuerySet, Sum, TextField
from django.db.models.functions import Cast, Length

from annotation.models import Release, ReleaseItem
from annotation.models.item import Kind
from evaluation.domain import costs, prompts, rubric
from evaluation.domain.costs import Tokens
from evaluation.domain.parameters import Parameters, read_parameters
from evaluation.engine.plan import MEDIA_CONDITIONS, pin_price, read_price
from evaluation.models import Call, Contestant
from evaluation.models.contestant import Dialect
from evaluation.models.run import CallState, Condition
from evaluation.queries.turns import turns

ASSUMED_LATENCY = 8.0  # seconds, where a model has never been asked here
SAMPLE = 500
JUDGED_REPLY = 500  # characters of a free response as it goes to the judge
DEFAULT_FPS = 1.0


@dataclass(frozen=True)
class Estimate:
    """Money in US dollars (None where a price is missing), time in seconds."""

    items: int
    mcq: int
    free: int
    calls: int
    judge_calls: int
    tokens_in: int
    tokens_out: int
    cost: Decimal | None
    most: Decimal | None
    seconds: float
    in_flight: int
    latency_is_assumed: bool

    def as_json(self) -> dict[str, Any]:
        """Return the estimate with money as text."""
        money = {name: None if value is None else str(value)
                 for name, value in (("cost", self.cost), ("most", self.most))}  # fmt: skip
        return asdict(self) | money


@dataclass(frozen=True)
class _Sums:
    """Of one kind: items, answers wanted of them, and what all of these send."""

    items: int
    answers: int
    characters: int
    seconds: float


def estimate(
    *,
    release: Release,
    contestant: Contestant,
    condition: str,
    judge: Contestant | None = None,
    repeats: int = 1,
    circular: bool = False,
    rows: QuerySet[ReleaseItem] | None = None,
) -> Estimate:
    """Estimate a run, or the part of it that asks `rows` alone: three queries at any size."""
    kept = ReleaseItem.objects.filter(release=release, keep=True) if rows is None else rows
    sums = _sums(kept.annotate(wanted=turns(repeats=repeats, circular=circular)))
    calls_nobody = contestant.provider.dialect == Dialect.BASELINE  # it works in this process
    if calls_nobody:
        sums[Kind.FREE] = _Sums(0, 0, 0, 0.0)
    answers = sum(one.answers for one in sums.values())
    judged = sums[Kind.FREE].answers if judge else 0
    parameters = read_parameters(contestant.parameters)
    likely, most = _model_tokens(sums, condition, parameters)
    if calls_nobody:
        likely = most = Tokens(0, 0)
    price = read_price(pin_price(contestant))
    price = price.in_batch() if parameters.batch else price
    cost, worst = price.of(*_pair(likely)), price.of(*_pair(most))
    known = price.known or calls_nobody
    if judge is not None:
        judge_likely, judge_most = _judge_tokens(sums, read_parameters(judge.parameters), judged)
        judge_price = read_price(pin_price(judge))
        known = known and judge_price.known
        cost += judge_price.of(*_pair(judge_likely))
        worst += judge_price.of(*_pair(judge_most))
        likely = _added(likely, judge_likely)
    calls = 0 if calls_nobody else answers + judged
    in_flight = max(1, contestant.provider.max_in_flight)
    latency, assumed = (0.0, False) if calls_nobody else _latency(contestant)
    return Estimate(
        items=sum(one.items for one in sums.values()),
        mcq=sums[Kind.MCQ].items,
        free=sums[Kind.FREE].items,
        calls=calls,
        judge_calls=judged,
        tokens_in=likely.tokens_in,
        tokens_out=likely.tokens_out,
        cost=cost if known else None,
        most=worst if known else None,
        seconds=math.ceil(calls / in_flight) * latency,
        in_flight=in_flight,
        latency_is_assumed=assumed,
    )


def _sums(kept: QuerySet[ReleaseItem]) -> dict[str, _Sums]:
    options = Length(Cast("item_version__options", TextField()))
    variants = Length(Cast("item_version__accepted_variants", TextField()))  # the judge's
    rows = (
        kept.order_by()
        .values_list("item_version__item__kind")
        .annotate(
            items=Count("pk"),
            answers=Sum("wanted"),
            characters=Sum((Length("item_version__stem") + options + variants) * F("wanted")),
            seconds=Sum((F("item_version__end") - F("item_version__start")) * F("wanted")),
        )
    )
    found = {
        kind: _Sums(items, answers, text or 0, time or 0.0)
        for kind, items, answers, text, time in rows
    }
    return {kind: found.get(kind, _Sums(0, 0, 0, 0.0)) for kind in (Kind.MCQ, Kind.FREE)}


def _model_tokens(
    sums: dict[str, _Sums], condition: str, parameters: Parameters
) -> tuple[Tokens, Tokens]:
    items = sum(one.answers for one in sums.values())
    prompt = prompts.PROMPTS[prompts.CURRENT]
    frame = len(prompt.system) + len(prompt.seen) + len(prompt.mcq)
    characters = sum(one.characters for one in sums.values()) + items * frame
    frames, seconds = 0, 0.0
    if condition == Condition.FRAMES:
        frames = items * parameters.frames
    elif condition == Condition.STILL:
        frames = items
    elif condition in MEDIA_CONDITIONS:
        seconds = sum(one.seconds for one in sums.values())
        frames = int(seconds * (parameters.fps or DEFAULT_FPS)) + 2 * items
    return _tokens(items, characters, frames, seconds, parameters)


def _judge_tokens(
    sums: dict[str, _Sums], parameters: Parameters, judged: int
) -> tuple[Tokens, Tokens]:
    free = sums[Kind.FREE]
    each = len(rubric.SYSTEM[rubric.CURRENT]) + 3 * JUDGED_REPLY
    per_item = each + (free.characters // free.answers if free.answers else 0)
    return _tokens(judged, judged * per_item, 0, 0.0, parameters)


def _tokens(
    calls: int, characters: int, frames: int, seconds: float, parameters: Parameters
) -> tuple[Tokens, Tokens]:
    """Return the likely and the greatest number of tokens of so many calls."""
    likely = costs.likely(characters=characters, frames=frames, seconds=seconds)
    most = costs.most(characters=characters, frames=frames, seconds=seconds, max_output_tokens=0)
    out = min(likely.tokens_out, parameters.max_output_tokens)
    return (
        Tokens(likely.tokens_in, out * calls),
        Tokens(
            most.tokens_in + costs.TOKENS_OVERHEAD * calls,
            parameters.max_output_tokens * calls,
        ),
    )


def _pair(tokens: Tokens) -> tuple[int, int]:
    return tokens.tokens_in, tokens.tokens_out


def _added(one: Tokens, other: Tokens) -> Tokens:
    return Tokens(one.tokens_in + other.tokens_in, one.tokens_out + other.tokens_out)


def _latency(contestant: Contestant) -> tuple[float, bool]:
    """Return the mean latency of the model's last calls, and whether it had to be assumed."""
    recent = Call.objects.filter(
        work_item__run__contestant=contestant, state=CallState.SETTLED, latency__isnull=False
    ).order_by("-pk")[:SAMPLE]
    mean = Call.objects.filter(pk__in=recent.values("pk")).aggregate(mean=Avg("latency"))["mean"]
    return (ASSUMED_LATENCY, True) if mean is None else (mean, False)
