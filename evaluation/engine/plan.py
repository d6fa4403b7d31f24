"""All that a pump needs to know of its run, read once, free of the database afterwards."""

from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from typing import Any

from annotation.media import Shot
from annotation.models import ItemVersion, ReleaseItem
from annotation.models.item import Kind
from evaluation.actions.providers import reveal_key
from evaluation.domain.circular import turned
from evaluation.domain.costs import Price
from evaluation.domain.other_clips import Candidate
from evaluation.domain.parameters import Parameters, read_parameters
from evaluation.models import Contestant, Run
from evaluation.models.contestant import Dialect
from evaluation.models.run import Condition

MEDIA_CONDITIONS = frozenset(
    {
        *(Condition.VIDEO, Condition.FRAMES),
        *(Condition.SHUFFLED, Condition.STILL, Condition.FULL_FRAME),
    }
)
RUNNABLE = MEDIA_CONDITIONS | {Condition.BLIND}


@dataclass(frozen=True)
class Side:
    """One model that a run asks: the contestant or the judge."""

    contestant_id: int
    provider_id: int
    dialect: str
    model_id: str
    base_url: str
    command: tuple[str, ...]
    key: str = field(repr=False)
    timeout: float = 300.0
    public_only: bool = False
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
    order_seed: int = 0
    clip_settings: dict[str, Any] = field(default_factory=dict)  # how clips were cut at its start
    circular: bool = False
    others: dict[int, Candidate] = field(default_factory=dict)  # by version, where shuffled
    rejudges: int | None = None  # the run whose predictions are judged once more
    judge_repeat: int = 0

    @cached_property
    def drawable(self) -> tuple[Candidate, ...]:
        return tuple(self.others.values())

    def repeats_of(self, version: ItemVersion) -> int:
        """Return how often `version` is asked."""
        if not self.circular:
            return self.repeats
        return len(version.shown_order) if version.item.kind == Kind.MCQ else 1

    def order_of(self, version: ItemVersion, repeat: int) -> list[int]:
        """Return the order in which the options of `version` are shown."""
        return turned(version.shown_order, repeat if self.circular else 0)

    @property
    def shot(self) -> Shot:
        """Return how clips are cut. Only a clip that is sent as one has to last so long."""
        least = 0.0 if self.wants_frames else self.model.parameters.min_clip_seconds
        return Shot(full_frame=self.condition == Condition.FULL_FRAME, min_seconds=least)

    @property
    def stills(self) -> int:
        """Return how many stills are sent, where stills are."""
        return 1 if self.condition == Condition.STILL else self.model.parameters.frames

    @property
    def answered_by(self) -> int:
        """Return the run whose predictions the judge marks."""
        return self.rejudges or self.run_id

    @property
    def needs_media(self) -> bool:
        if self.rejudges:
            return False
        return self.condition in MEDIA_CONDITIONS and self.model.dialect != Dialect.BASELINE

    @property
    def in_batch(self) -> bool:
        """Say whether predictions are asked for in batch jobs; a judge is always asked live."""
        return is_batched(self.model.dialect, self.model.parameters)

    @property
    def wants_frames(self) -> bool:
        """Say whether stills are sent: by condition, or because the server takes no clip."""
        takes_no_clip = (
            self.model.dialect == Dialect.OPENAI and self.model.parameters.video_part == "frames"
        )
        return self.condition in (Condition.FRAMES, Condition.STILL) or takes_no_clip


def is_batched(dialect: str, parameters: Parameters) -> bool:
    """Say whether a model's answers come in batch jobs."""
    return dialect == Dialect.GEMINI and parameters.batch


def side_of(contestant: Contestant, raw: dict[str, Any], price: dict[str, Any]) -> Side:
    """Return the side of a model with its parameters and price as they were pinned. Raises
    BadParameters."""
    provider = contestant.provider
    return Side(
        contestant_id=contestant.pk,
        provider_id=provider.pk,
        dialect=provider.dialect,
        model_id=contestant.model_id,
        base_url=provider.base_url,
        command=tuple(provider.command),
        key=reveal_key(provider),
        timeout=float(provider.timeout_seconds),
        public_only=provider.public_only,
        parameters=read_parameters(raw),
        price=read_price(price),
    )


def load_plan(run_id: int) -> Plan:
    """Read the plan of a run. Raises Run.DoesNotExist, BadParameters."""
    run = Run.objects.select_related("contestant__provider", "judge__provider").get(pk=run_id)

    judge = None
    if run.judge is not None:
        judge = side_of(
            run.judge,
            {"temperature": 0.0} | run.extra.get("judge_parameters", {}),
            run.extra.get("judge_price", {}),
        )
    if run.rejudges_id and judge is not None:
        model = judge  # nobody else is asked: its limits are those of the whole run
    else:
        model = side_of(run.contestant, run.parameters, run.extra.get("price", {}))
    if is_batched(model.dialect, model.parameters):
        model = replace(model, price=model.price.in_batch())
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
        order_seed=run.order_seed,
        clip_settings=run.clip_settings,
        circular=run.circular,
        others=_others(run) if run.condition == Condition.SHUFFLED and not run.rejudges_id else {},
        rejudges=run.rejudges_id,
        judge_repeat=run.judge_repeat,
    )


def _others(run: Run) -> dict[int, Candidate]:
    """Return the run's items, whose clips may be shown with one another, by version."""
    rows = (
        ReleaseItem.objects.filter(release=run.release_id, keep=True)
        .order_by("position")
        .values_list(
            "item_version_id",
            "item_version__item_id",
            "item_version__item__video__source_id",
            "item_version__start",
            "item_version__end",
        )
    )
    found = [Candidate(pk, item, source, end - start) for pk, item, source, start, end in rows]
    return {one.version_id: one for one in found}


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
