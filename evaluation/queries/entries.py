"""The entries of a benchmark for those who publish them: the newest version of each."""

from dataclasses import dataclass

from django.db.models import Count, Q

from annotation.models import Answer, Benchmark
from evaluation.models import LeaderboardEntry

MOST = 500


@dataclass(frozen=True)
class EntryRow:
    """The newest version of a run's entry on a release. `shown` is the version that the public
    sees now, None where there is none."""

    entry: LeaderboardEntry
    shown: int | None

    @property
    def is_public(self) -> bool:
        return self.shown is not None

    @property
    def is_waiting(self) -> bool:
        """Say whether publishing would change what the public sees."""
        return self.shown != self.entry.version


@dataclass(frozen=True)
class ReaderCounts:
    """How many readers have answered items of a benchmark blind, and how many answers."""

    readers: int
    answers: int


def reader_counts(benchmark: Benchmark) -> ReaderCounts:
    """Return how many answers there are that could stand for people. One query."""
    answers = Answer.objects.filter(
        item__benchmark=benchmark, undone_at__isnull=True, key_seen_before=False
    )
    found = answers.aggregate(readers=Count("reader", distinct=True), answers=Count("pk"))
    return ReaderCounts(**found)


def entry_rows(benchmark: Benchmark) -> list[EntryRow]:
    """Return the entries of models and people on the releases of `benchmark`, the newest first.

    One query.
    """
    entries = (
        LeaderboardEntry.objects.filter(
            Q(run__contestant__is_reference=False) | Q(run__contestant__is_human=True),
            release__benchmark=benchmark,
        )
        .select_related("run__contestant", "release")
        .defer("clusters", "per_item", "run__prompt_text")
        .order_by("-pk")[:MOST]
    )
    newest: dict[tuple[int, int], LeaderboardEntry] = {}
    shown: dict[tuple[int, int], int] = {}
    for entry in entries:
        key = (entry.run_id, entry.release_id)
        newest.setdefault(key, entry)
        if entry.published_at:
            shown.setdefault(key, entry.version)
    return [EntryRow(entry, shown.get(key)) for key, entry in newest.items()]
