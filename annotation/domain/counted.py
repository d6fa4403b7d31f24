"""Counts as people read them."""


def counted_text(count: int, noun: str) -> str:
    """Return a count with its noun, in the plural by -s where it is not one: 1 item, 2 items."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
