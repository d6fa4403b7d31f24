"""All that a pump needs to know of its run, read once, free of the database afterwards."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from evaluation.actions.providers import reveal_key
from evaluation.domain.costs import Price
from evaluation.domain.parameters import Parameters, read_parameters
from evaluation.models import Contestant, Run
from evaluation.models.contestant import Dialect
from evaluation.models.run import Condition

MEDIA_CONDITIONS = frozenset({Condition.VIDEO, Condition.FRAMES})
RUNNABLE = frozenset({Condition.VIDEO, Condition.FRAMES, Condition.BLIND})


@dataclass(frozen=True)
class Side:
    """One model that a run asks: the contestant or the judge."""

    contestant_id: int
    provider_id: int
    dialect: str
    model_id: str
    base_url: str
    key: str = field(repr=False)
    timeout: float = 300.0
    requests_per_minute: int = 0
    parameters: Parameters = field(default_factory=Parameters)
    price: Price = field(default_factory=Price)


@dataclass(frozen=True)
class Plan:
    """The pinned settings of one run."""

    run_id: int
    condition: str
    prompt_version: str
    strict: bool
    repeats: int
    model: Side
    judge: Side | None
    judge_label: str
    rubric_version: str

    @property
    def needs_media(self) -> bool:
        return self.condition in MEDIA_CONDITIONS and self.model.dialect != Dialect.BASELINE

    @property
    def wants_frames(self) -> bool:
        """Say whether stills are sent: by condition, or because the server takes no clip."""
        takes_no_clip = (
            self.model.dialect == Dialect.OPENAI and self.model.parameters.video_part == "frames"
        )
        return self.condition == Condition.FRAMES or (
            self.condition == Condition.VIDEO and takes_no_clip
        )


def load_plan(run_id: int) -> Plan:
    """Read the plan of a run. Raises Run.DoesNotExist, BadParameters."""
    run = Run.objects.select_related("contestant__provider", "judge__provider").get(pk=run_id)

    def side(contestant: Contestant, raw: dict[str, Any], price: dict[str, Any]) -> Side:
        provider = contestant.provider
        return Side(
            contestant_id=contestant.pk,
            provider_id=provider.pk,
            dialect=provider.dialect,
            model_id=contestant.model_id,
            base_url=provider.base_url,
            key=reveal_key(provider),
            timeout=float(provider.timeout_seconds),
            requests_per_minute=provider.requests_per_minute,
            parameters=read_parameters(raw),
            price=read_price(price),
        )

    model = side(run.contestant, run.parameters, run.extra.get("price", {}))
    judge = None
    if run.judge is not None:
        judge = side(
            run.judge,
            {"temperature": 0.0} | run.extra.get("judge_parameters", {}),
            run.extra.get("judge_price", {}),
        )
    return Plan(
        run_id=run.pk,
        condition=run.condition,
        prompt_version=run.prompt_version,
        strict=run.strict,
        repeats=run.repeats,
        model=model,
        judge=judge,
        judge_label=run.judge_label,
        rubric_version=run.rubric_version,
    )


def pin_price(contestant: Contestant) -> dict[str, str | None]:
    """Return the contestant's price as a run keeps it."""
    dated = contestant.priced_at
    return {
        "in": None if contestant.price_in is None else str(contestant.price_in),
        "out": None if contestant.price_out is None else str(contestant.price_out),
        "at": dated.isoformat() if dated else None,
    }


def read_price(pinned: dict[str, Any]) -> Price:
    """Return a price that `pin_price` has written."""
    found = [pinned.get(key) for key in ("in", "out")]
    return Price(*(None if value is None else Decimal(value) for value in found))
