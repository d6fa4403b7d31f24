"""What the page of a run shows, put together from the queries."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar, cast

from django.core.cache import cache
from django.utils import timezone
from django.utils.http import urlencode

from annotation.models import User
from evaluation import run_charts
from evaluation.engine import trouble
from evaluation.engine.batch_ledger import in_batch
from evaluation.engine.work import CLIP_ERROR
from evaluation.models import LeaderboardEntry, Run
from evaluation.models.run import RunState
from evaluation.queries.month_spending import month_spending
from evaluation.queries.run_errors import ErrorRow, clip_reasons, errors, latencies
from evaluation.queries.run_item_filter import SCORES, STATES, ItemFilter
from evaluation.queries.run_item_pages import item_page
from evaluation.queries.run_items import item_rows, question_types
from evaluation.queries.run_progress import Progress, progress
from evaluation.run_actions import actions_of

T = TypeVar("T")
LARGE = 100_000  # answers of a run, above which its figures are kept
KEPT_FOR = 15  # seconds
CAUSES = {
    "rate_limit": "Rate limited, 429",
    "overload": "Provider overloaded",
    "timeout": "Timed out",
    "connection": "Connection broke",
    "auth": "Key refused",
    "bad_request": "Request not understood",
    "too_large": "Request too large",
    "refused": "Refused by the model",
    "abstained": "Reply without an answer",
    "empty": "Empty reply",
    "truncated": "Cut off by the output limit",
    "unparsable": "Unreadable reply",
    "clip": "Clip not available",
    "store_full": "No room for clips",
    "lost": "Worker died during the call",
    "internal": "Fault of ours, see the log",
}
FORM_ACTIONS = ("start", "pause", "resume", "cancel", "retry", "publish")
BADGES = {
    RunState.RUNNING: ("acc", "play"),
    RunState.QUEUED: ("", "play"),
    RunState.PAUSED: ("warn", "pause"),
    RunState.CANCELLING: ("warn", "stop"),
    RunState.CANCELLED: ("", "stop"),
    RunState.DONE: ("good", "tick"),
    RunState.FAILED: ("bad", "alert"),
    RunState.DRAFT: ("", "edit"),
}


@dataclass(frozen=True)
class Badge:
    """How a state looks."""

    css: str
    icon: str
    label: str


def badge_of(run: Run) -> Badge:
    """Return the badge of a run's state."""
    css, icon = BADGES[RunState(run.state)]
    return Badge(css, icon, RunState(run.state).label)


def live_context(run: Run, user: Any, asked: Mapping[str, str]) -> dict[str, Any]:
    """Return what changes while a run works. A bounded number of queries."""
    wanted = ItemFilter.read(asked)
    now = paced(run, "progress", lambda: progress(run))
    page = item_page(run, wanted, asked.get("after", ""))
    found = paced(run, "latencies", lambda: latencies(run))
    causes = paced(run, "errors", lambda: errors(run))
    no_clip = any(row.error_class == CLIP_ERROR for row in causes)
    entry = newest_entry(run)
    lacks_entry = run.state == RunState.DONE and entry is None and not run.rejudges_id
    return {
        "run": run,
        "badge": badge_of(run),
        "progress": now,
        "latencies": found,
        "in_batch": in_batch(run.pk) if run.parameters.get("batch") else None,
        "trouble": trouble.of(run.pk) if run.finished_at is None or lacks_entry else "",
        "bar": run_charts.progress_bar(now.counts),
        "months": month_spending(providers_of(run)) if now.budget or run.spent else [],
        "budget_bar": run_charts.budget_bar(now),
        "left": time_left(now),
        "chart": run_charts.histogram(found) if found else None,
        "errors": [(row, cause_of(row)) for row in causes],
        "clip_reasons": clip_reasons(run) if no_clip else [],
        "page": page,
        "rows": item_rows(run, page.rows),
        "wanted": wanted,
        "query": urlencode(wanted.given),
        "actions": actions_of(run, user, entry),
        "entry": entry,
    }  # fmt: skip


