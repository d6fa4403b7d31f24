"""Provider keys: sealed where they are stored, revealed only to the engine, never shown."""

import os
from typing import Any
from urllib.parse import urlsplit

from django.db import transaction

from annotation.actions.trail import record
from annotation.models import User
from annotation.permissions import Verb, require
from evaluation.domain.parameters import read_parameters
from evaluation.models import Contestant, Provider
from evaluation.models.contestant import Dialect
from sonovqa import seal

KEY_LENGTH = 400
ARGUMENTS, ARGUMENT_LENGTH = 40, 1_000
SHOWN = (
    "name",
    "dialect",
    "base_url",
    "command",
    "key_env",
    "max_in_flight",
    "requests_per_minute",
    "tokens_per_minute",
    "month_cap",
    "timeout_seconds",
)


class BadAddress(ValueError):
    """A base URL cannot be used; the text says why."""


class BadCommand(ValueError):
    """An argument list cannot be run; the text says why."""


class KeyUnusable(ValueError):
    """A stored key cannot be read, or a new one cannot be a key; the text says why."""


@transaction.atomic
def set_key(*, provider: Provider, key: str, by: User) -> Provider:
    """Seal `key` and store it; an empty key removes the stored one.

    Raises PermissionDenied unless `by` administers, KeyUnusable for text that is no key.
    """
    require(by, Verb.ADMINISTER)
    key = key.strip()
    if len(key) > KEY_LENGTH or not key.isascii() or not key.isprintable() or " " in key:
        raise KeyUnusable(f"A key is at most {KEY_LENGTH} printable characters without spaces.")
    provider.key_sealed = seal.seal(key) if key else ""
    provider.key_last4 = key[-4:] if len(key) >= 12 else ""
    provider.save(update_fields=["key_sealed", "key_last4"])
    record(
        by=by,
        verb="set_provider_key" if key else "remove_provider_key",
        target_kind="provider",
        target_id=provider.pk,
        after={"provider": provider.name},
    )
    return provider


@transaction.atomic
def save_provider(*, provider: Provider, by: User) -> Provider:
    """Store a provider's row; its key goes through `set_key` alone.

    Raises PermissionDenied unless `by` administers, BadAddress for a base URL that is no
    plain http or https address, BadCommand for what is no argument list.
    """
    require(by, Verb.ADMINISTER)
    check_address(provider.base_url)
    check_command(provider.command, needed=provider.dialect == Dialect.COMMAND)
    before = Provider.objects.filter(pk=provider.pk).values(*SHOWN).first()
    if before is None:
        provider.save()
    else:
        provider.save(update_fields=SHOWN)
    record(
        by=by,
        verb="save_provider",
        target_kind="provider",
        target_id=provider.pk,
        before=before,
        after={name: getattr(provider, name) for name in SHOWN},
    )
    return provider


@transaction.atomic
def save_contestant(*, contestant: Contestant, by: User) -> Contestant:
    """Store a model's row. Raises PermissionDenied unless `by` administers, BadParameters."""
    require(by, Verb.ADMINISTER)
    read_parameters(contestant.parameters)
    contestant.save()
    record(
        by=by,
        verb="save_model",
        target_kind="contestant",
        target_id=contestant.pk,
        after={
            "name": contestant.name,
            "model_id": contestant.model_id,
            "parameters": contestant.parameters,
            "price_in": str(contestant.price_in),
            "price_out": str(contestant.price_out),
        },
    )
    return contestant


def check_address(base_url: str) -> None:
    """Raise BadAddress unless `base_url` is empty or a plain http or https address."""
    if not base_url:
        return
    try:
        parts = urlsplit(base_url)
        has_host = bool(parts.hostname) and parts.port != 0
    except ValueError:
        has_host = False
    if not has_host or parts.scheme not in ("http", "https"):
        raise BadAddress("A base URL begins with http:// or https:// and names a server.")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise BadAddress("A base URL holds no account, key, question mark or fragment.")


def check_command(command: Any, *, needed: bool) -> None:
    """Raise BadCommand unless `command` is an argument list, or empty where none is needed."""
    if not isinstance(command, list) or len(command) > ARGUMENTS:
        raise BadCommand(f"A command is a JSON list of at most {ARGUMENTS} texts.")
    for part in command:
        if not isinstance(part, str) or len(part) > ARGUMENT_LENGTH or "\x00" in part:
            raise BadCommand(f"Each argument is a text of at most {ARGUMENT_LENGTH} characters.")
    if needed and not (command and command[0].startswith("/")):
        raise BadCommand("A program is named by its whole path, which begins with /.")


def reveal_key(provider: Provider) -> str:
    """Return the key for a call: from the environment variable named by `key_env`, else the
    stored one, else "". Raises KeyUnusable where the seal does not open."""
    named = os.environ.get(provider.key_env, "") if provider.key_env else ""
    if named or not provider.key_sealed:
        return named
    try:
        return seal.unseal(provider.key_sealed)
    except seal.SealBroken:
        raise KeyUnusable(
            f"The stored key of {provider.name} was sealed with another seal key;"
            " enter it again in the admin site."
        ) from None


def has_key(provider: Provider) -> bool:
    """Say whether a call would have a key, without revealing it."""
    return bool(provider.key_sealed or (provider.key_env and os.environ.get(provider.key_env)))
