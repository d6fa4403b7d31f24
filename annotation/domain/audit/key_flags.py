"""Flags of MCQs whose key gives itself away: by a rule that leaks, or by what was learned."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from annotation.domain.audit.flags import LEARNED, UNSHUFFLED, ItemFlag
from annotation.domain.audit.items import MCQ, AuditItem, Mcq
from annotation.domain.audit.learned import Learned
from annotation.domain.audit.rule_scores import RuleScore, tail
from annotation.domain.audit.rules import Rule, usual_mark
from annotation.domain.clustered import Ints

LEAKS_AT = 0.05
WITHOUT_FLAG = frozenset({"combination"})
SURE = 0.5  # the least confidence at which a learned pick is worth a flag


def rule_flags(
    mcqs: Sequence[Mcq], picks: Mapping[Rule, Ints], scores: Sequence[RuleScore]
) -> Iterator[ItemFlag]:
    """Yield, per item, the strongest leaking rule of each family that picks its key.

    A rule that is right no more often than chance flags nothing: some option has to be the
    shortest.
    """
    keys = np.array([mcq.key for mcq in mcqs], dtype=np.int64)
    flagged: dict[str, Ints] = {}
    for score in scores:
        family = score.rule.family
        if not score.leaks or family in WITHOUT_FLAG:
            continue
        taken = flagged.setdefault(family, np.zeros(len(mcqs), dtype=np.int64))
        for index in np.flatnonzero((picks[score.rule] == keys) & (taken == 0)).tolist():
            taken[index] = 1
            yield ItemFlag(
                mcqs[index].pk,
                score.rule.name,
                f"The key {score.rule.words}; that is right in {score.correct} of "
                f"{score.picked} MCQs where it can be told.",
            )


def learned_flags(mcqs: Sequence[Mcq], learned: Learned) -> Iterator[ItemFlag]:
    """Yield the items whose key a significant learned combination picks with confidence."""
    if learned.p > LEAKS_AT:
        return
    found, confidence = learned.outcome.found, learned.outcome.confidence
    for index in np.flatnonzero((found >= 1) & (confidence >= SURE)).tolist():
        yield ItemFlag(
            mcqs[index].pk,
            LEARNED,
            f"A combination of surface features learned from other sources picks the key, "
            f"{100 * confidence[index]:.0f} % sure.",
        )


def unshuffled_flags(items: Sequence[AuditItem]) -> Iterator[ItemFlag]:
    """Yield the MCQs under an unusual option mark, where keys crowd at one place.

    A file that was written by another hand than most shows it by its marks ("A)" for "A.");
    if its keys are not spread over the places either, it was never shuffled.
    """
    mcqs = [item for item in items if item.kind == MCQ and item.key_index is not None]
    usual = usual_mark([item.mark for item in mcqs])
    unusual: dict[str, list[AuditItem]] = {}
    for item in mcqs:
        if item.mark != usual:
            unusual.setdefault(item.mark, []).append(item)
    for mark, marked in unusual.items():
        places = np.array([item.key_index for item in marked], dtype=np.int64)
        place = int(np.bincount(places).argmax())
        chance = 1 / np.array([len(item.options) for item in marked])
        if tail(np.full(len(marked), place), places, chance) > LEAKS_AT:
            continue
        share = int((places == place).sum())
        reason = (
            f"The options are written “{mark.strip()}” where most files write “{usual.strip()}”, "
            f"and the key is option {place + 1} in {share} of {len(marked)} such MCQs: they were "
            "never shuffled."
        )
        yield from (ItemFlag(item.pk, UNSHUFFLED, reason) for item in marked)
