"""What an adjudicator has to settle, the worst first.

Split votes come first, then windows and boxes that readers moved apart, then items about
which readers are unsure; among equals the smaller overlap, then the older one. However large
the benchmark, a page asks a fixed number of queries and reads at most CANDIDATES items.
"""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime

from django.core.paginator import Page, Paginator
from django.db.models import Q, QuerySet

from annotation.domain.clock import clock
from annotation.domain.question_texts import TypeLabel, letter, type_label, without_opening
from annotation.models import Benchmark, Item, Review, Revision, User
from annotation.models.item import ItemState, KeepSource
from annotation.models.review import DropReason
from annotation.queries.proposals import Proposals, proposals
from annotation.queries.queue import LOOKS, Look
from annotation.queries.returned import OPENING
from annotation.queries.standing import fresh

CANDIDATES = 5_000
MOST_VOTES = 30_000
A_PAGE = 12
NEAR = 0.9  # windows and boxes that overlap more are taken for the same
OPEN_STATES = (ItemState.DISAGREEMENT, ItemState.UNSURE)
STATE_OF = {"keep": "kept", "drop": "dropped", "unsure": "unsure"}
GROUPS = {"split": 0, "moved": 1, "unsure": 2}
WHY = {
    "split": "Votes contradict each other",
    "moved": "Readers moved it apart",
    "unsure": "Readers are unsure",
}


@dataclass(frozen=True)
class Candidate:
    """An item that waits; `since` is when its first standing vote was cast."""

    item_id: int
    why: str
    verdicts: tuple[str, ...]
    proposals: Proposals | None
    since: datetime | None

    @property
    def rank(self) -> tuple[float, ...]:
        seen = [self.time_iou, self.box_iou]
        overlap = min((iou for iou in seen if iou is not None), default=1.0)
        age = self.since.timestamp() if self.since else float("inf")
        return (GROUPS[self.why], overlap, age, self.item_id)

    @property
    def time_iou(self) -> float | None:
        return self.proposals.time_iou if self.proposals else None

    @property
    def box_iou(self) -> float | None:
        return self.proposals.box_iou if self.proposals else None

    @property
    def looks(self) -> list[Look]:
        return [LOOKS[STATE_OF[verdict]] for verdict in self.verdicts]


@dataclass(frozen=True)
class NamedVote:
    reader_id: int
    who: str
    look: Look
    reasons: tuple[str, ...]
    comment: str
    at: datetime


@dataclass(frozen=True)
class Proposal:
    """A window or box of one reader, as people read it."""

    who: str
    text: str


@dataclass(frozen=True)
class Dispute:
    """An item to settle with all that its readers said; only adjudicators may see it."""

    item: Item
    candidate: Candidate
    votes: list[NamedVote]
    windows: list[Proposal]
    boxes: list[Proposal]
    asked: list[Revision]

    @property
    def why(self) -> str:
        return WHY[self.candidate.why]

    @property
    def reason_line(self) -> str:
        """The first reason given, and how many more there are."""
        given = list(dict.fromkeys(reason for vote in self.votes for reason in vote.reasons))
        more = f", and {len(given) - 1} more" if len(given) > 1 else ""
        return given[0] + more if given else self.why

    @property
    def type(self) -> TypeLabel:
        return type_label(self.item.question_type)

    @property
    def question(self) -> str:
        return without_opening(self.item.current.stem) if self.item.current else ""

    @property
    def answer(self) -> str:
        """The answer key with its letter as shown, or the reference answer."""
        version = self.item.current
        if version is None or version.key_index is None:
            return version.reference_answer if version else ""
        place = version.shown_order.index(version.key_index)
        return f"{letter(place)}  {version.options[version.key_index]}"


