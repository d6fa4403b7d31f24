"""What the audit notes on single items: a flag by name, and the reason in words."""

from dataclasses import dataclass

LEARNED = "found-by-learned"
UNSHUFFLED = "unshuffled-marks"
PAST_SEGMENT = "window-past-segment"
UNDER_FRAME = "window-under-frame-interval"
SHORT_CLIP = "clip-under-2s"
SAME_WINDOW = "identical-window"
NEAR_DUPLICATE = "near-duplicate"
BANNED_PHRASE = "banned-phrase"
OUTSIDE_ROI = "outside-roi"
SAME_OPTIONS = "equal-options"
ANSWER_IN_STEM = "answer-in-stem"
STEM_IS_TRUTH = "stem-shares-ground-truth"
TYPE_ANSWER = "answer-guessable-from-type"

# Faults of a file and its shuffling, which a dropped item shows as well as a kept one.
OF_FILES = frozenset({UNSHUFFLED})


@dataclass(frozen=True, slots=True)
class ItemFlag:
    """A flag of the item `pk`; `reason` is one sentence for a person."""

    pk: int
    flag: str
    reason: str


@dataclass(frozen=True, slots=True)
class FlagCount:
    """How many items carry a flag: kept ones, and all."""

    flag: str
    kept: int
    total: int

    @property
    def count(self) -> int:
        """The figure that counts: of all items where the fault is one of files, else of kept."""
        return self.total if self.flag in OF_FILES else self.kept
