"""Reads settings from the environment and refuses bad values loudly.

Every variable that is read here is described in docs/settings.md; a test compares the two.
"""

import os
from pathlib import Path
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

TRUE = {"1", "true", "yes", "on"}
FALSE = {"0", "false", "no", "off", ""}


def text(name: str, default: str = "") -> str:
    """Return the variable as text, or `default` where it is unset."""
    return os.environ.get(name, default)


def flag(name: str, default: bool = False) -> bool:
    """Return the variable as a boolean.

    Raises ImproperlyConfigured where the value is neither a yes nor a no.
    """
    raw = os.environ.get(name)
    if raw is None:
        return default
    value = raw.strip().lower()
    if value in TRUE:
        return True
    if value in FALSE:
        return False
    raise ImproperlyConfigured(f"{name}={raw!r} is neither yes nor no; use 1 or 0.")


def whole(name: str, default: int, *, low: int = 0, high: int = 2**31) -> int:
    """Return the variable as a whole number within [low, high].

    Raises ImproperlyConfigured where it is not a number or out of bounds.
    """
    raw = os.environ.get(name)
    if raw is None or not raw.strip():
        return default
    try:
        value = int(raw)
    except ValueError:
        raise ImproperlyConfigured(f"{name}={raw!r} is not a whole number.") from None
    if not low <= value <= high:
        raise ImproperlyConfigured(f"{name}={value} is outside {low} to {high}.")
    return value


def choice(name: str, default: str, known: tuple[str, ...]) -> str:
    """Return the variable in capitals, one of `known`.

    Raises ImproperlyConfigured where it is something else.
    """
    value = (os.environ.get(name) or default).strip().upper()
    if value not in known:
        raise ImproperlyConfigured(f"{name}={value!r} is none of {', '.join(known)}.")
    return value


def words(name: str, default: str = "") -> list[str]:
    """Return the variable as a list, split at commas, blanks dropped."""
    return [word.strip() for word in os.environ.get(name, default).split(",") if word.strip()]


def redis(name: str) -> str:
    """Return the variable as an address that both the broker and the cache can use, or "".

    Raises ImproperlyConfigured for any other; the address is not told, it may hold a password.
    """
    raw = text(name).strip()
    advice = "write it as redis://host:6379/0, or leave it unset for a broker of our own."
    try:
        parts = urlsplit(raw)
        sound = parts.scheme in ("redis", "rediss") and parts.hostname and parts.port != 0
    except ValueError:
        sound = False
    if raw and not sound:
        raise ImproperlyConfigured(f"{name} is no address of a Redis server; {advice}")
    return raw


def pairs(name: str) -> dict[str, str]:
    """Return the variable, such as `readers=reviewer,heads=adjudicator`, as a dictionary.

    Raises ImproperlyConfigured for a part without its equals sign or with an empty side.
    """
    parts = [word.rpartition("=") for word in words(name)]
    for left, _, right in parts:
        if not left.strip() or not right.strip():
            raise ImproperlyConfigured(f"{name}: write it as name=value,name=value.")
    return {left.strip(): right.strip() for left, _, right in parts}


def secret(name: str, file_name: str) -> str:
    """Return the variable, or what stands in the file that the second variable names.

    Raises ImproperlyConfigured where that file cannot be read; its content is never told.
    """
    path = place(file_name)
    if path is None:
        return text(name)
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise ImproperlyConfigured(f"{file_name}={path} cannot be read.") from None


def folder(name: str, default: Path) -> Path:
    """Return the variable as an absolute path."""
    raw = os.environ.get(name, "").strip()
    return Path(raw).expanduser().resolve() if raw else default


def place(name: str) -> Path | None:
    """Return the variable as an absolute path, None where it is unset."""
    raw = os.environ.get(name, "").strip()
    return Path(raw).expanduser().resolve() if raw else None
