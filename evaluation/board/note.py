"""What stands under the table: how to read ranks, which neighbours the tests tell apart."""

from collections.abc import Sequence

from evaluation.board.figure_text import p_text, points_text, share_text, signed
from evaluation.domain.judge_calibration import Calibration
from evaluation.domain.judge_families import family_of
from evaluation.domain.question_types import short_type, type_words
from evaluation.queries.board import Board, Row
from evaluation.queries.judge_standings import Calibrations

TOLD = 3  # provisional rows told one by one


def note_of(board: Board, condition: str, rows: Sequence[Row]) -> list[str]:
    """Return the sentences under the table of one condition."""
    ranked = [row for row in rows if row.rank]
    sentences = []
    if len(ranked) > 1:
        sentences.append(
            "A rank is an interval: it says which places the paired tests leave open "
            "(clustered by source, Holm over the ranked rows)."
        )
    pairs = board.pairs.get(condition, ())
    if pairs:
        told = "; ".join(
            f"{pair.better} and {pair.worse}: {signed(100 * pair.difference, 1)} points, "
            f"{p_text(pair.p)}"
            for pair in pairs
        )
        sentences.append(f"{told}.")
    detectable = board.detectable.get(condition)
    if detectable:
        sentences.append(
            f"Two models must lie about {100 * detectable:.0f} points apart to be told apart "
            "4 times in 5."
        )
    sentences += _reading(rows, condition)
    return sentences


def type_legend(types: Sequence[tuple[str, str]]) -> str:
    """Return "T1 action goal reasoning, T2 …" for types that have a number."""
    numbered = [(name, short) for name, short in types if short != name]
    return ", ".join(f"{short} {type_words(name)}" for name, short in numbered)


def judge_words(rows: Sequence[Row], known: Calibrations) -> str:
    """Return who judged the free responses, and a warning where judge and contestant are of
    one family: its name begins with the same word."""
    judges = {
        (str(judge["label"]), str(judge["rubric"])): judge.get("members") or [judge["label"]]
        for row in rows
        if (judge := row.figures.get("judge"))
    }
    if not judges:
        return ""
    said = "; ".join(f"{label}, rubric {rubric}" for label, rubric in judges)
    families = {family_of(name) for names in judges.values() for name in names} - {""}
    own = [row.head.model for row in rows if family_of(row.head.model) in families]
    kin = f" The judge is of one family with {' and '.join(sorted(set(own)))}." if own else ""
    mixed = " Different judges: compare within one alone." if len(judges) > 1 else ""
    stands = [known.get(judge, Calibration(*judge)) for judge in judges]
    audit = " ".join(
        one.words if len(stands) == 1 else f"{one.label}: {one.words}" for one in stands
    )
    return f"Judge: {said}.{kin}{mixed} {audit}"


def changes_of(rows: Sequence[Row]) -> list[Row]:
    """Return the rows that are no first version and say what changed, the latest first."""
    changed = [row for row in rows if row.head.version > 1 and row.head.note]
    return sorted(changed, key=lambda row: str(row.head.published_at), reverse=True)


def short_names(types: Sequence[str]) -> list[tuple[str, str]]:
    """Return (type, short name) pairs."""
    return [(name, short_type(name)) for name in types]


def _reading(rows: Sequence[Row], condition: str) -> list[str]:
    sentences = []
    if any(row.head.reference for row in rows):
        sentences.append("Grey rows never see the video.")
    chance = next((row.figures["chance"] for row in rows if row.figures["chance"]), None)
    if chance:
        sentences.append(f"The dashed line is chance, {100 * chance:.0f} %.")
    provisional = [
        row
        for row in rows
        if row.head.provisional and row.head.condition == condition and not row.head.reference
    ]
    if provisional:
        told = "; ".join(filter(None, map(_without_failures, provisional[:TOLD])))
        sentences.append(f"Items without a score count as 0 here; without them {told}.")
    return sentences


def _without_failures(row: Row) -> str:
    parts = []
    for kind, text in (("mcq", share_text), ("free", points_text)):
        figures = row.figures.get(kind)
        if figures and figures["mean_scored"] is not None:
            parts.append(text(figures["mean_scored"]))
    return f"{row.head.model} has {' and '.join(parts)}" if parts else ""
