"""The way to a hospital's sign-in and back."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import jwt
from allauth.core.internal import ratelimit
from allauth.socialaccount.helpers import render_authentication_error
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView, OAuth2LoginView
from django.conf import settings
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache

from annotation.hospital_sign_in import HospitalOAuth2Adapter

View = Callable[..., HttpResponseBase]
PROVIDER = "hospital"
LIMITS = {"hospital": "30/m/ip"}
# What a broken or hostile issuer may cause beyond what allauth expects of it.
BROKEN = (OAuth2Error, OSError, jwt.PyJWTError, LookupError, ValueError, TypeError, AttributeError)


def guarded(view: View) -> View:
    """Answer 404 without an issuer, 429 to a flood, and a page of ours to a broken issuer."""

    @wraps(view)
    def checked(request: HttpRequest, provider_id: str) -> HttpResponseBase:
        if not settings.OIDC_ISSUER or provider_id != PROVIDER:
            raise Http404
        if not ratelimit.consume(
            request, app="annotation", action="hospital", config=LIMITS, limit_get=True
        ):
            return render(request, "429.html", status=429)
        adapter = HospitalOAuth2Adapter(request, provider_id)
        try:
            return view(request, adapter)
        except BROKEN as error:
            provider: Any = adapter.get_provider()
            return render_authentication_error(request, provider, exception=error)

    return never_cache(checked)


@guarded
def login(request: HttpRequest, adapter: HospitalOAuth2Adapter) -> HttpResponseBase:
    return OAuth2LoginView.adapter_view(adapter)(request)


@guarded
def callback(request: HttpRequest, adapter: HospitalOAuth2Adapter) -> HttpResponseBase:
    return OAuth2CallbackView.adapter_view(adapter)(request)
