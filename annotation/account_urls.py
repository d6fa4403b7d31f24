"""Routes of signing in and of the own account: allauth's pages, each with our look.

allauth's own list is not included: a page of it that is not named here does not exist.
"""

from allauth.account import views as account
from django.urls import URLPattern, path

from annotation.views import sign_in

urlpatterns: list[URLPattern] = [
    path("login/", sign_in.sign_in, name="account_login"),
    path("logout/", account.logout, name="account_logout"),
    path("inactive/", account.account_inactive, name="account_inactive"),
    path("password/change/", account.password_change, name="account_change_password"),
]
