"""All routes: each room brings its own."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("accounts/", include("allauth.account.urls")),
    path("", include("annotation.urls")),
    path("", include("evaluation.urls")),
]
