"""Secrets that the installation makes for itself, kept in files that only its user can read."""

import os
import secrets
import tempfile
from pathlib import Path


def read_or_make(path: Path) -> str:
    """Return the secret in `path`; make a random one of 64 characters where there is none.

    The file appears whole, with mode 600, and is never overwritten, so processes that start
    together agree on one secret. Raises OSError where the folder cannot be written or the
    file is empty.
    """
    if not path.exists():
        publish(path, secrets.token_urlsafe(48))
    secret = path.read_text(encoding="ascii").strip()
    if not secret:
        raise OSError(f"{path} is empty; delete it and start again")
    return secret


def publish(path: Path, content: str) -> None:
    """Write `content` to `path` with mode 600; leave a file that is there already as it is."""
    handle, name = tempfile.mkstemp(prefix=path.name, dir=path.parent)
    draft = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)  # unlike a rename, this never replaces what another process wrote
    except FileExistsError:
        return
    finally:
        draft.unlink()
