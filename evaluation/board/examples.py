"""The items of a release that an admin shows to everybody, with what two entries replied."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.domain.question_texts import TypeLabel, type_label
from annotation.models import Release
from evaluation.board.compare import Option, options_of
from evaluation.queries.board import Head
from evaluation.queries.compared_items import Reply, replies_to
from evaluation.queries.examples import example_versions


@dataclass(frozen=True)
class Example:
    """One item as the page shows it; all of it stands in the key under which a page is kept."""

    kind: str
    number: int
    type: TypeLabel
    stem: str
    options: tuple[Option, ...]
    reference: str
    replies: tuple[Reply, ...]


def examples_of(release: Release, heads: Sequence[Head]) -> list[Example]:
    """Return the examples of `release` as it froze them. One query without any, else four.

    What people answered singly is theirs: beside a reader no example is shown.
    """
    if any(head.human for head in heads):
        return []
    versions = example_versions(release)
    replies = replies_to(versions, heads, faults=False) if versions else []
    return [
        Example(
            kind="MCQ" if version.item.kind == "mcq" else "Free",
            number=version.item.index + 1,
            type=type_label(version.question_type),
            stem=version.stem,
            options=tuple(options_of(version)),
            reference=version.reference_answer,
            replies=tuple(found),
        )
        for version, found in zip(versions, replies, strict=True)
    ]
