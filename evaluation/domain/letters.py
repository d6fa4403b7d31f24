"""Letters of options. They exist only where options are shown, never in the store."""

MOST = 26


def letter(place: int) -> str:
    """Return the letter at `place`, from 0. Raises ValueError beyond Z."""
    if not 0 <= place < MOST:
        raise ValueError(f"no letter for place {place}")
    return chr(ord("A") + place)


def place(letter: str) -> int:
    """Return the place, from 0, of a letter of either case."""
    return ord(letter.upper()) - ord("A")
