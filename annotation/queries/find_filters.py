"""Which items of a benchmark a search lets through, as far as its reader may know.

What others said, the audit's flags and the decision are withheld until a reader has voted, so
a search by them finds, for those who do not adjudicate, among the items that they voted on.
"""

from typing import Any

from django.db.models import (
    ExpressionWrapper,
    F,
    FloatField,
    OuterRef,
    QuerySet,
    Subquery,
    TextField,
)
from django.db.models.functions import Cast
from django.db.models.lookups import GreaterThanOrEqual, LessThanOrEqual

from annotation.models import (
    AuditFlag,
    AuditState,
    Benchmark,
    Item,
    Review,
    RoundItem,
    User,
    Video,
)
from annotation.models.review import Verdict
from annotation.permissions import Verb, has_permission
from annotation.queries.among import among
from annotation.queries.standing import counting, fresh, own_counting, seen_as, voted_on
from annotation.queries.text_search import saying

LENGTH = ExpressionWrapper(F("end") - F("start"), output_field=FloatField())
PLAIN = {"kind": "kind", "type": "question_type", "source": "keep_source"}
FOR_ADJUDICATORS = ("settled", "source", "reviewer", "round")
FEW_VOTES = 10_000  # votes whose items are looked up one by one
VERDICTS = {"kept": Verdict.KEEP, "dropped": Verdict.DROP, "unsure": Verdict.UNSURE}
EVIDENCE = ("reason", "flag")  # searched by everybody, among what is open to the reader


def found_items(user: User, benchmark: Benchmark, wanted: dict[str, Any]) -> QuerySet[Item]:
    """Return the items that `wanted` (a checked FindForm) lets through, in no order."""
    items = Item.objects.filter(benchmark=benchmark, current__isnull=False).order_by()
    items = by_votes(narrowed(items, benchmark, wanted), benchmark, wanted)
    items = by_flag(items, benchmark, wanted.get("flag"))
    if wanted.get("round"):
        listed = RoundItem.objects.filter(round__benchmark=benchmark, round=wanted["round"])
        items = items.filter(pk__in=listed.order_by().values("item"))
    if wanted.get("state") in VERDICTS:
        items = near_own(items, user, benchmark, verdict=VERDICTS[wanted["state"]])
    if wanted.get("state"):
        items = seen_as(items, user, benchmark.pk, wanted["state"])
    asks_evidence = any(wanted.get(name) for name in EVIDENCE)
    if asks_evidence and not has_permission(user, Verb.ADJUDICATE):
        items = voted_on(near_own(items, user, benchmark), user, benchmark.pk)
    return items


def near_own(
    items: QuerySet[Item], user: User, benchmark: Benchmark, **said: Any
) -> QuerySet[Item]:
    """Keep the items that the reader voted on at any time, where those are few enough to be
    looked up one by one: PostgreSQL would rather read a million items."""
    votes = own_counting(user, benchmark.pk).filter(**said)
    ids = set(votes.values_list("item_id", flat=True)[: FEW_VOTES + 1])
    return among(items, ids) if len(ids) <= FEW_VOTES else items


def narrowed(items: QuerySet[Item], benchmark: Benchmark, wanted: dict[str, Any]) -> QuerySet[Item]:
    """Keep what the words, the plain fields, the video and the length let through."""
    for name, field in PLAIN.items():
        if wanted.get(name):
            items = items.filter(**{field: wanted[name]})
    settled = wanted.get("settled") or ""
    if wanted.get("q"):
        items = saying(items, wanted["q"], state=settled)
    elif settled:
        items = items.filter(state=settled)
    videos = wanted_videos(benchmark, wanted)
    if videos is not None:
        items = items.filter(video__in=videos)
    least, most = wanted.get("least"), wanted.get("most")
    if least is not None:
        items = items.filter(GreaterThanOrEqual(LENGTH, least))
    if most is not None:
        items = items.filter(LessThanOrEqual(LENGTH, most))
    return items


def wanted_videos(benchmark: Benchmark, wanted: dict[str, Any]) -> QuerySet[Video] | None:
    """Return the videos of the wanted category or title, in no order; None where neither is."""
    if not wanted.get("category") and not wanted.get("video"):
        return None
    videos = Video.objects.filter(benchmark=benchmark).order_by()
    if wanted.get("category"):
        videos = videos.filter(category=wanted["category"])
    if wanted.get("video"):
        videos = videos.filter(title__icontains=wanted["video"])
    return videos


def by_flag(items: QuerySet[Item], benchmark: Benchmark, flag: str | None) -> QuerySet[Item]:
    """Keep the items to which the benchmark's newest audit gave a flag."""
    if not flag:
        return items
    done = benchmark.audits.filter(state=AuditState.DONE)
    newest = done.values_list("pk", flat=True).first()
    flagged = AuditFlag.objects.filter(audit_id=newest, flag=flag).order_by()
    return items.filter(pk__in=flagged.values("item_id"))


def by_votes(items: QuerySet[Item], benchmark: Benchmark, wanted: dict[str, Any]) -> QuerySet[Item]:
    """Keep the items that a reader voted on, or with a standing drop for a reason."""
    reason, reviewer = wanted.get("reason"), wanted.get("reviewer")
    if not reason and not reviewer:
        return items
    votes = dropping(reason, reviewer) if reason else counting().filter(reviewer=reviewer)
    votes = votes.filter(benchmark=benchmark).order_by()
    ids = set(votes.values_list("item_id", flat=True)[: FEW_VOTES + 1])
    # PostgreSQL cannot know how few votes name a reason, and would read a million items.
    return among(items, ids) if len(ids) <= FEW_VOTES else items.filter(pk__in=votes.values("item"))


def dropping(reason: str, reviewer: Any) -> QuerySet[Review]:
    """Return the standing votes to drop an item for a reason; those of one reader, or of all."""
    # Reasons are digits, so a digit in the list's text is that reason, on every database.
    votes = fresh().filter(verdict=Verdict.DROP).order_by()
    votes = votes.alias(digits=Cast("reasons", TextField())).filter(digits__contains=str(reason))
    if reviewer:
        votes = votes.filter(reviewer=reviewer)
    same = counting().filter(item=OuterRef("item"), reviewer=OuterRef("reviewer"))
    return votes.filter(pk=Subquery(same.order_by("-created_at", "-id").values("pk")[:1]))