def candidates(benchmark: Benchmark) -> list[Candidate]:
    """Return what waits for an adjudicator, the worst first; three slim queries."""
    waiting = Item.objects.filter(benchmark=benchmark, state__in=OPEN_STATES).order_by()
    states = dict(waiting.values_list("pk", "state")[:CANDIDATES])
    moved = {
        pk: one
        for pk, one in proposals(benchmark).items()
        if min(*one.time_ious, *one.box_ious, 1.0, 1.0) < NEAR
    }
    for pk in settled_or_returned(list(moved)).values_list("pk", flat=True):
        del moved[pk]
    said, since = standing(benchmark, [*states, *(pk for pk in moved if pk not in states)])
    found = []
    for pk in {**states, **moved}:
        why = "split" if states.get(pk) == ItemState.DISAGREEMENT else "unsure"
        why = why if pk in states else "moved"
        verdicts = tuple(said[pk].values())
        found.append(Candidate(pk, why, verdicts, moved.get(pk), since.get(pk)))
    return sorted(found, key=lambda one: one.rank)


def settled_or_returned(item_ids: list[int]) -> QuerySet[Item]:
    """Those of the items that an adjudicator has decided, or given back and nobody voted on."""
    back = Q(state=ItemState.TODO, current__reason__startswith=OPENING)
    return Item.objects.filter(Q(keep_source=KeepSource.ADJUDICATOR) | back, pk__in=item_ids)


def standing(
    benchmark: Benchmark, item_ids: list[int]
) -> tuple[dict[int, dict[int, str]], dict[int, datetime]]:
    """Return the standing verdicts by item and reader, and when the first was cast."""
    votes = fresh().filter(item__benchmark=benchmark, item_id__in=item_ids[: 2 * CANDIDATES])
    rows = votes.values_list("item_id", "reviewer_id", "verdict", "created_at")
    said: dict[int, dict[int, str]] = defaultdict(dict)
    since: dict[int, datetime] = {}
    for item_id, reader, verdict, at in rows[:MOST_VOTES]:
        said[item_id][reader] = verdict
        since.setdefault(item_id, at)
    return said, since


def page_of(found: list[Candidate], page: str) -> Page[Candidate]:
    return Paginator(found, A_PAGE).get_page(page or 1)


def disputes(shown: list[Candidate]) -> list[Dispute]:
    """Return the items of one page with votes, names and proposals; four queries."""
    ids = [candidate.item_id for candidate in shown]
    items = Item.objects.select_related("current", "video__source").in_bulk(ids)
    votes: dict[int, dict[int, Review]] = defaultdict(dict)
    for vote in fresh().filter(item_id__in=ids).select_related("reviewer"):
        votes[vote.item_id][vote.reviewer_id] = vote
    asked: dict[int, list[Revision]] = defaultdict(list)
    returns = Revision.objects.filter(target_kind="item", target_id__in=ids, verb="return_item")
    for revision in returns:
        asked[revision.target_id].append(revision)
    names = names_of(shown)
    return [
        dispute(items[one.item_id], one, list(votes[one.item_id].values()), names, asked)
        for one in shown
        if one.item_id in items
    ]


def names_of(shown: list[Candidate]) -> dict[int, str]:
    ids = {
        reader
        for one in shown
        if one.proposals
        for reader in (*one.proposals.windows, *one.proposals.boxes)
    }
    return dict(User.objects.filter(pk__in=ids).values_list("pk", "username"))


def dispute(
    item: Item,
    candidate: Candidate,
    votes: list[Review],
    names: dict[int, str],
    asked: dict[int, list[Revision]],
) -> Dispute:
    own = candidate.proposals or Proposals(item.video.source_id)
    windows = own.windows if len(own.windows) > 1 else {}
    boxes = own.boxes if len(own.boxes) > 1 else {}
    return Dispute(
        item,
        candidate,
        [named(vote) for vote in votes],
        [
            Proposal(names.get(reader, "?"), f"{clock(span.start)} to {clock(span.end)}")
            for reader, span in windows.items()
        ],
        [
            Proposal(names.get(reader, "?"), " ".join(f"{100 * s:.1f}" for s in roi.fractions))
            for reader, roi in boxes.items()
        ],
        asked[item.pk],
    )


def named(vote: Review) -> NamedVote:
    return NamedVote(
        vote.reviewer_id,
        vote.reviewer.get_username(),
        LOOKS[STATE_OF[vote.verdict]],
        tuple(str(DropReason(reason).label) for reason in vote.reasons),
        vote.comment,
        vote.created_at,
    )
