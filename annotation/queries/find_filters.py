"""Which items of a benchmark a search lets through, as far as its reader may know.

What others said, the audit's flags and the decision are withheld until a reader has voted, so
a search by them finds, for those who do not adjudicate, among the items that they voted on.
"""

from typing import Any

from django.db.models import (
    Exists,
    ExpressionWrapper,
    F,
    FloatField,
    OuterRef,
    Q,
    QuerySet,
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
from annotation.queries.second_look import hidden_items
from annotation.queries.standing import counting, fresh, own_votes
from annotation.queries.text_search import saying

LENGTH = ExpressionWrapper(F("end") - F("start"), output_field=FloatField())
PLAIN = {"kind": "kind", "type": "question_type", "settled": "state", "source": "keep_source"}
FOR_ADJUDICATORS = ("settled", "source", "reviewer", "round")
FEW_VOTES = 10_000  # votes for a reason that are looked up one by one
EVIDENCE = ("reason", "flag")  # searched by everybody, among what is open to the reader


def found_items(user: User, benchmark: Benchmark, wanted: dict[str, Any]) -> QuerySet[Item]:
    """Return the items that `wanted` (a checked FindForm) lets through, in no order."""
    items = Item.objects.filter(benchmark=benchmark, current__isnull=False).order_by()
    items = by_votes(narrowed(items, benchmark, wanted), benchmark, wanted)
    items = by_flag(items, benchmark, wanted.get("flag"))
    if wanted.get("round"):
        listed = RoundItem.objects.filter(round__benchmark=benchmark, round=wanted["round"])
        items = items.filter(pk__in=listed.order_by().values("item"))
    state = wanted.get("state") or ""
    if state == "todo":
        mine = outer_fresh().filter(reviewer=user).exclude(item_id__in=hidden_items(user))
        items = items.exclude(Exists(mine))
    asks_evidence = any(wanted.get(name) for name in EVIDENCE)
    sealed = asks_evidence and not has_permission(user, Verb.ADJUDICATE)
    if state in ("", "todo") and not sealed:
        return items
    own = own_votes(user, benchmark.pk).values()
    if state not in ("", "todo"):  # in the reader's own eyes: others' votes never show here
        items = among(items, [vote.item_id for vote in own if vote.state == state])
    if sealed:
        items = among(items, [vote.item_id for vote in own if not vote.stale])
    return items


def narrowed(items: QuerySet[Item], benchmark: Benchmark, wanted: dict[str, Any]) -> QuerySet[Item]:
    """Keep what the words, the plain fields, the video and the length let through."""
    for name, field in PLAIN.items():
        if wanted.get(name):
            items = items.filter(**{field: wanted[name]})
    if wanted.get("q"):
        items = saying(items, wanted["q"])
    videos = Video.objects.filter(benchmark=benchmark).order_by()
    if wanted.get("category"):
        videos = videos.filter(category=wanted["category"])
    if wanted.get("video"):
        videos = videos.filter(title__icontains=wanted["video"])
    if wanted.get("category") or wanted.get("video"):
        items = items.filter(video__in=videos)
    least, most = wanted.get("least"), wanted.get("most")
    if least is not None:
        items = items.filter(GreaterThanOrEqual(LENGTH, least))
    if most is not None:
        items = items.filter(LessThanOrEqual(LENGTH, most))
    return items


def outer_fresh() -> QuerySet[Review]:
    """Return the votes on the item of the query around that are about what it says now."""
    said = counting().filter(item=OuterRef("pk")).order_by()
    return said.filter(item_version__number__gte=OuterRef("current__votes_since"))


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
    if not reason:
        return items.filter(pk__in=counting().filter(reviewer=reviewer).order_by().values("item"))
    votes = dropping(reason, reviewer)
    named = votes.filter(item__benchmark=benchmark).values_list("item_id", flat=True)
    ids = set(named[: FEW_VOTES + 1])
    # PostgreSQL cannot know how few votes name a reason, and would read a million items.
    return among(items, ids) if len(ids) <= FEW_VOTES else items.filter(pk__in=votes.values("item"))


def dropping(reason: str, reviewer: Any) -> QuerySet[Review]:
    """Return the standing votes to drop an item for a reason; those of one reader, or of all."""
    # Reasons are digits, so a digit in the list's text is that reason, on every database.
    votes = fresh().filter(verdict=Verdict.DROP).order_by()
    votes = votes.alias(digits=Cast("reasons", TextField())).filter(digits__contains=str(reason))
    if reviewer:
        votes = votes.filter(reviewer=reviewer)
    same = counting().filter(item=OuterRef("item"), reviewer=OuterRef("reviewer")).order_by()
    later = Q(created_at__gt=OuterRef("created_at")) | Q(
        created_at=OuterRef("created_at"), id__gt=OuterRef("id")
    )
    return votes.exclude(Exists(same.filter(later)))
