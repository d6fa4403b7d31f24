"""What is done to many items at once: what it needs, and what an item stands at."""

from dataclasses import dataclass

BULK_MARK = "bulk/"  # request ids of the revisions that bulk actions write begin with it
WORDS_LIMIT = 480
VALUE_LIMIT = 64
NEEDS_VALUE = ("category", "type", "assign")
VALUES = {"category": "category", "type": "type", "assign": "round"}
OF_VIDEOS = "category"
REPAIR = "repair"  # asked for on the page of repairs alone
DECISIONS = ("drop", "keep", "reopen")


@dataclass(frozen=True)
class Standing:
    """What matters of an item for a bulk action; `keep` is None while it is open."""

    version: int
    state: str
    keep: bool | None
    keep_source: str
    question_type: str
    category: str

    def told(self, kind: str) -> str:
        """Return what the item stands at, as text: another text later means that it moved."""
        if kind == "assign":
            return ""
        if kind == "category":
            return self.category
        if kind in ("type", REPAIR):
            return str(self.version)
        return f"{self.version}/{self.state}/{self.keep_source}"

    def is_so(self, kind: str, value: str) -> bool:
        """Say whether the item is already as the action would make it."""
        if kind in ("keep", "drop"):
            return self.keep is (kind == "keep")
        if kind == "reopen":
            return self.state == "todo" and self.keep is None
        if kind in (REPAIR, "assign"):
            return False
        return value == (self.category if kind == "category" else self.question_type)


def faults(kind: str, words: str, value: str) -> list[str]:
    """Return what is wrong with a request, as sentences; both texts are clean and short."""
    found = []
    if not words.strip():
        found.append("Say why; to open items again, ask their readers something.")
    if kind in NEEDS_VALUE and not value.strip():
        found.append(f"Say which {VALUES[kind]}.")
    return found
