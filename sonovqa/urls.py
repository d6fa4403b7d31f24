"""All routes: each room brings its own."""

from allauth.account import views as account
from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import include, path

from sonovqa.health import healthz

# The admin site's own login page knows no rate limit: everybody signs in by the same one.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]

# Accounts are made by an admin and have no mail address, so sign-up, mail and reset have no page.
ACCOUNT_PAGES = [
    path("login/", account.login, name="account_login"),
    path("logout/", account.logout, name="account_logout"),
    path("inactive/", account.account_inactive, name="account_inactive"),
    path("password/change/", account.password_change, name="account_change_password"),
]

urlpatterns = [
    path("admin/", admin.site.urls),
    path("accounts/", include(ACCOUNT_PAGES)),
    path("healthz", healthz, name="healthz"),
    path("", include("annotation.urls")),
    path("", include("evaluation.urls")),
]
