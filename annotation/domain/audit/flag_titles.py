"""What the flags are called on pages."""

from annotation.domain.audit import flags
from annotation.domain.audit.rules import RULES, UNUSUAL_MARK

TITLES = {
    flags.LEARNED: "Found by the learned combination",
    flags.UNSHUFFLED: "Never shuffled",
    flags.PAST_SEGMENT: "Window past its segment",
    flags.UNDER_FRAME: "Window under a frame interval",
    flags.SHORT_CLIP: "Clip under 2 s",
    flags.SAME_WINDOW: "Identical windows",
    flags.NEAR_DUPLICATE: "Near-duplicate",
    flags.BANNED_PHRASE: "Narration or on-screen text",
    flags.OUTSIDE_ROI: "Asks about what the ROI crops away",
    flags.SAME_OPTIONS: "Equal options",
    flags.ANSWER_IN_STEM: "Answer stands in the stem",
    flags.STEM_IS_TRUTH: "Stem repeats the ground truth",
    flags.TYPE_ANSWER: "Answer is usual for its type",
    **{rule.name: f"Key {rule.words}" for rule in (*RULES, UNUSUAL_MARK)},
}


def title(flag: str) -> str:
    """Return what people read for a flag; its own name where it is an unknown one."""
    return TITLES.get(flag, flag)
