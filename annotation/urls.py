"""Routes of the annotation room."""

from django.urls import URLPattern, URLResolver, path, re_path

from annotation import api, roi_api, video_api
from annotation.views import (
    account,
    adjudication,
    audit,
    benchmark,
    find,
    guidelines,
    item_history,
    media,
    quarantine,
    releases,
    review,
    roi,
)

app_name = "annotation"
urlpatterns: list[URLPattern | URLResolver] = [
    path("media/sources/<int:pk>.mp4", media.source_file, name="source_file"),
    path("media/stills/<int:video_id>/<int:ms>.jpg", media.still, name="still"),
    re_path(
        r"^media/previews/(?P<video_id>[0-9]{1,18})/(?P<name>[0-9a-f]{16}-[0-9a-f]{64})\.mp4$",
        media.preview,
        name="preview",
    ),
    path("account/theme/", account.theme, name="theme"),
    path("account/keys/", account.keys, name="keys"),
    path("review/", review.home, name="review_home"),
    path("b/<slug:slug>/", benchmark.benchmark, name="benchmark"),
    path("b/<slug:slug>/items/", find.items, name="find"),
    path("b/<slug:slug>/guidelines/", guidelines.guidelines, name="guidelines"),
    path("b/<slug:slug>/guidelines/write/", guidelines.write, name="write_guidelines"),
    path("b/<slug:slug>/readers/", guidelines.readers, name="readers"),
    path("b/<slug:slug>/adjudication/", adjudication.adjudication, name="adjudication"),
    path("b/<slug:slug>/adjudication/undo/", adjudication.undo, name="undo_decision"),
    path("b/<slug:slug>/adjudication/<int:item_id>/", adjudication.decide, name="adjudicate"),
    path("b/<slug:slug>/releases/", releases.make, name="make_release"),
    path("b/<slug:slug>/releases/compare/", releases.compare, name="compare_releases"),
    path("b/<slug:slug>/releases/<str:tag>.zip", releases.export_zip, name="release_zip"),
    path("b/<slug:slug>/releases/<str:tag>.jsonl", releases.export_lines, name="release_lines"),
    path("b/<slug:slug>/review/", review.review_next, name="review_next"),
    path("b/<slug:slug>/review/done/", review.review_done, name="review_done"),
    path("b/<slug:slug>/review/<int:item_id>/", review.review, name="review"),
    path("b/<slug:slug>/review/<int:item_id>/roi/", roi.roi, name="roi"),
    path("b/<slug:slug>/review/<int:item_id>/history/", item_history.history, name="item_history"),
    path(
        "b/<slug:slug>/review/<int:item_id>/history/restore/",
        item_history.restore,
        name="restore_version",
    ),
    path("b/<slug:slug>/review/<int:item_id>/item/", review.item_column, name="item_column"),
    path("b/<slug:slug>/review/videos/<int:video_id>/", review.queue_group, name="queue_group"),
    path(
        "b/<slug:slug>/quarantine/<int:video_id>/clear/",
        quarantine.clear,
        name="clear_quarantine",
    ),
    path("b/<slug:slug>/audit/", audit.audit, name="audit"),
    path("audits/<int:pk>/state.json", audit.audit_state, name="audit_state"),
    path("api/v1/me/", api.Me.as_view(), name="me"),
    path("api/v1/items/<int:item_id>/", api.ItemView.as_view(), name="item"),
    path("api/v1/items/<int:item_id>/votes/<uuid:vote_id>/", api.VoteView.as_view(), name="vote"),
    path("api/v1/items/<int:item_id>/decision/", api.DecisionView.as_view(), name="decision"),
    path("api/v1/items/<int:item_id>/versions/", api.VersionsView.as_view(), name="versions"),
    path("api/v1/videos/<int:video_id>/roi/", video_api.RoiView.as_view(), name="video_roi"),
    path(
        "api/v1/videos/<int:video_id>/roi/suggestion/",
        roi_api.SuggestionView.as_view(),
        name="roi_suggestion",
    ),
    path(
        "api/v1/items/<int:item_id>/preview/",
        roi_api.PreviewView.as_view(),
        name="item_preview",
    ),
    path(
        "api/v1/videos/<int:video_id>/report/",
        video_api.ReportView.as_view(),
        name="video_report",
    ),
]
