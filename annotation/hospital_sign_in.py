"""Signing in through a hospital's OpenID Connect, by settings: allauth's, held tighter.

An id token counts when its signature is of a key that the issuer publishes, by an algorithm with
a public key, and issuer, audience, nonce and expiry are right. Nothing of it but the subject is
stored. What a link to our pages carries never reaches the request to the issuer.
Source: OpenID Connect Core 1.0, section 3.1.3.7.
"""

import hashlib
import ipaddress
import logging
from typing import Any
from urllib.parse import urlsplit

import jwt
import requests
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.internal import jwtkit
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.conf import settings
from django.http import HttpRequest
from django.shortcuts import render
from django.urls import reverse

from annotation.actions import hospital
from annotation.invitation_cookie import invitation_of

log = logging.getLogger(__name__)
ALGORITHMS = frozenset({"RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA"})
ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")


def check_address(address: str) -> str:
    """Return `address`, which we may ask or send people to. Raises OAuth2Error unless it is
    https; the tests alone allow plain HTTP on this machine."""
    parts = urlsplit(str(address))
    if parts.scheme == "https" and parts.hostname:
        return str(address)
    if settings.OIDC_LOOPBACK_ALLOWED and parts.scheme == "http" and is_loopback(parts.hostname):
        return str(address)
    raise OAuth2Error("The issuer names an address that is not https.")


def is_loopback(host: str | None) -> bool:
    try:
        return ipaddress.ip_address(host or "").is_loopback
    except ValueError:
        return False


class CarefulSession(requests.Session):
    """Asks https alone and follows nobody elsewhere."""

    def request(self, method: Any, url: Any, *args: Any, **more: Any) -> requests.Response:
        more |= {"allow_redirects": False, "timeout": settings.SOCIALACCOUNT_REQUESTS_TIMEOUT}
        answer = super().request(method, check_address(url), *args, **more)
        if answer.is_redirect:
            raise OAuth2Error("The issuer sent us elsewhere.")
        return answer


class HospitalOAuth2Adapter(OpenIDConnectOAuth2Adapter):
    nonce = ""

    @property
    def openid_config(self) -> dict[str, Any]:
        config = super().openid_config
        if config.get("issuer", "").rstrip("/") != settings.OIDC_ISSUER.rstrip("/"):
            raise OAuth2Error("Another issuer answers.")
        for name in ENDPOINTS:
            check_address(config[name])
        return config

    def get_access_token_data(
        self, request: HttpRequest, app: Any, client: Any, pkce_code_verifier: Any = None
    ) -> Any:
        if not pkce_code_verifier:
            raise OAuth2Error("This way began without a code verifier.")
        self.nonce = nonce_for(pkce_code_verifier)
        return super().get_access_token_data(request, app, client, pkce_code_verifier)

    def complete_login(self, request: HttpRequest, app: Any, token: Any, **more: Any) -> Any:
        """Return who signs in, with `claims` beside it. Raises OAuth2Error."""
        id_token = more["response"].get("id_token")
        if not isinstance(id_token, str):
            raise OAuth2Error("There is no id token.")
        claims = self._decode_id_token(app, id_token)
        if not claims.get("email") and "userinfo_endpoint" in self.openid_config:
            told = self._fetch_user_info(token.token)
            if told.get("sub") != claims["sub"]:
                raise OAuth2Error("The user info is of somebody else.")
            claims = told | claims
        login = self.get_provider().sociallogin_from_response(request, {"id_token": claims})
        login.claims = claims
        return login

    def _decode_id_token(self, app: Any, id_token: str) -> dict[str, Any]:
        if jwt.get_unverified_header(id_token).get("alg") not in ALGORITHMS:
            raise OAuth2Error("The id token is signed in no way that we take.")
        claims = jwtkit.verify_and_decode(
            credential=id_token,
            keys_url=self.openid_config["jwks_uri"],
            issuer=self.openid_config["issuer"],
            audience=app.client_id,
            lookup_kid=jwtkit.lookup_kid_jwk,
        )
        if claims.get("nonce") != self.nonce or "exp" not in claims:
            raise OAuth2Error("The id token was made for another sign-in.")
        if claims.get("azp", app.client_id) != app.client_id:
            raise OAuth2Error("The id token was made for another party.")
        if not isinstance(claims.get("sub"), str) or not 0 < len(claims["sub"]) <= 191:
            raise OAuth2Error("The id token names nobody.")
        return claims


class HospitalProvider(OpenIDConnectProvider):
    pkce_enabled_default = True
    oauth2_adapter_class = HospitalOAuth2Adapter

    def get_pkce_params(self) -> dict[str, str]:
        params = super().get_pkce_params()
        return params | {"nonce": nonce_for(params["code_verifier"])}

    def get_auth_params_from_request(self, request: HttpRequest, action: Any) -> dict[str, Any]:
        return self.get_auth_params()

    def get_scope_from_request(self, request: HttpRequest) -> list[str]:
        return self.get_scope()

    def get_redirect_from_request_kwargs(self, request: HttpRequest) -> dict[str, Any]:
        asked = super().get_redirect_from_request_kwargs(request)
        links = asked["process"] == "connect" and request.user.is_authenticated
        return asked | {"process": "connect" if links else "login"}

    def extract_extra_data(self, data: Any) -> dict[str, Any]:
        return {}


class HospitalAdapter(DefaultSocialAccountAdapter):
    def get_requests_session(self) -> requests.Session:
        return CarefulSession()

    def get_connect_redirect_url(self, request: HttpRequest, socialaccount: Any) -> str:
        return reverse("annotation:account")

    def on_authentication_error(
        self, request: HttpRequest, provider: Any, exception: Any = None, **more: Any
    ) -> None:
        log.warning("A sign-in through %s failed: %s.", provider, type(exception).__name__)

    def pre_social_login(self, request: HttpRequest, sociallogin: Any) -> None:
        """Find or make the account of whoever signs in, or say why there is none."""
        try:
            visitor = hospital.read_claims(sociallogin.claims)
            if sociallogin.is_existing or sociallogin.state.get("process") == "connect":
                return
            with hospital.one_at_a_time():
                user = hospital.find_account(visitor, invitation=invitation_of(request))
                sociallogin.connect(request, user)
        except hospital.Refused as reason:
            page = render(
                request, "annotation/hospital_refused.html", {"reason": reason}, status=403
            )
            raise ImmediateHttpResponse(page) from None

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        return False  # accounts are made above, or not at all


def nonce_for(code_verifier: str) -> str:
    """Return the nonce of one way to the issuer and back: bound to the session as its PKCE
    verifier is, and telling nothing of it."""
    return hashlib.sha256(b"nonce:" + code_verifier.encode()).hexdigest()
