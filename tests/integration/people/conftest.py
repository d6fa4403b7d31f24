"""What tests of accounts need: mail that is caught, links, codes of an authenticator app."""

import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.core import mail

from sonovqa import post

SECRET = "JBSWY3DPEHPK3PXP"


@pytest.fixture
def mail_server(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[Any]]:
    """This site sends mail. Returns a function that gives what went out by now."""
    settings.MAIL_IS_SENT = True
    sent = []
    real = post.POOL.submit
    monkeypatch.setattr(post.POOL, "submit", lambda *job: sent.append(real(*job)) or sent[-1])

    def out() -> list[Any]:
        for one in sent:
            one.result(timeout=120)
        return mail.outbox

    return out


def link_in(text: str, path: str) -> str:
    """The path of the link in a mail or a page that begins with `path`."""
    return re.search(rf"https?://testserver({path}[-\w:/]+)", text)[1]


def code(secret: str, *, step: int = 0) -> str:
    """What an authenticator app shows for `secret` now, or `step` half minutes later."""
    from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value

    return format_hotp_value(hotp_value(secret, int(time.time()) // 30 + step))


def give_second_factor(user: Any, secret: str = SECRET) -> str:
    """Give `user` an authenticator app and recovery codes; returns the app's secret."""
    from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
    from allauth.mfa.totp.internal.auth import TOTP

    TOTP.activate(user, secret)
    RecoveryCodes.activate(user)
    return secret
