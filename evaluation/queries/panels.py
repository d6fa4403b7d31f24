"""The panel of judges of a release: its stored figures, and the marks that they come from."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import Count, Max, QuerySet

from annotation.domain.versions import digest
from annotation.models import Release
from evaluation.domain.judge_panel import Judge, Rule, panel_name
from evaluation.models import Judgement, PanelReport, Run
from evaluation.models.run import Origin, RunState


class Mark(NamedTuple):
    """What a judge gave first to an answer; `score` is None where it failed."""

    score: int | None
    error_type: str


@dataclass(frozen=True)
class Panel:
    """A panel by one rule; `rows` is run id → {"figures", "clusters"} of the published runs
    that all of its members have marked."""

    rule: Rule
    members: Sequence[Judge]
    rows: Mapping[str, Any]
    stamp: str

    @property
    def judge(self) -> dict[str, Any]:
        """Return what figures call their judge."""
        label, rubric = panel_name(self.rule, self.members)
        names = [name for name, _ in self.members]
        return {"label": label, "rubric": rubric, "versions": [], "members": names}


def panel_members(release_id: int) -> list[Judge]:
    """Return the members of a release's panel; [] where it has none. One query."""
    found = PanelReport.objects.filter(release=release_id).values_list("members", flat=True).first()
    return [(label, rubric) for label, rubric in found or ()]


def members_of(release: Release) -> list[Judge]:
    """Return the same of a release that was read with its `panel_report`. No query."""
    report: PanelReport | None = getattr(release, "panel_report", None)
    return [(label, rubric) for label, rubric in report.members] if report else []


def panel_of(release: Release, rule: str) -> Panel | None:
    """Return the panel of a release by `rule`; None where there is none. One query."""
    report = PanelReport.objects.filter(release=release).first()
    if report is None or not report.members or rule not in list(Rule):
        return None
    members = [(label, rubric) for label, rubric in report.members]
    return Panel(Rule(rule), members, report.rows[rule], report.stamp)


def by_panel(
    run_id: int, figures: dict[str, Any], clusters: dict[str, Any], panel: Panel
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the figures and clusters of an entry with its free responses as `panel` marks them,
    or without any where not all of its members have marked the run. MCQs stay as published."""
    if "free" not in figures["kinds"] or "free" not in figures:
        return figures, clusters
    found = panel.rows.get(str(run_id))
    if found:
        counted = figures | found["figures"] | {"judge": panel.judge}
        return counted, clusters | {"free": found["clusters"]}
    scored = figures["free"]["scored"]
    rest = {
        "scored": figures["scored"] - scored,
        "failures": figures["failures"] | {"not judged": scored},
        "free_outcomes": {},
        "judge": None,
        "answered": _without_free(figures.get("answered", {})),
    }
    return _without_free(figures) | rest, _without_free(clusters)


def _without_free(parts: Mapping[str, Any]) -> dict[str, Any]:
    return {kind: part for kind, part in parts.items() if kind != "free"}


def rejudging_stamp(runs: Sequence[int] | QuerySet[Any, Any]) -> str:
    """Return a name of what has been judged again of `runs`: another rejudging that is done,
    or one taken up again, gives another. "" where there is none. One query."""
    done = (
        rejudgings().filter(rejudges__in=runs).aggregate(times=Count("pk"), at=Max("finished_at"))
    )
    return digest([done["times"], str(done["at"])]) if done["times"] else ""


def audit_stamp(release_id: int) -> str:
    """Return a name of what the audits of a release's samples count beside its own judging: the
    rejudgings that are done and the panel. "" without either. Two queries."""
    judged = rejudging_stamp(Run.objects.filter(release=release_id).values("pk"))
    members = panel_members(release_id)
    return digest([judged, members]) if members else judged


def rejudgings() -> QuerySet[Run]:
    """Return the runs that judged others again and are done."""
    return Run.objects.filter(origin=Origin.REJUDGE, state=RunState.DONE)


def marks_on(run_id: int) -> dict[Judge, dict[int, Mark]]:
    """Return each judge's first mark on the answers of a run, by prediction, by the fields in
    their usual order. One query."""
    rows = (
        Judgement.objects.in_usual_order()
        .filter(prediction__run=run_id)
        .order_by("repeat", "pk")
        .values_list(
            *("judge_label", "rubric_version", "prediction_id"), *("score", "error_type", "failed")
        )
    )
    found: dict[Judge, dict[int, Mark]] = defaultdict(dict)
    for label, rubric, prediction, score, error_type, failed in rows.iterator():
        marks = found[label, rubric]
        if prediction not in marks or marks[prediction].score is None:
            marks[prediction] = Mark(None if failed else score, error_type)
    return dict(found)
