"""What the tests of agreement and adjudication stage: votes, moved windows and boxes."""

import uuid
from typing import Any

from annotation.actions.items import edit_item
from annotation.actions.reviews import cast_vote
from annotation.actions.videos import override_roi
from annotation.domain.roi import Roi
from annotation.models import Item, Review
from tests import factories


def vote(item: Item, by: Any, verdict: str, **said: Any) -> Review:
    reasons = said.pop("reasons", [2] if verdict == "drop" else [])
    return cast_vote(
        review_id=uuid.uuid4(),
        item_id=item.pk,
        version_number=factories.current(item).number,
        verdict=verdict,
        reasons=reasons,
        by=by,
        **said,
    )


def move_window(item: Item, by: Any, start: float, end: float) -> None:
    number = factories.current(item).number
    changes = {"start": start, "end": end}
    edit_item(item_id=item.pk, base_version=number, changes=changes, reason="moved", by=by)


def move_box(item: Item, by: Any, *sides: float) -> None:
    number = factories.current(item).number
    override_roi(item_id=item.pk, base_version=number, roi=Roi(*sides), reason="moved", by=by)
