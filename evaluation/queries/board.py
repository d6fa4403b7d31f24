"""The leaderboard of a release, from stored entries alone: one query for their heads, one
more where the board was not built before. Boards are kept by the hashes of their entries."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from threading import Lock
from typing import Any, NamedTuple

from annotation.domain.versions import digest
from annotation.models import Release
from evaluation.domain.board_tests import Gain, PairNote, Standing, gains, stand
from evaluation.models import LeaderboardEntry
from evaluation.models.run import CIRCULAR, Condition
from evaluation.queries.panels import Panel, by_panel

KEPT_BOARDS = 32
POOLED = "readers-pooled"  # the slug of all readers together


class Head(NamedTuple):
    """What is known of a published entry without its figures."""

    pk: int
    version: int
    hash: str
    provisional: bool
    published_at: datetime | None
    note: str
    run_id: int
    finished_at: datetime | None
    condition: str
    model_id: int
    model: str
    slug: str
    organisation: str
    open_weights: bool | None
    model_note: str
    reference: bool
    origin: str = "engine"
    human: bool = False


@dataclass(frozen=True)
class Row:
    """One entry on the board. `rank` is None for references and where nothing was tested."""

    head: Head
    figures: Mapping[str, Any]
    rank: tuple[int, int] | None
    gain: Gain | None

    @property
    def date(self) -> datetime | None:
        return self.head.finished_at or self.head.published_at

    def share(self, kind: str, question_type: str = "") -> float | None:
        """Return the headline share (0 to 1) of a kind, or of one of its types; None where
        the run has no prediction of that kind."""
        figures = self.figures.get(kind)
        if not figures or kind not in self.figures["kinds"]:
            return None
        if question_type:
            figures = figures["by_type"].get(question_type)
        return figures["mean"] if figures else None


@dataclass(frozen=True)
class Board:
    """All published rows of a release. `key` changes where anything shown changes."""

    key: str
    release: Release
    rows: tuple[Row, ...]
    pairs: Mapping[str, tuple[PairNote, ...]]  # condition → neighbours in its ranking
    detectable: Mapping[str, float | None]  # condition → smallest detectable difference

    def conditions(self) -> list[str]:
        """Return the conditions that have an entry of a model."""
        return sorted({row.head.condition for row in self.rows if not row.head.reference})

    def of(self, condition: str) -> list[Row]:
        """Return the rows of a condition, with the references, best MCQ share first.

        Blind runs of models stand among the references of every other condition. People are
        not among them: see `readers`.
        """
        return by_mcq(
            row
            for row in self.rows
            if not row.head.human
            and (row.head.condition == condition or row.head.reference or _is_blind_model(row))
        )

    def readers(self, condition: str = Condition.VIDEO) -> list[Row]:
        """Return the rows of people, who all saw the clip: the pooled one first, then those who
        answered most."""
        people = [row for row in self.rows if row.head.human and row.head.condition == condition]
        return sorted(people, key=_reader_order)


def board_of(release: Release, panel: Panel | None = None) -> Board:
    """Return the board of `release`; two queries, one where it was built before.

    With `panel` free responses are scored as that panel marks them, and by nobody else: a row
    that not all of its members have marked has none.
    """
    heads = published_heads(release)
    by = [panel.rule, panel.stamp] if panel else []
    key = digest([release.pk, release.tag, release.hash, [_plain(head) for head in heads], *by])
    board = _boards.get(key)
    if board is not None:
        return board
    with _building:
        board = _boards.get(key)
        if board is None:
            board = _build(key, release, heads, panel)
            _boards[key] = board
            while len(_boards) > KEPT_BOARDS:
                _boards.popitem(last=False)
    return board


def published_heads(release: Release) -> list[Head]:
    """Return the entries that stand on the board: of each model and condition the one whose
    run was published last, in its newest published version. One query."""
    rows = (
        LeaderboardEntry.objects.filter(release=release, published_at__isnull=False)
        .order_by("published_at", "version")
        .values_list(
            "pk",
            "version",
            "hash",
            "provisional",
            "published_at",
            "note",
            "run_id",
            "run__finished_at",
            "run__condition",
            "run__contestant_id",
            "run__contestant__name",
            "run__contestant__slug",
            "run__contestant__organisation",
            "run__contestant__open_weights",
            "run__contestant__note",
            "run__contestant__is_reference",
            "run__origin",
            "run__contestant__is_human",
            "run__circular",
        )
    )
    newest: dict[tuple[int, str], Head] = {}
    for row in rows:
        head = Head(*row[:-1])
        if row[-1]:
            head = head._replace(condition=f"{head.condition}{CIRCULAR}")
        newest[head.model_id, head.condition] = head
    return list(newest.values())


def by_mcq(rows: Any) -> list[Row]:
    """Return rows best first: MCQ share, then free-response share, then name."""
    return sorted(
        rows,
        key=lambda row: (-(_shown(row)), -(row.share("free") or 0.0), row.head.model),
    )


_boards: OrderedDict[str, Board] = OrderedDict()
_building = Lock()  # what many ask for at once is built once


def _reader_order(row: Row) -> tuple[bool, int, str]:
    return row.head.slug != POOLED, -row.figures["scored"], row.head.model


def _shown(row: Row) -> float:
    if row.head.slug == "chance" and row.figures["chance"] is not None:
        return float(row.figures["chance"])
    share = row.share("mcq")
    return -1.0 if share is None else share


def _is_blind_model(row: Row) -> bool:
    return row.head.condition == Condition.BLIND


def _counted_anew(head: Head, figures: Mapping[str, Any]) -> Head:
    """Return the head of a row whose free responses others have marked: the entry's own
    figures may be whole where these are not."""
    if "free" not in figures["kinds"]:
        return head
    return head._replace(provisional=figures["scored"] < figures["items"])


def _plain(head: Head) -> list[object]:
    return [value.isoformat() if isinstance(value, datetime) else value for value in head]


def _build(key: str, release: Release, heads: Sequence[Head], panel: Panel | None) -> Board:
    stored = {
        pk: (figures, clusters)
        for pk, figures, clusters in LeaderboardEntry.objects.filter(
            pk__in=[head.pk for head in heads]
        ).values_list("pk", "figures", "clusters")
    }
    heads = [head for head in heads if head.pk in stored]
    if panel:
        stored = {head.pk: by_panel(head.run_id, *stored[head.pk], panel) for head in heads}
        heads = [_counted_anew(head, stored[head.pk][0]) for head in heads]
    ranked = [head for head in heads if not head.reference]
    standings: dict[str, Standing] = {
        condition: stand(
            {head.pk: stored[head.pk][1] for head in ranked if head.condition == condition},
            {head.pk: head.model for head in ranked},
        )
        for condition in {head.condition for head in ranked}
    }
    ranks = {pk: rank for found in standings.values() for pk, rank in found.ranks.items()}
    blind = {head.model_id: head.pk for head in ranked if head.condition == Condition.BLIND}
    found_gains = {
        head.pk: gains(stored[head.pk][1], stored[blind[head.model_id]][1])
        for head in ranked
        if head.condition == Condition.VIDEO and head.model_id in blind
    }
    rows = tuple(
        Row(head, stored[head.pk][0], ranks.get(head.pk), found_gains.get(head.pk))
        for head in heads
    )
    return Board(
        key,
        release,
        rows,
        {condition: found.pairs for condition, found in standings.items()},
        {condition: found.detectable for condition, found in standings.items()},
    )
