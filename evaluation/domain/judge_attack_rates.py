"""How often attacks on a judge succeed: by kind, and together."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from annotation.domain.clustered import clustered_mean, codes_of, wilson
from evaluation.domain.judge_attacks import ATTACKS


@dataclass(frozen=True)
class AttackRate:
    """Attacks of one kind that were marked (`n`), how many of them were given points, and the
    95 % interval of that share; `unread` are those without a readable verdict."""

    name: str
    title: str
    n: int
    succeeded: int
    share: float | None
    low: float | None
    high: float | None
    unread: int


Mark = tuple[int, Hashable, int | None]  # index of the kind, source, points or None


def attack_rates(marks: Iterable[Mark]) -> tuple[AttackRate, list[AttackRate]]:
    """Return the rate of all attacks together and of each kind.

    Kinds have Wilson's interval over items; all together an interval clustered by source, since
    one item is attacked in every way. Points given are success: honestly each earns none.
    """
    rows = list(marks)
    kinds = [
        _rate(attack.name, attack.title, [row for row in rows if row[0] == number])
        for number, attack in enumerate(ATTACKS)
    ]
    whole = _rate("all", "All attacks", rows)
    read = [(source, points) for _, source, points in rows if points is not None]
    if whole.n:
        codes, _ = codes_of([source for source, _ in read])
        found = clustered_mean([float(points > 0) for _, points in read], codes)
        low, high = found.low, found.high
        whole = AttackRate(
            *(whole.name, whole.title, whole.n, whole.succeeded, whole.share),
            None if low is None else max(0.0, low),
            None if high is None else min(1.0, high),
            whole.unread,
        )
    return whole, [one for one in kinds if one.n or one.unread]


def _rate(name: str, title: str, rows: list[Mark]) -> AttackRate:
    points = [row[2] for row in rows if row[2] is not None]
    unread = len(rows) - len(points)
    if not points:
        return AttackRate(name, title, 0, 0, None, None, None, unread)
    succeeded = sum(one > 0 for one in points)
    low, high = wilson(succeeded, len(points))
    share = succeeded / len(points)
    return AttackRate(name, title, len(points), succeeded, share, low, high, unread)
