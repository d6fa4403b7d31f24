"""Changes of accounts."""

from django.db import transaction

from annotation.actions.trail import record
from annotation.models import User
from annotation.models.account import Theme


@transaction.atomic
def choose_theme(*, theme: str, by: User) -> None:
    """Store how `by` wants pages to look. Raises ValueError for an unknown theme."""
    before = by.theme
    by.theme = Theme(theme)
    by.save(update_fields=["theme"])
    record(
        by=by,
        verb="choose_theme",
        target_kind="account",
        target_id=by.pk,
        before={"theme": before},
        after={"theme": by.theme},
    )
