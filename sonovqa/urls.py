"""All routes: each room brings its own."""

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import include, path

from sonovqa.health import healthz

# The admin site's own login page knows no rate limit: everybody signs in by the same one.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]

handler500 = "sonovqa.problems.server_error"

urlpatterns = [
    path("admin/", admin.site.urls),
    path("accounts/", include("annotation.account_urls")),
    path("healthz", healthz, name="healthz"),
    path("", include("annotation.urls")),
    path("", include("evaluation.urls")),
]
