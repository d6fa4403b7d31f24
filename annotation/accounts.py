"""How people sign in: accounts are made by invitation, never by the visitor."""

import math
import time
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.internal.flows.reauthentication import get_reauthentication_flows
from allauth.core.internal import ratelimit
from django.conf import settings
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.urls import reverse

from sonovqa import post

APP, ACTION = "allauth.account", "login_failed"


class AccountAdapter(DefaultAccountAdapter):
    """Refuses self-made accounts: a vote must come from somebody whom the team knows."""

    error_messages = DefaultAccountAdapter.error_messages | {
        "too_many_login_attempts": "Too many failed tries. Wait 5 minutes, then try again.",
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Refuse after too many failed tries, and say for how long."""
        try:
            super().pre_authenticate(request, **credentials)
        except ValidationError as error:
            key = self._get_login_attempts_cache_key(request, **credentials)
            wait = in_words(seconds_locked(request, key))
            raise ValidationError(
                f"Too many failed tries. Wait {wait}, then try again.", code=error.code
            ) from None

    def is_reauthentication_required(self, *, app: str, **more: Any) -> bool:
        """Ask again who it is, except where an account has nothing to be asked for: one that
        signs in through a hospital has no password of ours."""
        if not get_reauthentication_flows(self.request.user):
            return False
        return super().is_reauthentication_required(app=app, **more)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a mail in plain text, where this site sends mail at all."""
        if settings.MAIL_IS_SENT:
            post.post(self.render_mail(template_prefix, email, context))

    def get_email_verification_redirect_url(self, email_address: Any) -> str:
        return reverse("annotation:account")

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return reverse("annotation:account")


def seconds_locked(request: HttpRequest, key: str) -> float:
    """Return how long the limits of failed tries still refuse `key`, the name that was typed."""
    waits = [0.0]
    for rate in ratelimit.get_rates(app=APP, action=ACTION):
        place = ratelimit.get_cache_key(request, app=APP, action=ACTION, rate=rate, key=key)
        tries = cache.get(place, [])  # times, the newest first
        if len(tries) >= rate.amount:
            waits.append(tries[rate.amount - 1] + rate.duration - time.time())
    return max(waits)


def in_words(seconds: float) -> str:
    """Return a wait, rounded up: seconds below a minute, else minutes."""
    if seconds <= 60:
        whole = max(math.ceil(seconds), 1)
        return f"{whole} second{'s' if whole > 1 else ''}"
    minutes = math.ceil(seconds / 60)
    return f"{minutes} minutes"
