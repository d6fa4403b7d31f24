"""An audit's report in sentences."""

from collections.abc import Iterator
from typing import Any

from annotation.domain.counted import counted_text

MOST_RULES = 6
FEW = 50  # MCQs below which the lack of a leak says nothing


def percent(share: float) -> str:
    """Return a share of 0 to 1 as people read it."""
    return f"{100 * share:.1f} %"


def verdict(report: dict[str, Any]) -> str:
    """Return what the audit found in one sentence."""
    learned, chance = report.get("learned"), report.get("chance")
    if not learned or chance is None:
        return " ".join(report.get("sentences", [])) or "There was nothing to audit."
    found, guessed = percent(learned["accuracy"]), percent(chance)
    if learned["p"] <= 0.05:
        return (
            f"{found} of {learned['n']} keys can be found without any video, at sources the rule "
            f"never saw; chance is {guessed} (p = {learned['p']:.2f})."
        )
    if learned["n"] < FEW:
        return (
            f"{learned['n']} MCQs are too few to tell whether anything leaks: what can be learned "
            f"from other sources finds {found} of the keys; chance is {guessed} "
            f"(p = {learned['p']:.2f})."
        )
    return (
        f"No leak was found: what can be learned from other sources finds {found} of "
        f"{learned['n']} keys; chance is {guessed} (p = {learned['p']:.2f})."
    )


def lines(report: dict[str, Any]) -> Iterator[str]:
    """Yield the report line by line: the verdict, the leaking rules, the flags."""
    yield verdict(report)
    leaking = [rule for rule in report["rules"] if rule["leaks"]]
    for rule in leaking[:MOST_RULES]:
        yield (
            f"{rule['name']}: right in {rule['correct']} of {rule['picked']} MCQs where it can "
            f"be told, {percent(rule['accuracy'])} with guesses elsewhere"
        )
    for flag, count in report["flags"].items():
        yield f"{flag}: {counted_text(count, 'item')}"
    if report.get("learned"):
        yield from report["sentences"]
