"""Routes of signing in and of the own account: allauth's pages, each with our look.

allauth's own list is not included: a page of it that is not named here does not exist.
"""

from allauth.account import views as account
from allauth.mfa.base import views as factor
from allauth.mfa.recovery_codes import views as codes
from allauth.mfa.totp import views as totp
from allauth.socialaccount import views as outside
from allauth.usersessions import views as sessions
from django.urls import URLPattern, path, re_path
from django.views.generic import RedirectView

from annotation.views import hospital, sign_in
from annotation.views.with_mail import with_mail

RESET = r"^password/reset/key/(?P<uidb36>[0-9A-Za-z]{1,13})-(?P<key>[-\w]{1,100})/$"

urlpatterns: list[URLPattern] = [
    path("login/", sign_in.sign_in, name="account_login"),
    path("logout/", account.logout, name="account_logout"),
    path("inactive/", account.account_inactive, name="account_inactive"),
    path("reauthenticate/", account.reauthenticate, name="account_reauthenticate"),
    path("password/change/", account.password_change, name="account_change_password"),
    path("password/set/", account.password_set, name="account_set_password"),
    path("password/reset/", with_mail(account.password_reset), name="account_reset_password"),
    path(
        "password/reset/done/",
        with_mail(account.password_reset_done),
        name="account_reset_password_done",
    ),
    re_path(
        RESET, with_mail(account.password_reset_from_key), name="account_reset_password_from_key"
    ),
    path(
        "password/reset/key/done/",
        with_mail(account.password_reset_from_key_done),
        name="account_reset_password_from_key_done",
    ),
    path("email/", with_mail(account.email), name="account_email"),
    re_path(
        r"^confirm-email/(?P<key>[-:\w]{1,200})/$",
        with_mail(account.confirm_email),
        name="account_confirm_email",
    ),
    path("sessions/", sessions.list_usersessions, name="usersessions_list"),
    path("2fa/", RedirectView.as_view(pattern_name="annotation:account"), name="mfa_index"),
    path("2fa/authenticate/", factor.authenticate, name="mfa_authenticate"),
    path("2fa/reauthenticate/", factor.reauthenticate, name="mfa_reauthenticate"),
    path("2fa/totp/activate/", totp.activate_totp, name="mfa_activate_totp"),
    path("2fa/totp/deactivate/", totp.deactivate_totp, name="mfa_deactivate_totp"),
    path("2fa/recovery-codes/", codes.view_recovery_codes, name="mfa_view_recovery_codes"),
    path(
        "2fa/recovery-codes/generate/",
        codes.generate_recovery_codes,
        name="mfa_generate_recovery_codes",
    ),
    path(
        "2fa/recovery-codes/download/",
        codes.download_recovery_codes,
        name="mfa_download_recovery_codes",
    ),
    path("oidc/<slug:provider_id>/login/", hospital.login, name="openid_connect_login"),
    path(
        "oidc/<slug:provider_id>/login/callback/",
        hospital.callback,
        name="openid_connect_callback",
    ),
    path("oidc/cancelled/", outside.login_cancelled, name="socialaccount_login_cancelled"),
]
