"""Which models are of one family: their names begin with the same word, such as "Gemini"."""


def family_of(name: str) -> str:
    """Return the first word of `name` in letters alone, "" where it says nothing."""
    word = "".join(sign if sign.isalpha() else " " for sign in name.casefold()).split()
    return word[0] if word and len(word[0]) > 2 else ""


def of_one_family(judge: str, models: list[str]) -> frozenset[str]:
    """Return those of `models` that are of the judge's family."""
    family = family_of(judge)
    return frozenset(name for name in models if family and family_of(name) == family)
