"""The versions of a release's items that everybody may see with their keys."""

from annotation.models import ItemVersion, Release
from annotation.queries.examples import shown_examples
from evaluation.queries.public import open_items


def example_versions(release: Release) -> list[ItemVersion]:
    """Return the versions that `release` froze of the examples of its benchmark, each with its
    item, in the order of lists. One query without any, else two."""
    items = list(shown_examples(release.benchmark).values_list("pk", flat=True))
    if not items:
        return []
    rows = open_items(release).filter(item_version__item__in=items)
    rows = rows.select_related("item_version__item").order_by("item_version__item__position")
    return [row.item_version for row in rows]
