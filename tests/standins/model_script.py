"""How the stand-in model server behaves, and what it has counted."""

import random
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

UNBILLED = frozenset(["rate_limit", "overload", "bad_request", "auth", "redirect", "file_gone"])
BILLED = frozenset(["hang", "drop", "truncated_json", "empty", "safety", "thinking", "nonsense"])


@dataclass
class Fault:
    """A fault of one kind, on a `share` of all calls, or on the `first` calls of every prompt,
    for prompts that hold `match`. `retry_after` is in seconds."""

    kind: str
    share: float = 0.0
    first: int = 0
    match: str = ""
    retry_after: float | None = None

    def __post_init__(self) -> None:
        if self.kind not in UNBILLED | BILLED:
            raise ValueError(f"unknown fault {self.kind!r}")


@dataclass
class Script:
    """`versions` are the model versions that answer in turn, each for `version_calls` calls.

    More calls than `most_at_once` meet a 429; `headers` go with every reply.
    """

    latency: float = 0.0
    jitter: float = 0.0
    faults: list[Fault] = field(default_factory=list)
    versions: list[str] = field(default_factory=lambda: ["standin-1"])
    version_calls: int = 1_000_000
    seed: int = 7
    most_at_once: int = 0
    headers: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, raw: dict[str, Any]) -> "Script":
        faults = [Fault(**fault) for fault in raw.get("faults", [])]
        return cls(**{**raw, "faults": faults})

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


class Counted:
    """What was asked, what was billed, how many at once."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.random = random.Random(script.seed)
        self.asked: Counter[str] = Counter()
        self.billed: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.media: Counter[str] = Counter()
        self.keys: set[str] = set()
        self.peers: Counter[str] = Counter()  # calls by the address that they came from
        self.calls = 0
        self.in_flight = 0
        self.most_in_flight = 0
        self.last_body: dict[str, Any] = {}
        self.last_path = ""
        self.files: dict[str, bytes] = {}  # by URI
        self.results: dict[str, bytes] = {}  # of batch jobs, by file name
        self.uploads: dict[str, int] = {}  # how often each content was uploaded, by sha256
        self.file_life = 48 * 3600.0  # seconds

    def note(self, name: str, prompt: str) -> Fault | None:
        """Count one call and say which fault it meets."""
        self.calls += 1
        self.asked[name] += 1
        fault = next((it for it in self.script.faults if self._meets(it, name, prompt)), None)
        if self.script.most_at_once and self.in_flight >= self.script.most_at_once:
            fault = Fault("rate_limit")
        if fault is not None:
            self.faults[fault.kind] += 1
        if fault is None or fault.kind not in UNBILLED:
            self.billed[name] += 1
        return fault

    def _meets(self, fault: Fault, name: str, prompt: str) -> bool:
        if fault.match and fault.match not in prompt:
            return False
        if fault.first:
            return self.asked[name] <= fault.first
        return self.random.random() < fault.share

    def version(self) -> str:
        turn = (self.calls - 1) // self.script.version_calls
        return self.script.versions[min(turn, len(self.script.versions) - 1)]

    def delay(self) -> float:
        return self.script.latency + self.random.uniform(0, self.script.jitter)

    def stats(self) -> dict[str, Any]:
        return {
            "calls": self.calls,
            "asked": dict(self.asked),
            "billed": dict(self.billed),
            "faults": dict(self.faults),
            "media": dict(self.media),
            "most_in_flight": self.most_in_flight,
            "keys": sorted(self.keys),
            "last_path": self.last_path,
            "last_body": self.last_body,
        }
