"""Routes of the evaluation room."""

from django.urls import URLPattern, URLResolver, path, register_converter

from evaluation import api_runs, grading_api
from evaluation.api_urls import urlpatterns as api_routes
from evaluation.views import (
    compare,
    crew,
    datasheets,
    elsewhere,
    endpoints,
    entries,
    evidence,
    gain,
    grading,
    judge_audit,
    leaderboard,
    leaky_split,
    look_again,
    metrics,
    models,
    organisations,
    run_items,
    run_more,
    runs,
    submissions,
)


class HashConverter:
    """The beginning of a sha256 in hex: enough letters to be no other's."""

    regex = "[0-9a-f]{12,64}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(HashConverter, "hash")
app_name = "evaluation"
urlpatterns: list[URLPattern | URLResolver] = [
    path("", leaderboard.home, name="home"),
    path("metrics", metrics.metrics, name="metrics"),
    path("method/", leaderboard.method, name="method"),
    path("b/<slug:slug>/leaderboard/", leaderboard.leaderboard, name="leaderboard"),
    path("b/<slug:slug>/leaderboard.csv", leaderboard.leaderboard_csv, name="leaderboard_csv"),
    path("b/<slug:slug>/leaderboard.json", leaderboard.leaderboard_json, name="leaderboard_json"),
    path(
        "b/<slug:slug>/leaderboard/<str:tag>/",
        leaderboard.leaderboard,
        name="leaderboard_release",
    ),
    path("b/<slug:slug>/models/<slug:model_slug>/", models.model, name="model"),
    path("b/<slug:slug>/entry/<hash:prefix>/", models.entry, name="entry"),
    path("b/<slug:slug>/datasheet/<str:tag>/", datasheets.datasheet, name="datasheet"),
    path("b/<slug:slug>/datasheet/<str:tag>.md", datasheets.markdown, name="datasheet_file"),
    path("b/<slug:slug>/croissant/<str:tag>.json", datasheets.croissant, name="croissant"),
    path("b/<slug:slug>/questions/<str:tag>.jsonl", datasheets.questions, name="questions"),
    path("b/<slug:slug>/embed/", elsewhere.embed, name="embed"),
    path("b/<slug:slug>/badge/<slug:model_slug>.svg", elsewhere.badge, name="badge"),
    path("b/<slug:slug>/compare/", compare.compare, name="compare"),
    path("b/<slug:slug>/compare.csv", compare.compare_csv, name="compare_csv"),
    path("b/<slug:slug>/entries/", entries.entries, name="entries"),
    path("b/<slug:slug>/entries/readers/", entries.add_readers, name="add_readers"),
    path(
        "b/<slug:slug>/entries/<int:pk>/<slug:action>/", entries.entry_action, name="entry_action"
    ),
    path("b/<slug:slug>/submit/", submissions.submit, name="submit"),
    path("b/<slug:slug>/submit/server/", endpoints.submit_endpoint, name="submit_endpoint"),
    path("b/<slug:slug>/submit/template.jsonl", submissions.template, name="submit_template"),
    path("submissions/", submissions.submissions, name="submissions"),
    path("submissions/<int:pk>/", submissions.submission, name="submission"),
    path(
        "submissions/<int:pk>/<slug:action>/",
        submissions.submission_action,
        name="submission_action",
    ),
    path("organisations/", organisations.organisations, name="organisations"),
    path("runs/", runs.runs, name="runs"),
    path("runs/workers/", crew.crew, name="crew"),
    path("runs/workers/state.json", crew.crew_state, name="crew_state"),
    path("runs/new/", runs.run_new, name="run_new"),
    path("runs/<int:pk>/", runs.run, name="run"),
    path("runs/<int:pk>/items/<int:version_id>/<int:repeat>/", run_items.run_item, name="run_item"),
    path(
        "runs/<int:pk>/items/<int:version_id>/<int:repeat>/clip.mp4",
        run_items.run_item_clip,
        name="run_item_clip",
    ),
    path("runs/<int:pk>/progress.json", runs.run_progress, name="run_progress"),
    path("runs/<int:pk>/extend/", run_more.run_extend, name="run_extend"),
    path("runs/<int:pk>/rejudge/", run_more.run_rejudge, name="run_rejudge"),
    path("runs/<int:pk>/<slug:action>/", runs.run_action, name="run_action"),
    path("b/<slug:slug>/audit/models/<str:tag>/", leaky_split.audit_models, name="audit_models"),
    path("b/<slug:slug>/look-again/", look_again.look_again_page, name="look_again"),
    path("evidence/<int:item_id>/", evidence.evidence, name="evidence"),
    path("api/v1/runs/<int:pk>/figures/", api_runs.RunFigures.as_view(), name="api_run_figures"),
    path("api/v1/runs/<int:pk>/extend/", api_runs.RunExtend.as_view(), name="api_run_extend"),
    path("api/v1/runs/<int:pk>/rejudge/", api_runs.RunRejudge.as_view(), name="api_run_rejudge"),
    path("api/v1/runs/<int:pk>/pause/", api_runs.RunPause.as_view(), name="api_run_pause"),
    path("api/v1/runs/<int:pk>/resume/", api_runs.RunResume.as_view(), name="api_run_resume"),
    path("api/v1/runs/<int:pk>/cancel/", api_runs.RunCancel.as_view(), name="api_run_cancel"),
    path(
        "api/v1/runs/<int:pk>/retry-failed/",
        api_runs.RunRetryFailed.as_view(),
        name="api_run_retry_failed",
    ),
    path("b/<slug:slug>/gain/", gain.gain, name="gain"),
    path("b/<slug:slug>/judge/", judge_audit.judge, name="judge"),
    path("b/<slug:slug>/judge/attack/", judge_audit.judge_attack, name="judge_attack"),
    path("b/<slug:slug>/judge/rule/", judge_audit.judge_rule, name="judge_rule"),
    path("b/<slug:slug>/grading/", judge_audit.grading_samples, name="grading_samples"),
    path(
        "b/<slug:slug>/grading/<int:pk>/<slug:action>/",
        judge_audit.grading_sample_action,
        name="grading_sample_action",
    ),
    path("grading/", grading.grading, name="grading"),
    path("grading/<int:pk>/next/", grading.grading_next, name="grading_next"),
    path("grading/<int:pk>/<int:answer_id>/", grading.grading_answer, name="grading_answer"),
    path(
        "api/v1/grading/<int:answer_id>/grades/<uuid:grade_id>/",
        grading_api.GradeView.as_view(),
        name="grade",
    ),
    *api_routes,
]
