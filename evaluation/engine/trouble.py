"""What hinders the workers of a run just now, for its page.

It lies in the cache, because it is told when the database cannot be written.
"""

from django.core.cache import cache

LIFE = 15  # seconds; told again with each try
LENGTH = 200


def tell(run_id: int, message: str, *, life: float = LIFE) -> None:
    """Say that the workers of a run cannot write the ledger, and why; it stands `life` seconds."""
    cache.set(_key(run_id), message.strip()[:LENGTH], life)


def of(run_id: int) -> str:
    """Return what hinders the workers of a run; "" where nothing does."""
    return str(cache.get(_key(run_id)) or "")


def _key(run_id: int) -> str:
    return f"run-trouble-{run_id}"
