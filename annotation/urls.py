"""Routes of the annotation room."""

from django.urls import URLPattern, URLResolver, path

from annotation.views import account, media

app_name = "annotation"
urlpatterns: list[URLPattern | URLResolver] = [
    path("media/sources/<int:pk>.mp4", media.source_file, name="source_file"),
    path("media/stills/<int:video_id>/<int:ms>.jpg", media.still, name="still"),
    path("account/theme/", account.theme, name="theme"),
]
