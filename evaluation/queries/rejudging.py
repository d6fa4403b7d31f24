"""What another judge would mark of a stored run, and what that would cost. No call is made."""

from dataclasses import dataclass
from decimal import Decimal

from django.db.models import F, QuerySet, Sum, TextField
from django.db.models.functions import Cast, Coalesce, Length

from evaluation.domain import costs, rubric
from evaluation.domain.parameters import read_parameters
from evaluation.engine.plan import pin_price, read_price
from evaluation.models import Contestant, Judgement, Prediction, Run
from evaluation.models.prediction import Outcome
from evaluation.models.run import ENDED


@dataclass(frozen=True)
class JudgingCost:
    """Calls and money, in US dollars; `cost` and `most` are None where the judge has no price."""

    answers: int
    cost: Decimal | None
    most: Decimal | None


def free_answers(run: Run) -> QuerySet[Prediction]:
    """Return the free responses of `run` to items that its release keeps. A response without
    a text of its own (the pooled one of readers) is none that a judge could mark."""
    return Prediction.objects.filter(
        run=run,
        outcome=Outcome.ANSWERED,
        item_version__key_index__isnull=True,
        item_version__release_items__release=run.release_id,
        item_version__release_items__keep=True,
    ).exclude(answer_text="")


def at_work(run: Run, judge: Contestant, *, swapped: bool) -> Run | None:
    """Return the run that lets `judge` mark `run` again, in that order, and has not ended."""
    alive = run.rejudgings.filter(judge=judge).exclude(state__in=ENDED).order_by("pk")
    return next((one for one in alive if one.is_swapped == swapped), None)


def next_repeat(run: Run, judge_label: str, rubric_version: str) -> int:
    """Return which time it would be that the judge of that label marks answers of `run` by that
    version of the rubric; orders of its fields are counted apart."""
    by = {"judge_label": judge_label, "rubric_version": rubric_version}
    marked = Judgement.objects.filter(prediction__run=run, **by)
    stored = marked.order_by("-repeat").values_list("repeat", flat=True).first()
    asked = (
        Run.objects.filter(rejudges=run, **by)
        .order_by("-judge_repeat")
        .values_list("judge_repeat", flat=True)
        .first()
    )
    known = [number for number in (stored, asked) if number is not None]
    return max(known) + 1 if known else 0


def judging_cost(run: Run, judge: Contestant) -> JudgingCost:
    """Return what it would take to let `judge` mark `run` once. One query."""
    parameters, price = read_parameters(judge.parameters), read_price(pin_price(judge))
    variants = Length(Cast("item_version__accepted_variants", TextField()))
    texts = (
        Length("answer_text"),
        Length("item_version__stem"),
        Length("item_version__reference_answer"),
        Length("item_version__ground_truth"),
    )
    answers = free_answers(run)
    found = answers.annotate(characters=sum(texts, variants)).aggregate(
        total=Coalesce(Sum(F("characters")), 0)  # PostgreSQL takes no name twice
    )
    count = answers.count()
    characters = found["total"] + count * len(rubric.SYSTEM[rubric.CURRENT])
    if not price.known:
        return JudgingCost(count, None, None)
    size: costs.Size = {"characters": characters, "frames": 0, "seconds": 0.0}
    likely, most = costs.likely(**size), costs.most(**size, max_output_tokens=0)
    out = min(likely.tokens_out, parameters.max_output_tokens) * count
    return JudgingCost(
        answers=count,
        cost=price.of(likely.tokens_in, out),
        most=price.of(
            most.tokens_in + costs.TOKENS_OVERHEAD * count, parameters.max_output_tokens * count
        ),
    )


def has_own_verdicts(run: Run) -> bool:
    """Say whether a judge was ever asked for the figures of `run` itself."""
    own = Judgement.objects.own().filter(prediction__run=run)
    return run.judge_id is not None or own.exists()
