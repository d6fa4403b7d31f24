"""Answers that stand for people: given before the key was shown, about items of a release."""

from typing import NamedTuple

from annotation.models import Answer, Release


class BlindAnswer(NamedTuple):
    """One answer. `option_index` is an index into the options of its version; it is None for a
    text, and for who could not tell. `seconds` is how long the reader was at it."""

    id: str
    reader_id: int
    pseudonym: str
    version_id: int
    key_index: int | None
    option_index: int | None
    text: str
    could_not_tell: bool
    seconds: float


def blind_answers(release: Release) -> list[BlindAnswer]:
    """Return the answers that count for `release`, by reader and in the order they were given.

    They are about items that it keeps, in whichever version; those of readers to whom the key
    of an earlier version had been shown are left out. One query.
    """
    kept = release.release_items.filter(keep=True).values("item_version__item_id")
    rows = (
        Answer.objects.filter(item__in=kept, undone_at__isnull=True, key_seen_before=False)
        .order_by("reader_id", "created_at", "id")
        .values_list(
            "id",
            "reader_id",
            "reader__pseudonym",
            "item_version_id",
            "item_version__key_index",
            "option_index",
            "text",
            "could_not_tell",
            "active_seconds",
        )
    )
    return [BlindAnswer(str(row[0]), *row[1:]) for row in rows]


def informed_answers(release: Release) -> int:
    """Return how many answers to items of `release` do not count, since their readers knew the
    key of an earlier version. One query."""
    kept = release.release_items.filter(keep=True).values("item_version__item_id")
    answers = Answer.objects.filter(item__in=kept, undone_at__isnull=True)
    return answers.filter(key_seen_before=True).count()
