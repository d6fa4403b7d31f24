"""The kept items of a release, as figures need them: no texts. What was held out when the
release was frozen is a part of its own, never mixed with the rest."""

from dataclasses import dataclass

from annotation.models import Release, ReleaseItem
from evaluation.domain.metrics import AskedItem


@dataclass(frozen=True)
class KeptItem:
    """One kept item version of a release; `options` is 0 for a free response, `variants` are
    the answers that its judge is to accept beside the reference answer."""

    version_id: int
    item_id: int
    text_digest: str
    clip_digest: str
    options: int
    asked: AskedItem
    variants: tuple[str, ...] = ()


def kept_items(release: Release, *, held_out: bool = False) -> list[KeptItem]:
    """Return the kept items of `release` in its order: those of its public part, or those that
    it froze as held out. One query."""
    rows = (
        ReleaseItem.objects.filter(release=release, keep=True, held_out=held_out)
        .order_by("position")
        .values_list(
            "item_version_id",
            "item_version__item_id",
            "item_version__text_digest",
            "item_version__clip_digest",
            "item_version__shown_order",
            "item_version__item__kind",
            "item_version__question_type",
            "item_version__start",
            "item_version__end",
            "item_version__item__video__category",
            "item_version__item__video__source_id",
            "item_version__accepted_variants",
        )
    )
    return [
        KeptItem(
            version_id, item_id, text, clip, len(order),
            AskedItem(kind, question_type, end - start, category, source), tuple(variants),
        )
        for (
            version_id, item_id, text, clip, order,
            kind, question_type, start, end, category, source, variants,
        ) in rows.iterator(chunk_size=5000)
    ]  # fmt: skip


def chance(items: list[KeptItem]) -> float | None:
    """Return the share of the MCQs that guessing gets right, 0 to 1; None without MCQs."""
    shares = [1 / item.options for item in items if item.options]
    return sum(shares) / len(shares) if shares else None
