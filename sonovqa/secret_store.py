"""Secrets that the installation makes for itself, kept in files that only its user can read."""

import os
import secrets
from pathlib import Path


def read_or_make(path: Path) -> str:
    """Return the secret in `path`; make a random one of 64 characters where there is none.

    The file is created with mode 600 and never overwritten, so two processes that start
    together agree on one secret. Raises OSError where the folder cannot be written.
    """
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text(encoding="ascii").strip()
    secret = secrets.token_urlsafe(48)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(secret)
    return secret
