"""Lets a judge mark canaries: answers that earn nothing and try to be marked up."""

from decimal import Decimal

from django.db import transaction

from annotation.actions.trail import record
from annotation.models import ItemVersion, Release, User
from annotation.permissions import Verb, require
from evaluation.actions.run_checks import RunRefused, check_judge
from evaluation.domain import rubric
from evaluation.domain.judge_attacks import ATTACKS, chosen_items
from evaluation.engine.plan import pin_price
from evaluation.engine.wake import wake_pumps
from evaluation.models import Contestant, Prediction, Provider, Run, WorkItem
from evaluation.models.contestant import Dialect
from evaluation.models.prediction import Outcome
from evaluation.models.run import Condition, Origin, RunState, Stage
from sonovqa.code_version import code_version

NAME, SLUG, PROVIDER = "Attacks on the judge", "attacks-on-the-judge", "Canaries"
SEED = 20_260_407


@transaction.atomic
def attack_judge(
    *, release: Release, judge: Contestant, budget: Decimal, by: User, seed: int = SEED
) -> Run:
    """Queue a run in which `judge` marks every kind of attack on items of `release`.

    It goes through the engine as any judging does: the same rubric, fences and reader, within
    `budget` US dollars. The attacks of one item stand as its repeats, by their number. The run
    has no entry and stands on no leaderboard.

    Raises RunRefused where it cannot be done, PermissionDenied unless `by` may run.
    """
    require(by, Verb.RUN)
    check_judge(judge, budget)
    versions = ItemVersion.objects.filter(
        release_items__release=release, release_items__keep=True, key_index__isnull=True
    )
    chosen = chosen_items(list(versions.order_by("pk")), seed=seed)
    if not chosen:
        raise RunRefused("The release has no free-response item to attack.")
    made = _make(release, judge, budget, by, answers=len(chosen) * len(ATTACKS), seed=seed)
    places = [(version, number) for version in chosen for number in range(len(ATTACKS))]
    Prediction.objects.bulk_create(
        Prediction(
            run=made,
            item_version=version,
            repeat=number,
            outcome=Outcome.ANSWERED,
            answer_text=(text := ATTACKS[number].write(version.stem)),
            raw_reply=text,
        )
        for version, number in places
    )
    WorkItem.objects.bulk_create(
        WorkItem(run=made, item_version=version, repeat=number, stage=Stage.JUDGE)
        for version, number in places
    )
    wake_pumps(made)
    record(
        by=by,
        verb="attack_judge",
        target_kind="run",
        target_id=made.pk,
        benchmark_id=made.benchmark_id,
        after={"judge": judge.name, "attacks": len(places), "budget": str(budget)},
    )
    return made


def _make(
    release: Release, judge: Contestant, budget: Decimal, by: User, *, answers: int, seed: int
) -> Run:
    return Run.objects.create(
        benchmark_id=release.benchmark_id,
        release=release,
        contestant=_attacker(),
        condition=Condition.BLIND,
        origin=Origin.ATTACK,
        state=RunState.QUEUED,
        repeats=len(ATTACKS),
        judge=judge,
        judge_label=judge.name,
        rubric_version=rubric.CURRENT,
        model_id_asked=SLUG,
        parameters={"seed": seed},
        budget=budget,
        code_version=code_version(),
        started_by=by,
        extra={
            "judge_price": pin_price(judge),
            "judge_parameters": judge.parameters,
            "answers": answers,
            "free_answers": answers,
        },
    )


def _attacker() -> Contestant:
    provider, _ = Provider.objects.get_or_create(
        name=PROVIDER, defaults={"dialect": Dialect.IMPORT}
    )
    found, _ = Contestant.objects.get_or_create(
        slug=SLUG, defaults={"name": NAME, "provider": provider, "is_reference": True}
    )
    return found
