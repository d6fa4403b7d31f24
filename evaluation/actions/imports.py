"""Writes imported predictions: the model, its run, and the replies of one file at a time."""

import hashlib
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify

from annotation.actions.trail import record
from annotation.domain.import_report import ImportReport
from annotation.models import Release, User
from evaluation.domain.prediction_files import PredictionRow
from evaluation.domain.prediction_matching import AskedItem
from evaluation.import_plan import Arrival, plan_file, stored_replies
from evaluation.models import Contestant, Judgement, Prediction, Provider, Run
from evaluation.models.contestant import Dialect
from evaluation.models.prediction import Outcome
from evaluation.models.run import Origin, RunState

PROVIDER = "Imported predictions"
RUBRIC = "imported"
LONGEST_NAME = 120
BATCH = 500


class RunRefused(ValueError):
    """Predictions cannot be taken under that name; the message says why."""


def named_contestant(name: str) -> Contestant | None:
    """Return the model `name`, whatever the case of its letters, or None.

    Raises RunRefused where the name is no name, or is that of a reference.
    """
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise RunRefused(f"A model's name has 1 to {LONGEST_NAME} printable characters.")
    found = Contestant.objects.filter(name__iexact=name.strip()).first()
    if found is not None and found.is_reference:
        raise RunRefused(f"{found.name} is a reference that is computed here; take another name.")
    return found


@transaction.atomic
def open_run(
    *, release: Release, model: str, condition: str, judge_label: str, by: User | str
) -> Run:
    """Return the imported run of `model` under `condition` on `release`, made where missing.

    Raises RunRefused where the name is no name, or is that of a reference.
    """
    # Two imports at once must not make two runs of one model.
    Release.objects.select_for_update().get(pk=release.pk)
    contestant = named_contestant(model) or make_contestant(model.strip(), by)
    run = find_run(release=release, contestant=contestant, condition=condition)
    if run is not None:
        return run
    now = timezone.now()
    run = Run.objects.create(
        benchmark=release.benchmark,
        release=release,
        contestant=contestant,
        condition=condition,
        origin=Origin.IMPORT,
        state=RunState.DONE,
        judge_label=judge_label,
        rubric_version=RUBRIC,
        model_id_asked=contestant.model_id or contestant.name,
        started_by=by if isinstance(by, User) else None,
        started_at=now,
        finished_at=now,
    )
    after = {"model": contestant.name, "condition": condition, "release": release.tag}
    _record(by, "make_imported_run", run, after)
    return run


def find_run(*, release: Release, contestant: Contestant, condition: str) -> Run | None:
    """Return the run that holds the imported predictions of a model, or None."""
    runs = Run.objects.filter(release=release, contestant=contestant, condition=condition)
    return runs.filter(origin=Origin.IMPORT).order_by("pk").first()


def make_contestant(name: str, by: User | str, **fields: Any) -> Contestant:
    """Make a model whose predictions come from elsewhere; call it inside a transaction."""
    provider, _ = Provider.objects.get_or_create(
        name=PROVIDER, defaults={"dialect": Dialect.IMPORT}
    )
    made = Contestant.objects.create(name=name, slug=free_slug(name), provider=provider, **fields)
    record(
        by=by,
        verb="make_model",
        target_kind="model",
        target_id=made.pk,
        after={"name": name, "provider": PROVIDER},
        reason="import",
    )
    return made


@transaction.atomic
def import_file(
    *,
    run: Run,
    file: str,
    rows: list[PredictionRow],
    items: list[AskedItem],
    judge_label: str,
    report: ImportReport,
    by: User | str,
) -> None:
    """Store what the rows of one file bring to `run`; what stands there already stays.

    The comparison is made under the run's lock, so that two imports of one file at once
    store it once. What was done goes into `report`.
    """
    Run.objects.select_for_update().get(pk=run.pk)
    stored = stored_replies(run, judge_label, items)
    arrivals = plan_file(rows, items, stored, file, report)
    if not arrivals:
        return
    new = [arrival for arrival in arrivals if arrival.prediction.pk is None]
    for arrival in new:
        arrival.prediction.run = run
    Prediction.objects.bulk_create([arrival.prediction for arrival in new], batch_size=BATCH)
    for arrival in arrivals:
        if arrival.replaces:
            arrival.prediction.save()
    after = {
        "file": file,
        "predictions": len(new),
        "failed": sum(arrival.prediction.outcome == Outcome.FAILED for arrival in new),
        "made good": sum(arrival.replaces for arrival in arrivals),
        "judgements": _store_verdicts(arrivals, judge_label),
    }
    _record(by, "import_predictions", run, after)


def _store_verdicts(arrivals: list[Arrival], judge_label: str) -> int:
    judgements = [
        Judgement(
            prediction=arrival.prediction,
            judge_label=judge_label,
            rubric_version=RUBRIC,
            score=arrival.verdict.score,
            error_type=arrival.verdict.error_type,
            explanation=arrival.verdict.explanation,
        )
        for arrival in arrivals
        if arrival.verdict is not None
    ]
    return len(Judgement.objects.bulk_create(judgements, batch_size=BATCH))


def _record(by: User | str, verb: str, run: Run, after: dict[str, Any]) -> None:
    record(
        by=by,
        verb=verb,
        target_kind="run",
        target_id=run.pk,
        benchmark_id=run.benchmark_id,
        after=after,
        reason="import",
    )


def free_slug(name: str) -> str:
    """Return a slug for a model of that name that no other model has."""
    slug = slugify(name)[:100]
    if not slug or Contestant.objects.filter(slug=slug).exists():
        slug = f"{slug or 'model'}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
    return slug
