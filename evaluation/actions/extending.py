"""Brings a finished run to another release: only new and changed items are asked."""

from decimal import Decimal

from django.db import transaction

from annotation import media
from annotation.actions.trail import record
from annotation.models import Release, User
from annotation.permissions import Verb, require
from evaluation.actions.run_checks import RunRefused, check_run
from evaluation.actions.runs import NOTHING_TO_ASK
from evaluation.domain.prompts import PROMPTS
from evaluation.domain.rubric import SYSTEM
from evaluation.engine.plan import pin_price
from evaluation.engine.taking_over import take_over
from evaluation.engine.wake import wake_pumps
from evaluation.engine.work_list import write_work_list
from evaluation.models import Run
from evaluation.models.run import ENDED, Condition, Origin, RunState
from sonovqa.code_version import code_version

PINNED = (
    *("benchmark_id", "contestant_id", "condition", "repeats", "circular", "strict", "judge_id"),
    *("judge_label", "prompt_version", "prompt_text", "rubric_version", "order_seed"),
    *("model_id_asked", "parameters", "clip_settings"),
)


@transaction.atomic
def extend_run(*, run: Run, release: Release, by: User, budget: Decimal | None = None) -> Run:
    """Make and queue a run on `release` that takes over what `run` has answered of unchanged
    items, and asks the rest as `run` did; `budget` in US dollars.

    A second call for the same release returns the run of the first, unless that one was
    cancelled or has failed. Raises RunRefused where it cannot be done, PermissionDenied
    unless `by` may run.
    """
    require(by, Verb.RUN)
    earlier = Run.objects.select_for_update().get(pk=run.pk)
    check_extension(run=earlier, release=release, budget=budget)
    gone = (RunState.CANCELLED, RunState.FAILED)
    known = earlier.extensions.filter(release=release).exclude(state__in=gone).first()
    if known is not None:
        return known
    made = _make(earlier, release, by, budget)
    taken = take_over(made, earlier)
    if not write_work_list(made) and not taken:
        raise RunRefused(NOTHING_TO_ASK)
    made.extra |= {"taken_over": taken}
    made.save(update_fields=["extra"])
    record(
        by=by,
        verb="extend_run",
        target_kind="run",
        target_id=made.pk,
        benchmark_id=made.benchmark_id,
        after={"extends": earlier.pk, "release": release.tag, "taken_over": taken},
    )
    wake_pumps(made)
    return made


def check_extension(*, run: Run, release: Release, budget: Decimal | None = None) -> None:
    """Raise RunRefused where `run` cannot be extended to `release`. Changes nothing."""
    if run.origin != Origin.ENGINE:
        raise RunRefused("Only a run that was asked from here can be extended.")
    if run.state not in ENDED:
        raise RunRefused("The run is still working; it can be extended when it is done.")
    if release.pk == run.release_id:
        raise RunRefused("The run stands on this release already.")
    if run.condition == Condition.SHUFFLED:
        raise RunRefused(
            "Which other clip is shown is drawn among the items of the release: start anew."
        )
    if run.clip_settings and run.clip_settings != dict(media.RECIPE):
        raise RunRefused("Clips are cut otherwise now than for this run: start anew.")
    if run.prompt_version not in PROMPTS or (run.judge_id and run.rubric_version not in SYSTEM):
        raise RunRefused("The texts of this run are not known here any more: start anew.")
    check_run(
        benchmark=run.benchmark,
        release=release,
        contestant=run.contestant,
        condition=run.condition,
        judge=run.judge,
        budget=budget,
        repeats=run.repeats,
        circular=run.circular,
    )


def _make(earlier: Run, release: Release, by: User, budget: Decimal | None) -> Run:
    """Make the run with the pins of `earlier`, and with the prices of today."""
    kept = ("judge_parameters",)
    extra = {name: earlier.extra[name] for name in kept if name in earlier.extra}
    extra |= {"price": pin_price(earlier.contestant)}
    if earlier.judge is not None:
        extra |= {"judge_price": pin_price(earlier.judge)}
    return Run.objects.create(
        release=release,
        extends=earlier,
        state=RunState.QUEUED,
        budget=budget,
        started_by=by,
        code_version=code_version(),
        extra=extra,
        **{name: getattr(earlier, name) for name in PINNED},
    )
