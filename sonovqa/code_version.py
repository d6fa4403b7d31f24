"""Which code made a number: the version, and the commit where the code lies in a clone."""

from functools import cache

from django.conf import settings

import sonovqa


@cache
def code_version() -> str:
    """Return e.g. "0.1.0 e83b1c2a90ff", or the bare version outside a clone."""
    folder = settings.BASE / ".git"
    try:
        head = (folder / "HEAD").read_text(encoding="ascii").strip()
        if head.startswith("ref: "):
            head = (folder / head.removeprefix("ref: ")).read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return sonovqa.__version__
    return f"{sonovqa.__version__} {head[:12]}"
