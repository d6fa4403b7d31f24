"""Routes of the annotation room."""

from django.urls import URLPattern, URLResolver, path

from annotation.views import account

app_name = "annotation"
urlpatterns: list[URLPattern | URLResolver] = [
    path("account/theme/", account.theme, name="theme"),
]
