"""The stored predictions of a run that count for the kept items of a release.

They count where the digests say that a model would be asked the same: the text alone in a blind
run, text and clip in every other. They lie in columns, some thirty bytes a prediction.
"""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from evaluation.domain.uncertainty import Ints
from evaluation.models import Prediction, Run
from evaluation.models.run import Condition
from evaluation.queries.kept_items import CHUNK, KeptItems


@dataclass(frozen=True)
class Answer:
    """One prediction; `is_stale` where its judge accepted other variants than the item has."""

    pk: int
    outcome: str
    score: float | None
    error_class: str
    is_stale: bool


class Answers:
    """The predictions of a run by the place of the item that they answer."""

    def __init__(self, items: KeptItems) -> None:
        self.items = items
        self.asked = bytearray(len(items))  # 1 where there is a prediction, of any version
        self._by_id = np.argsort(items.ids[:, 1], kind="stable")
        self._ids = np.append(items.ids[self._by_id, 1], -1)  # in order, then no item's
        self._codes: dict[str, int] = {}
        self._rows = array("i")  # place, repeat, outcome, error class, whether it is stale
        self._numbers, self._scores = array("q"), array("d")
        self._names: list[str] = []
        self._order = self._starts = np.zeros(1, dtype=np.int64)

    def read(self, rows: Iterable[tuple[Any, ...]], *, sees_clip: bool) -> None:
        """Take rows of (item, text digest, clip digest, repeat, number, outcome, score, error
        class, accepted variants) in the order of their numbers."""
        found = iter(rows)
        while chunk := list(islice(found, CHUNK)):
            items = np.array([row[0] for row in chunk], dtype=np.int64)
            at = np.searchsorted(self._ids[:-1], items)
            # Once for each place that an item has in the release, which mostly is one.
            while len(hit := np.flatnonzero(self._ids.take(at, mode="clip") == items)):
                self._take([chunk[n] for n in hit], self._by_id[at[hit]], sees_clip=sees_clip)
                at += 1
        places = np.array(self._rows, dtype=np.int32).reshape(-1, 5)[:, 0]
        self._order = np.argsort(places, kind="stable")
        self._starts = np.searchsorted(places[self._order], np.arange(len(self.items) + 1))
        self._names = list(self._codes)

    def at(self, place: int) -> list[Answer]:
        """Return the answers to the item at `place`, one a repeat: the newest of each."""
        found: dict[int, Answer] = {}
        for row in self._order[self._starts[place] : self._starts[place + 1]].tolist():
            _, repeat, outcome, error, is_stale = self._rows[5 * row : 5 * row + 5]
            score = self._scores[row]
            found[repeat] = Answer(
                self._numbers[row],
                self._names[outcome],
                None if score != score else score,  # NaN stands for none
                self._names[error],
                bool(is_stale),
            )
        return list(found.values())

    def _take(self, rows: list[tuple[Any, ...]], places: Ints, *, sees_clip: bool) -> None:
        own = zip(rows, places.tolist(), self.items.digests[places].tolist(), strict=True)
        for (_, text, clip, repeat, pk, outcome, score, error, variants), place, digests in own:
            self.asked[place] = 1
            if text.encode() != digests[0] or (sees_clip and clip.encode() != digests[1]):
                continue
            is_stale = tuple(variants) != self.items.variants.get(place, ())
            self._rows.extend((place, repeat, self._code(outcome), self._code(error), is_stale))
            self._numbers.append(pk)
            self._scores.append(float("nan") if score is None else score)

    def _code(self, name: str) -> int:
        return self._codes.setdefault(name, len(self._codes))


def answers_of(run: Run, items: KeptItems) -> Answers:
    """Return the predictions of `run` that count for `items`. One query."""
    rows = (
        Prediction.objects.filter(run=run)
        .order_by("pk")
        .values_list(
            "item_version__item_id",
            "item_version__text_digest",
            "item_version__clip_digest",
            "repeat",
            "pk",
            "outcome",
            "score",
            "error_class",
            "item_version__accepted_variants",
        )
    )
    answers = Answers(items)
    answers.read(rows.iterator(CHUNK), sees_clip=run.condition != Condition.BLIND)
    return answers
