"""What the pages show of actions on many items: counts in words, and the items left out."""

from dataclasses import dataclass

from annotation.domain.question_texts import without_opening
from annotation.models import Benchmark, BulkAction, BulkTarget, Revision, Round, User
from annotation.models.bulk import BulkKind, BulkState, Outcome
from annotation.models.round import RoundState

LISTED = 50  # items named of each kind that was left out
ROUNDS = 100
LEFT_OUT = (Outcome.CHANGED, Outcome.REFUSED, Outcome.TOUCHED)
DID = {
    BulkKind.DROP: "Dropped",
    BulkKind.KEEP: "Kept",
    BulkKind.REOPEN: "Opened again",
    BulkKind.CATEGORY: "Put into another category",
    BulkKind.TYPE: "Given another type",
    BulkKind.REPAIR: "Repaired",
    BulkKind.ASSIGN: "Given to readers",
}
LABELS = {BulkKind.CATEGORY: "Category", BulkKind.TYPE: "Type", BulkKind.REPAIR: "Repair"}
AT_WORK = (BulkState.PREPARING, BulkState.RUNNING, BulkState.UNDOING)


@dataclass(frozen=True)
class LastBulk:
    """The newest action that its author can take back with one key."""

    pk: int
    did: str


@dataclass(frozen=True)
class LeftOut:
    """Items that an action left as they are, for one reason; `more` are not named."""

    title: str
    targets: list[tuple[BulkTarget, str]]
    more: int


@dataclass(frozen=True)
class BulkView:
    """`total` targets (videos where `of_videos`), `due` of them to be changed, `done` changed."""

    bulk: BulkAction
    total: int
    due: int
    same: int
    changed: int
    done: int
    items: int | None
    left_out: list[LeftOut]

    @property
    def of_videos(self) -> bool:
        return self.bulk.kind == BulkKind.CATEGORY

    @classmethod
    def of(cls, bulk: BulkAction, left: list[LeftOut]) -> "BulkView":
        counts = {outcome: int(bulk.tally.get(outcome, 0)) for outcome in Outcome.values}
        return cls(
            bulk=bulk,
            total=sum(counts.values()),
            due=counts[Outcome.WAITING],
            same=counts[Outcome.SAME],
            changed=counts[Outcome.CHANGED],
            done=counts[Outcome.DONE],
            items=bulk.tally.get("items"),
            left_out=left,
        )

    @property
    def sentence(self) -> str:
        """What was done, to how many."""
        what = "video" if self.of_videos else "item"
        many = "" if self.done == 1 else "s"
        return f"{DID[BulkKind(self.bulk.kind)]}: {self.done:,} {what}{many}"

    @property
    def facts(self) -> list[tuple[str, str]]:
        """What it sets, as label and text; a round and its readers by their names."""
        if self.bulk.kind == BulkKind.ASSIGN:
            round_ = Round.objects.filter(pk=int(self.bulk.value)).first()
            accounts = User.objects.filter(pk__in=self.bulk.readers).order_by("username")
            names = ", ".join(accounts.values_list("username", flat=True))
            return [("Round", str(round_ or "gone")), ("Readers", names)]
        label = LABELS.get(BulkKind(self.bulk.kind), "")
        return [(label, self.bulk.value)] if self.bulk.value else []

    @property
    def is_at_work(self) -> bool:
        return self.bulk.state in AT_WORK

    @property
    def worked(self) -> int:
        """How many targets the step at hand is through with."""
        left = Outcome.DONE if self.bulk.state == BulkState.UNDOING else Outcome.WAITING
        return self.total - int(self.bulk.tally.get(left, 0))

    @property
    def can_undo(self) -> bool:
        return self.bulk.state in (BulkState.DONE, BulkState.FAILED) and self.done > 0


def newest_revision() -> int:
    """Return the id of the newest revision: what a list that is read now has seen."""
    return Revision.objects.order_by("-id").values_list("pk", flat=True).first() or 0


def rounds_to_fill(benchmark: Benchmark) -> list[Round]:
    """Return the rounds that items can be given in, the newest first."""
    return list(benchmark.rounds.exclude(state=RoundState.CLOSED)[:ROUNDS])


def last_bulk(user: User, benchmark: Benchmark) -> LastBulk | None:
    """Return the newest action of `user` where it can be taken back, else None; one query."""
    applied = BulkAction.objects.filter(benchmark=benchmark, by=user)
    newest = applied.exclude(state__in=[BulkState.READY, BulkState.PREPARING]).first()
    if newest is None or newest.state != BulkState.DONE:
        return None
    view = BulkView.of(newest, [])
    return LastBulk(newest.pk, view.sentence) if view.done else None


def bulk_view(bulk: BulkAction) -> BulkView:
    """Return what the page of an action shows; at most three queries."""
    counts = {outcome: int(bulk.tally.get(outcome, 0)) for outcome in LEFT_OUT}
    left = [left_out(bulk, outcome, count) for outcome, count in counts.items() if count]
    return BulkView.of(bulk, left)


def left_out(bulk: BulkAction, outcome: Outcome, count: int) -> LeftOut:
    rows = bulk.targets.filter(outcome=outcome).select_related("item__video").order_by("pk")
    named = [(target, without_opening(target.item.text)) for target in rows[:LISTED]]
    return LeftOut(outcome.label, named, count - len(named))