def cause_of(row: ErrorRow) -> str:
    """Return what went wrong, in words."""
    if row.error_class == "refused" and not row.is_reply:
        return "Refused by the judge"  # a model's refusal is its reply
    return CAUSES.get(row.error_class, row.error_class)


def paced(run: Run, name: str, figures: Callable[[], T]) -> T:
    """Return `figures` of `run`. Those of a run of a million answers take seconds, and its page
    asks every two: they are kept for a while, which such a run does not notice."""
    if int(run.extra.get("answers", 0)) < LARGE:
        return figures()
    return cast(T, cache.get_or_set(f"run-figures:{run.pk}:{name}", figures, KEPT_FOR))


def providers_of(run: Run) -> list[int]:
    """Return the ids of the providers that a run asks."""
    asked = [run.contestant, *filter(None, [run.judge])]
    return sorted({contestant.provider_id for contestant in asked})


def newest_entry(run: Run) -> LeaderboardEntry | None:
    """Return the newest version of the run's entry on its own release."""
    return run.entries.filter(release_id=run.release_id).order_by("-version").first()


def page_context(run: Run, user: User, asked: Mapping[str, str]) -> dict[str, Any]:
    """Return all that the page shows."""
    live = live_context(run, user, asked)
    facts = provenance(run)
    return live | {
        "provenance": facts,
        "model_versions": facts["model_versions_answered"],
        "question_types": question_types(run),
        "states": STATES,
        "scores": SCORES.items(),
        "form_actions": FORM_ACTIONS,
        "causes": {row.error_class: cause for row, cause in reversed(live["errors"])}.items(),
        "benchmark": run.benchmark,
        "nav_active": "runs",
    }


def time_left(now: Progress) -> tuple[str, str]:
    """Return the time left and the moment of the end, in words; empty where unknown."""
    if now.seconds_left is None:
        return "", ""
    end = timezone.now() + timedelta(seconds=now.seconds_left)
    return in_words(now.seconds_left), f"{end:%H:%M} UTC"


def in_words(seconds: float) -> str:
    """Write a length of time in its largest fitting unit."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    if seconds < 48 * 3600:
        return f"{seconds / 3600:.1f} h"
    return f"{seconds / 86400:.1f} days"


def versions_of(run: Run) -> list[str]:
    """Return the model versions that answered."""
    told = run.predictions.exclude(model_version="").order_by()
    return sorted(set(told.values_list("model_version", flat=True).distinct()[:20]))


def cut_otherwise(run: Run) -> int:
    """Return how many answers saw a clip of another recipe than the run began with."""
    if not run.clip_settings:
        return 0
    return run.predictions.filter(extra__clip__has_key="recipe").order_by().count()


def provenance(run: Run) -> dict[str, Any]:
    """Return what repeats the run's numbers, JSON-ready."""
    return {
        "run": run.pk,
        "model": run.contestant.name,
        "model_id_asked": run.model_id_asked,
        "model_versions_answered": paced(run, "versions", lambda: versions_of(run)),
        "condition": run.condition,
        "clip_settings": run.clip_settings,
        "clips_cut_otherwise": paced(run, "recipes", lambda: cut_otherwise(run)),
        "prompt_version": run.prompt_version,
        "prompt_text": run.prompt_text,
        "order_seed": run.order_seed,
        "parameters": run.parameters,
        "repeats": run.repeats,
        "circular": run.circular,
        "strict": run.strict,
        "judge": run.judge_label,
        "judge_parameters": run.extra.get("judge_parameters", {}),
        "rubric_version": run.rubric_version,
        "release": {"tag": run.release.tag, "hash": run.release.hash},
        "price": run.extra.get("price", {}),
        "code_version": run.code_version,
        "extends": run.extends_id,
    }  # fmt: skip
