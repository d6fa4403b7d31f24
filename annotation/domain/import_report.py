"""What an import did, refused and doubted: for people and for machines, bounded in size."""

from dataclasses import asdict, dataclass, field
from typing import Any

from annotation.domain.rows import Finding

MOST_LISTED = 1000  # of each kind; all are counted
MOST_PRINTED = 20
LONGEST_VALUE = 500


@dataclass
class Tally:
    """What became of the rows of one kind."""

    read: int = 0
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    refused: int = 0
    gone: int = 0
    written: int = 0  # to files, by an export


@dataclass(frozen=True)
class Change:
    """One field that an import changed, or would have changed had it not been settled here."""

    key: str
    field: str
    before: Any
    after: Any
    reason: str = ""

    def __str__(self) -> str:
        tail = f" ({self.reason})" if self.reason else ""
        return f"{self.key}, {self.field}: {_short(self.before)} → {_short(self.after)}{tail}"


@dataclass
class Listing:
    """A list that stops growing, but not counting."""

    count: int = 0
    first: list[Any] = field(default_factory=list)

    def add(self, *entries: Any) -> None:
        self.count += len(entries)
        self.first.extend(entries[: max(0, MOST_LISTED - len(self.first))])


@dataclass
class ImportReport:
    """The report of one import. `facts` holds what is particular: release, run, entry.

    mapped: names taken for others; doubts: taken, but odd; refused: not taken; changes:
    what was changed; held: what a file wants otherwise but people here have settled; gone:
    keys that the files no longer have (nothing is deleted); skipped: files passed over.
    """

    what: str
    target: str
    dry_run: bool = False
    tallies: dict[str, Tally] = field(default_factory=dict)
    mapped: Listing = field(default_factory=Listing)
    doubts: Listing = field(default_factory=Listing)
    refused: Listing = field(default_factory=Listing)
    changes: Listing = field(default_factory=Listing)
    held: Listing = field(default_factory=Listing)
    gone: Listing = field(default_factory=Listing)
    skipped: Listing = field(default_factory=Listing)
    notes: list[str] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)

    LISTS = ("mapped", "skipped", "changes", "held", "gone", "doubts", "refused")

    def tally(self, kind: str) -> Tally:
        """Return the tally of `kind`, made at its first use."""
        return self.tallies.setdefault(kind, Tally())

    def refuse(self, kind: str, findings: list[Finding]) -> None:
        """Note one refused row or file of `kind` and all that is wrong with it."""
        self.tally(kind).refused += 1
        self.refused.add(*findings)

    @property
    def ok(self) -> bool:
        """Say whether nothing was refused."""
        return self.refused.count == 0

    @property
    def changed_anything(self) -> bool:
        """Say whether a row was made or changed (or would be, in a dry run)."""
        return any(tally.new or tally.changed for tally in self.tallies.values())

    def as_dict(self) -> dict[str, Any]:
        """Return the report for machines; values of texts are cut at 500 characters."""
        listed = {name: self._listed(name) for name in self.LISTS}
        counted = {f"{name}_count": getattr(self, name).count for name in self.LISTS}
        return {
            "what": self.what,
            "target": self.target,
            "dry_run": self.dry_run,
            "ok": self.ok,
            "counts": {kind: asdict(tally) for kind, tally in self.tallies.items()},
            **self.facts,
            "notes": self.notes,
            **counted,
            **listed,
        }

    def _listed(self, name: str) -> list[Any]:
        return [
            {key: _cut(value) for key, value in asdict(entry).items()}
            if isinstance(entry, Finding | Change)
            else entry
            for entry in getattr(self, name).first
        ]

    def lines(self) -> list[str]:
        """Return the report for people."""
        head = f"{self.what} {self.target}" + (", dry run: nothing written" * self.dry_run)
        found = [head]
        for kind, tally in self.tallies.items():
            parts = [f"{count} {name}" for name, count in asdict(tally).items() if count]
            found.append(f"  {kind}: {', '.join(parts) or 'none'}")
        found += [f"  {note}" for note in self.notes]
        for name in self.LISTS:
            listing: Listing = getattr(self, name)
            if listing.count:
                found.append(f"{name} ({listing.count}):")
                found += [f"  {entry}" for entry in listing.first[:MOST_PRINTED]]
            if listing.count > MOST_PRINTED:
                found.append(f"  … and {listing.count - MOST_PRINTED} more; --json lists them")
        return found


def _cut(value: Any) -> Any:
    if isinstance(value, str) and len(value) > LONGEST_VALUE:
        return f"{value[:LONGEST_VALUE]}…"
    return value


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}…"
