"""How many submissions an account, or its organisation, may still send, and when the next one."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

from annotation.models import User
from evaluation.models import Organisation, Submission

SPAN = timedelta(days=1)


@dataclass(frozen=True)
class Quota:
    """`left` of `a_day` in the last 24 hours; `next_at` is set once none is left and says when
    the oldest of them no longer counts. `organisation` shares it, "" where it is the account's.
    """

    left: int
    a_day: int
    next_at: datetime | None
    organisation: str

    @property
    def used_up(self) -> str:
        """Return in a sentence or two that nothing is left, and when something will be."""
        whose = (
            f"The submissions of {self.organisation}" if self.organisation else "Your submissions"
        )
        if self.next_at is None:
            return f"{whose} are closed for now: none a day."
        when = f"{self.next_at:%d %B %Y, %H:%M} UTC".lstrip("0")
        return f"{whose} of the last 24 hours are used up. The next one is possible from {when}."


def organisation_of(user: User) -> Organisation | None:
    """Return the organisation that the account belongs to now, if any. One query."""
    return Organisation.objects.filter(members__account=user).first()


def quota_of(user: User) -> Quota:
    """Return what the account may still send now; what failed by our fault does not count."""
    organisation = organisation_of(user)
    sent = Submission.objects.filter(created_at__gt=timezone.now() - SPAN, refunded=False)
    if organisation is None:
        sent, a_day = sent.filter(sender=user), settings.SUBMISSIONS_A_DAY
    else:
        sent = sent.filter(sent_for=organisation)
        a_day = settings.SUBMISSIONS_A_DAY if organisation.a_day is None else organisation.a_day
    newest = list(sent.order_by("-created_at").values_list("created_at", flat=True)[:a_day])
    left = a_day - len(newest)
    next_at = newest[-1] + SPAN if newest and not left else None
    return Quota(left, a_day, next_at, organisation.name if organisation else "")
