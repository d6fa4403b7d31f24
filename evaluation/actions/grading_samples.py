"""Draws samples of free responses for clinicians to grade, opens and closes them."""

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation.actions.trail import record
from annotation.domain.edits import is_clean
from annotation.models import Benchmark, Release, User
from annotation.permissions import Verb, has_permission, require
from evaluation.domain import rubric
from evaluation.domain.grading_sample import Drawn, draw_sample
from evaluation.models import GradingSample, GradingSeat, JudgeRule, Run, SampledAnswer
from evaluation.models.grading import SampleState
from evaluation.queries.grading_candidates import candidates

LARGEST, MOST_GRADERS, MOST_WANTED = 2_000, 50, 5
LARGEST_SEED = 2**31 - 1
LONGEST_NAME, LONGEST_INSTRUCTIONS = 120, 4_000


class BadSample(ValueError):
    """A sample cannot be made or changed so; the message says why, in one sentence."""


@transaction.atomic
def make_sample(
    *,
    release: Release,
    name: str,
    runs: Sequence[Run],
    graders: Sequence[User],
    size: int,
    grades_wanted: int,
    seed: int,
    by: User,
    instructions: str = "",
) -> GradingSample:
    """Draw a sample of the judged free responses of `runs`, as a draft.

    Raises BadSample where the pieces do not fit, PermissionDenied unless `by` may publish.
    """
    require(by, Verb.PUBLISH)
    _check(release, name, instructions, runs, size, seed)
    _check_graders(graders, grades_wanted)
    try:
        drawn = draw_sample(candidates(release, list(runs)), size=size, seed=seed)
    except ValueError as error:
        raise BadSample(str(error)) from None
    sample = GradingSample.objects.create(
        benchmark_id=release.benchmark_id,
        release=release,
        name=name.strip(),
        instructions=instructions.strip(),
        rubric_version=rubric.CURRENT,
        seed=seed,
        size=len(drawn.answers),
        grades_wanted=grades_wanted,
        strata=[vars(one) for one in drawn.strata],
        created_by=by,
    )
    _fill(sample, drawn, graders)
    after = {"size": sample.size, "seed": seed, "runs": [run.pk for run in runs]}
    _record(sample, by, "make_grading_sample", after)
    return sample


def _fill(sample: GradingSample, drawn: Drawn, graders: Sequence[User]) -> None:
    SampledAnswer.objects.bulk_create(
        SampledAnswer(
            sample=sample,
            prediction_id=prediction,
            stratum=stratum,
            weight=drawn.strata[stratum].weight,
            position=position,
        )
        for position, (prediction, stratum) in enumerate(drawn.answers)
    )
    GradingSeat.objects.bulk_create(
        GradingSeat(sample=sample, grader=grader, ordinal=ordinal)
        for ordinal, grader in enumerate(graders)
    )


@transaction.atomic
def open_sample(*, sample: GradingSample, by: User) -> GradingSample:
    """Let the graders begin. Raises BadSample unless it is a draft, PermissionDenied."""
    require(by, Verb.PUBLISH)
    return _move(sample, SampleState.DRAFT, SampleState.OPEN, by, "open_grading_sample")


@transaction.atomic
def close_sample(*, sample: GradingSample, by: User) -> GradingSample:
    """End the grading: no grade is taken any more. Raises BadSample unless it is open."""
    require(by, Verb.PUBLISH)
    return _move(sample, SampleState.OPEN, SampleState.CLOSED, by, "close_grading_sample")


@transaction.atomic
def discard_sample(*, sample: GradingSample, by: User) -> None:
    """Throw a draft away. Raises BadSample where it was opened: grades are never lost."""
    require(by, Verb.PUBLISH)
    locked = GradingSample.objects.select_for_update().get(pk=sample.pk)
    if locked.state != SampleState.DRAFT:
        raise BadSample("Only a draft can be thrown away: grades are kept.")
    _record(locked, by, "discard_grading_sample", {"name": locked.name})
    locked.delete()


@transaction.atomic
def set_judge_rule(
    *, benchmark: Benchmark, least_kappa: float, least_answers: int, by: User
) -> JudgeRule:
    """Set when a judge of `benchmark` counts as calibrated.

    Raises BadSample for values out of bounds, PermissionDenied unless `by` may publish.
    """
    require(by, Verb.PUBLISH)
    if not 0 <= least_kappa <= 1:
        raise BadSample("The least kappa is from 0 to 1.")
    if not 10 <= least_answers <= 1_000_000:
        raise BadSample("The least number of answers is from 10 to 1,000,000.")
    rule, _ = JudgeRule.objects.select_for_update().get_or_create(benchmark=benchmark)
    before = {"least_kappa": rule.least_kappa, "least_answers": rule.least_answers}
    rule.least_kappa, rule.least_answers = least_kappa, least_answers
    rule.save()
    record(
        by=by,
        verb="set_judge_rule",
        target_kind="benchmark",
        target_id=benchmark.pk,
        benchmark_id=benchmark.pk,
        before=before,
        after={"least_kappa": least_kappa, "least_answers": least_answers},
    )
    return rule


def _check(
    release: Release, name: str, instructions: str, runs: Sequence[Run], size: int, seed: int
) -> None:
    if not name.strip() or not is_clean(name, LONGEST_NAME):
        raise BadSample(f"A name is text of at most {LONGEST_NAME} characters.")
    if not is_clean(instructions, LONGEST_INSTRUCTIONS):
        raise BadSample(f"Instructions are at most {LONGEST_INSTRUCTIONS} characters.")
    if not runs:
        raise BadSample("Choose at least one run to draw answers from.")
    if any(run.release_id != release.pk or run.rejudges_id for run in runs):
        raise BadSample("The runs have to be runs on that release.")
    if not 1 <= size <= LARGEST:
        raise BadSample(f"A sample has 1 to {LARGEST} answers.")
    if not 0 <= seed <= LARGEST_SEED:
        raise BadSample(f"A seed is from 0 to {LARGEST_SEED}.")


def _check_graders(graders: Sequence[User], wanted: int) -> None:
    if not 1 <= len(graders) <= MOST_GRADERS or len({one.pk for one in graders}) < len(graders):
        raise BadSample(f"Choose 1 to {MOST_GRADERS} graders, each once.")
    if not all(has_permission(one, Verb.REVIEW) for one in graders):
        raise BadSample("Graders have to be reviewers.")
    if not 1 <= wanted <= min(MOST_WANTED, len(graders)):
        most = min(MOST_WANTED, len(graders))
        raise BadSample(f"Choose 1 to {most} grades per answer, at most one of each grader.")


def _move(
    sample: GradingSample, before: SampleState, after: SampleState, by: User, verb: str
) -> GradingSample:
    locked = GradingSample.objects.select_for_update().get(pk=sample.pk)
    if locked.state != before:
        raise BadSample(f"The sample is {locked.get_state_display().lower()}.")
    locked.state = after
    moment = "opened_at" if after == SampleState.OPEN else "closed_at"
    setattr(locked, moment, timezone.now())
    locked.save(update_fields=["state", moment])
    _record(locked, by, verb, {"state": after}, before={"state": before})
    return locked


def _record(sample: GradingSample, by: User, verb: str, after: dict[str, Any], **more: Any) -> None:
    record(
        by=by,
        verb=verb,
        target_kind="grading_sample",
        target_id=sample.pk,
        benchmark_id=sample.benchmark_id,
        after=after,
        **more,
    )
