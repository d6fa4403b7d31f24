"""What may be done to a run now, and the doing of it by name: for its page, the API, commands."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.utils import timezone

from annotation.models import User
from annotation.permissions import Verb, has_permission
from evaluation.actions.run_checks import RunRefused
from evaluation.actions.runs import cancel_run, pause_run, resume_run, retry_failed
from evaluation.models import LeaderboardEntry, Run
from evaluation.models.run import ENDED, Origin, RunState, WorkState
from evaluation.queries.rejudging import free_answers

ALIVE = (RunState.QUEUED, RunState.RUNNING, RunState.PAUSED)
ENTRY_WITHIN = timedelta(minutes=5)
CONTROLS = ("pause", "resume", "cancel", "retry-failed")
# States in which a control has nothing left to do: asking twice is no fault.
ALREADY = {
    "pause": (RunState.PAUSED,),
    "resume": (RunState.QUEUED, RunState.RUNNING),
    "cancel": (RunState.CANCELLING, RunState.CANCELLED),
}
CHANGES: dict[str, Callable[..., Run]] = {
    "pause": pause_run,
    "resume": resume_run,
    "cancel": cancel_run,
}


@dataclass(frozen=True)
class Controlled:
    """`changed` is False where the run was as wanted before; `steps` are those asked again."""

    changed: bool
    steps: int = 0


def control(*, name: str, run: Run, by: User) -> Controlled:
    """Pause, resume, cancel `run` or retry what failed, once: a second time changes nothing.

    Raises RunRefused where it cannot be done now, PermissionDenied unless `by` may run, and
    ValueError for an unknown `name`.
    """
    if name not in CONTROLS:
        raise ValueError(f"there is no control {name!r}")
    if name == "retry-failed":
        if has_permission(by, Verb.RUN) and not failed_steps(run):
            return Controlled(False)
        return Controlled(True, retry_failed(run=run, by=by))
    try:
        CHANGES[name](run=run, by=by)
    except RunRefused:
        run.refresh_from_db()
        if run.state in ALREADY[name]:
            return Controlled(False)
        raise
    return Controlled(True)


def failed_steps(run: Run) -> int:
    """Return how many steps have failed or are unknown. One query."""
    return run.work_items.filter(state__in=[WorkState.FAILED, WorkState.UNKNOWN]).count()


def actions_of(run: Run, user: Any, entry: LeaderboardEntry | None) -> dict[str, Any]:
    """Return which buttons `user` may press now. Two queries at most."""
    may_run = has_permission(user, Verb.RUN)
    state, ended = run.state, run.state in ENDED
    by_itself = run.contestant.is_reference and run.origin != Origin.READERS
    may_judge = may_run and ended and not by_itself and run.rejudges_id is None
    found: dict[str, Any] = {
        "extend": may_run and ended and not by_itself and run.origin == Origin.ENGINE,
        "rejudge": may_judge and free_answers(run).exists(),
    }
    if run.origin not in (Origin.ENGINE, Origin.REJUDGE):
        return found
    alive = state in ALIVE
    is_published = entry is not None and entry.published_at is not None
    may_publish = has_permission(user, Verb.PUBLISH) and entry is not None and ended
    return found | {
        "start": may_run and state == RunState.DRAFT,
        "pause": may_run and state in (RunState.QUEUED, RunState.RUNNING),
        "resume": may_run and state == RunState.PAUSED,
        "cancel": may_run and (alive or state == RunState.DRAFT),
        "retry": failed_steps(run) if may_run else 0,
        "publish": may_publish and not by_itself and not is_published,
        "published": is_published,
        "row_by_itself": by_itself,
        "live": alive or state == RunState.CANCELLING or _awaits_entry(run, entry),
    }


def _awaits_entry(run: Run, entry: LeaderboardEntry | None) -> bool:
    """Say whether a run has just ended and its entry, which is stored a moment later, is still to
    come: its page must not stop looking before."""
    just_now = run.finished_at is not None and timezone.now() - run.finished_at < ENTRY_WITHIN
    return run.state == RunState.DONE and run.origin == Origin.ENGINE and not entry and just_now
