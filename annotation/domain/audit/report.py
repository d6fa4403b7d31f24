"""The whole audit of a benchmark's items, and its report."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotation.domain.audit.balance import Spread, balance
from annotation.domain.audit.features import measures
from annotation.domain.audit.flags import FlagCount, ItemFlag
from annotation.domain.audit.free_leaks import FreeLeaks, free_leaks
from annotation.domain.audit.held_out import learn_held_out
from annotation.domain.audit.items import AuditItem, keyed
from annotation.domain.audit.key_flags import learned_flags, rule_flags, unshuffled_flags
from annotation.domain.audit.learned import REFITS, Learned, NothingToLearn, learn
from annotation.domain.audit.rule_scores import RuleScore, score_rules
from annotation.domain.audit.rules import picks
from annotation.domain.audit.texts import text_flags
from annotation.domain.audit.windows import window_flags

VERSION = 3  # of the procedure; a change of figures makes a new one


@dataclass(frozen=True)
class Audit:
    """What was found. `learned` is None where nothing could be learned, and `held_out` (with
    features that repairs do not touch) with it; `sentences` say why, and whatever else a reader
    has to know. `chance` is None without MCQs."""

    items: int
    kept: int
    chance: float | None
    rules: list[RuleScore]
    learned: Learned | None
    held_out: Learned | None
    free: FreeLeaks
    spreads: list[Spread]
    flags: list[ItemFlag]
    counts: list[FlagCount]
    sentences: list[str]


def audit(items: Sequence[AuditItem], *, refits: int = REFITS) -> Audit:
    """Return how much of the key of `items` can be found without their videos.

    Single rules and the learned combination look at kept MCQs; flags are given to all items,
    and stand in their order.
    """
    mcqs = keyed(items)
    free, flags = free_leaks(items)
    flags += [*unshuffled_flags(items), *window_flags(items), *text_flags(items)]
    scores: list[RuleScore] = []
    learned, held_out, sentences = None, None, _doubts(items)
    if mcqs:
        values = measures(mcqs)
        chosen = picks(mcqs, values)
        scores = score_rules(mcqs, chosen)
        flags += rule_flags(mcqs, chosen, scores)
    try:
        learned = learn(mcqs, values if mcqs else None, refits=refits)
        flags += learned_flags(mcqs, learned)
        held_out = learn_held_out(mcqs, values)
    except NothingToLearn as reason:
        sentences.append(str(reason))
    order = {item.pk: place for place, item in enumerate(items)}
    flags.sort(key=lambda flag: order[flag.pk])
    return Audit(
        items=len(items),
        kept=sum(item.keep for item in items),
        chance=sum(1 / len(mcq.options) for mcq in mcqs) / len(mcqs) if mcqs else None,
        rules=scores,
        learned=learned,
        held_out=held_out,
        free=free,
        spreads=balance(items, mcqs),
        flags=flags,
        counts=_counts(items, flags),
        sentences=sentences,
    )


def _doubts(items: Sequence[AuditItem]) -> list[str]:
    mcqs = keyed(items)
    found = []
    if len(mcqs) > 1 and len({mcq.key for mcq in mcqs}) == 1:
        found.append(
            f"The key of all {len(mcqs)} MCQs is option {mcqs[0].key + 1}: whoever always picks "
            "it is always right."
        )
    if not any(item.keep and item.kind == "free" for item in items):
        found.append("There is no kept free-response item.")
    return found


def _counts(items: Sequence[AuditItem], flags: Sequence[ItemFlag]) -> list[FlagCount]:
    kept = {item.pk for item in items if item.keep}
    total = Counter(flag.flag for flag in flags)
    of_kept = Counter(flag.flag for flag in flags if flag.pk in kept)
    return [FlagCount(flag, of_kept[flag], count) for flag, count in total.most_common()]


def as_json(found: Audit) -> dict[str, Any]:
    """Return the report, JSON-ready, without the flags of single items.

    Shares go from 0 to 1; `flags` gives one count a flag, `flags_kept` and `flags_all` those of
    kept and of all items.
    """
    return {
        "version": VERSION,
        "items": found.items,
        "kept": found.kept,
        "chance": found.chance,
        "rules": [_rule(score) for score in found.rules],
        "learned": _learned(found.learned),
        "held_out": _held_out(found.held_out),
        "free": {
            "n": found.free.n,
            "answer_in_stem": found.free.answer_in_stem,
            "truth_in_stem": found.free.truth_in_stem,
            "typical_of_type": found.free.typical_of_type,
            "typical_of_others": found.free.typical_of_others,
        },
        "balance": [
            {"name": spread.name, "counts": [list(pair) for pair in spread.counts], "p": spread.p}
            for spread in found.spreads
        ],
        "flags": {count.flag: count.count for count in found.counts},
        "flags_kept": {count.flag: count.kept for count in found.counts},
        "flags_all": {count.flag: count.total for count in found.counts},
        "sentences": found.sentences,
    }


def _rule(score: RuleScore) -> dict[str, Any]:
    return {
        "name": score.rule.name,
        "family": score.rule.family,
        "words": score.rule.words,
        "correct": score.correct,
        "picked": score.picked,
        "n": score.n,
        "expected": score.expected,
        "accuracy": score.estimate.mean,
        "ci": [score.estimate.low, score.estimate.high],
        "p_holm": score.p_holm,
        "leaks": score.leaks,
    }


def _held_out(found: Learned | None) -> dict[str, Any] | None:
    """What features that repairs do not touch find: no p, since nothing was refitted."""
    if found is None:
        return None
    low, high = found.estimate.low, found.estimate.high
    return {"accuracy": found.estimate.mean, "ci": [low, high], "n": found.estimate.n}


def _learned(learned: Learned | None) -> dict[str, Any] | None:
    if learned is None:
        return None
    return {
        "accuracy": learned.estimate.mean,
        "ci": [learned.estimate.low, learned.estimate.high],
        "n": learned.estimate.n,
        "sources": learned.estimate.clusters,
        "folds": learned.folds,
        "p": learned.p,
        "refits": learned.refits,
        "null": list(learned.null),
        "strongest": [[name, weight] for name, weight in learned.strongest],
    }
