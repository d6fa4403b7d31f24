"""The version of the static files, which stands in their addresses.

A browser may then keep them for good: after an upgrade they are other addresses, for style
sheets, scripts and the modules that these import alike.
"""

import hashlib
from importlib.metadata import version
from pathlib import Path

PACKAGES = ("Django", "djangorestframework")  # whose static files are served beside ours


def static_version(folder: Path) -> str:
    """Return 12 hex digits that change when a file below `folder` or a package changes."""
    digest = hashlib.sha256()
    for package in PACKAGES:
        digest.update(f"{package} {version(package)}\n".encode())
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest.update(f"{path.relative_to(folder).as_posix()}\n".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:12]
