"""What people change of their own sign-in goes through allauth; the trail hears of it here.

Each row names the account and what happened, never an address, a password or a device.
"""

from typing import Any

from allauth.account import signals as account
from allauth.mfa import signals as factor
from allauth.socialaccount import signals as outside
from django.contrib.auth import get_user_model
from django.dispatch import Signal

from annotation.actions.trail import record

HEARD: dict[str, Signal] = {
    "change_password": account.password_changed,
    "set_own_password": account.password_set,
    "reset_password": account.password_reset,
    "change_address": account.email_changed,
    "add_second_factor": factor.authenticator_added,
    "drop_second_factor": factor.authenticator_removed,
    "link_outside_account": outside.social_account_added,
}


def listen() -> None:
    """Connect the trail. Call it once, when the apps are ready."""
    for verb, signal in HEARD.items():
        signal.connect(hearer(verb), weak=False, dispatch_uid=f"trail-{verb}")


def hearer(verb: str) -> Any:
    def hear(user: Any = None, sociallogin: Any = None, **_: Any) -> None:
        actor = user or sociallogin.user
        if isinstance(actor, get_user_model()):
            record(by=actor, verb=verb, target_kind="account", target_id=actor.pk)

    return hear
