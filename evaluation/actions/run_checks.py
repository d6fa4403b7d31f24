"""Whether the pieces of a run fit together."""

from decimal import Decimal

from annotation.models import Benchmark, Release
from evaluation.domain.parameters import BadParameters, read_parameters
from evaluation.engine.plan import RUNNABLE, pin_price, read_price
from evaluation.models import Contestant
from evaluation.models.contestant import NEVER_ASKED, Dialect

BUDGET_LIMIT = Decimal(100_000)
REPEATS_LIMIT = 20


class RunRefused(ValueError):
    """A run cannot be made or changed; the message says why, in one sentence."""


def check_run(
    *,
    benchmark: Benchmark,
    release: Release,
    contestant: Contestant,
    condition: str,
    judge: Contestant | None = None,
    budget: Decimal | None = None,
    repeats: int = 1,
    circular: bool = False,
    publish_when_done: bool = False,
) -> None:
    """Raise RunRefused where `create_run` would refuse these pieces. Changes nothing."""
    _check(benchmark, release, contestant, condition, judge, repeats)
    _check_circular(circular, contestant, repeats)
    check_budget(budget, contestant, judge)
    if publish_when_done and contestant.is_reference:
        raise RunRefused(f"{contestant.name} is a reference: its row needs no publishing.")


def check_text_model(model: Contestant, budget: Decimal) -> None:
    """Raise RunRefused where `model` cannot be asked about texts within `budget` US dollars."""
    if model.provider.dialect in (*NEVER_ASKED, Dialect.BASELINE):
        raise RunRefused(f"{model.name} cannot be asked.")
    _check_parameters(model)
    check_budget(budget, model, None)


def check_judge(judge: Contestant, budget: Decimal) -> None:
    """Raise RunRefused where `judge` cannot mark stored answers within `budget` US dollars."""
    _check_judge(judge)
    _check_parameters(judge)
    check_budget(budget, judge, None)


def _check(
    benchmark: Benchmark,
    release: Release,
    contestant: Contestant,
    condition: str,
    judge: Contestant | None,
    repeats: int,
) -> None:
    if release.benchmark_id != benchmark.pk:
        raise RunRefused("The release belongs to another benchmark.")
    if condition not in RUNNABLE:
        raise RunRefused(f"The condition {condition!r} cannot be run here yet.")
    if contestant.provider.dialect == Dialect.HUMAN:
        raise RunRefused("Readers answer in the review, not in a run.")
    if contestant.provider.dialect == Dialect.IMPORT:
        raise RunRefused("This model only has imported predictions; it cannot be asked.")
    if contestant.parameters.get("batch") and contestant.provider.dialect != Dialect.GEMINI:
        raise RunRefused(f"{contestant.name} cannot be asked in batches: only Gemini is.")
    if judge is not None:
        _check_judge(judge)
    if not 1 <= repeats <= REPEATS_LIMIT:
        raise RunRefused(f"Repeats go from 1 to {REPEATS_LIMIT}.")
    for asked in filter(None, (contestant, judge)):
        _check_parameters(asked)


def _check_circular(circular: bool, contestant: Contestant, repeats: int) -> None:
    if circular and repeats != 1:
        raise RunRefused("Every rotation is asked once: leave the repeats at 1.")
    if circular and contestant.provider.dialect == Dialect.BASELINE:
        raise RunRefused(f"{contestant.name} answers by a rule: no rotation tells more of it.")


def _check_judge(judge: Contestant) -> None:
    if not judge.can_judge:
        raise RunRefused(f"{judge.name} is not marked as a judge.")
    if judge.provider.dialect in (*NEVER_ASKED, Dialect.BASELINE):
        raise RunRefused(f"{judge.name} cannot be asked.")


def _check_parameters(asked: Contestant) -> None:
    try:
        read_parameters(asked.parameters)
    except BadParameters as error:
        raise RunRefused(f"The parameters of {asked.name}: {error}.") from None


def check_budget(budget: Decimal | None, contestant: Contestant, judge: Contestant | None) -> None:
    """Raise RunRefused where `budget` US dollars cannot be kept; None is no budget."""
    if budget is None:
        return
    if not budget.is_finite() or not 0 < budget <= BUDGET_LIMIT:
        raise RunRefused(f"A budget is more than 0 and at most {BUDGET_LIMIT} dollars.")
    for asked in filter(None, (contestant, judge)):
        paid = asked.provider.dialect != Dialect.BASELINE
        if paid and not read_price(pin_price(asked)).known:
            raise RunRefused(f"{asked.name} has no price, so no budget can be kept.")
