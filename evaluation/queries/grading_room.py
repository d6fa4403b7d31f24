"""The room in which clinicians grade: whose turn, what is next, how far. Blind: nothing here
reads a model's name or a judge's verdict."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from annotation.models import ItemVersion, User
from annotation.queries.answering import answering
from evaluation.domain.grading_sample import order_for
from evaluation.models import Grade, GradingSample, GradingSeat, Prediction, SampledAnswer
from evaluation.models.grading import SampleState

LATEST, LEAST = 200, 3  # grades that a pace is taken from, and from how many on


@dataclass(frozen=True)
class Place:
    """One answer in a grader's list: `state` is open, graded or skipped."""

    answer_id: int
    number: int
    state: str
    score: int | None


@dataclass(frozen=True)
class Desk:
    """One grader's list of a sample; `seconds` an answer (median), `left` seconds, None before
    a pace can be told."""

    sample: GradingSample
    places: list[Place]
    seconds: float | None

    @property
    def total(self) -> int:
        return len(self.places)

    @property
    def done(self) -> int:
        return sum(place.state == "graded" for place in self.places)

    @property
    def skipped(self) -> int:
        return sum(place.state == "skipped" for place in self.places)

    @property
    def open(self) -> int:
        return self.total - self.done - self.skipped

    @property
    def left(self) -> float | None:
        return None if self.seconds is None else self.seconds * (self.total - self.done)

    @property
    def share(self) -> float:
        return 100 * self.done / self.total if self.total else 0.0

    def next(self, *, after: int | None = None, skipped: bool = False) -> int | None:
        """Return the next answer that waits, in the grader's order and round its end, never
        `after` itself, whose grade may still be on its way; those passed over where asked for."""
        wanted = "skipped" if skipped else "open"
        start = next((i + 1 for i, p in enumerate(self.places) if p.answer_id == after), 0)
        around = [*self.places[start:], *self.places[:start]]
        waiting = (one.answer_id for one in around if one.state == wanted)
        return next((one for one in waiting if one != after), None)

    def beside(self, answer_id: int, step: int) -> int | None:
        """Return the answer that stands `step` places from another one in the list."""
        place = next(i for i, found in enumerate(self.places) if found.answer_id == answer_id)
        there = place + step
        return self.places[there].answer_id if 0 <= there < len(self.places) else None


def seats_of(user: User) -> list[GradingSeat]:
    """Return the seats of a grader in open samples, the oldest sample first. One query."""
    seats = GradingSeat.objects.filter(grader=user, sample__state=SampleState.OPEN)
    return list(seats.select_related("sample__benchmark", "sample__release").order_by("sample"))


def grades_now(user: User, benchmark_id: int) -> bool:
    """Say whether `user` grades answers of this benchmark now, and so has to stay blind."""
    return GradingSeat.objects.filter(
        grader=user, sample__state=SampleState.OPEN, sample__benchmark=benchmark_id
    ).exists()


def is_theirs(sample: GradingSample, answer: SampledAnswer, user: User) -> bool:
    """Say whether an answer of `sample` is among those that `user` is to grade."""
    seats = list(sample.seats.values_list("grader_id", "ordinal"))
    ordinal = dict(seats).get(user.pk)
    return ordinal is not None and is_given(sample, answer.position, ordinal, len(seats))


def is_given(sample: GradingSample, position: int, ordinal: int, seats: int) -> bool:
    """Say whether the grader of that number gets the answer at `position`: each answer goes to
    as many as wanted, one seat further on with every answer."""
    return (ordinal - position) % seats < sample.grades_wanted


def desk(seat: GradingSeat) -> Desk:
    """Return the list of one grader. Three queries, whatever the size of the sample."""
    sample = seat.sample
    seats = sample.seats.count()
    given = {
        position: pk
        for pk, position in sample.answers.values_list("pk", "position")
        if is_given(sample, position, seat.ordinal, seats)
    }
    own = Grade.objects.filter(
        answer__sample=sample, grader=seat.grader_id, replaced_at=None, undone_at=None
    ).order_by("-created_at")
    stands = {pk: (score, skipped, secs) for pk, score, skipped, secs in own.values_list(
        "answer_id", "score", "skipped", "active_seconds"
    )}  # fmt: skip
    order = order_for(sorted(given), seed=sample.seed, ordinal=seat.ordinal)
    places = [_place(given[position], number, stands) for number, position in enumerate(order, 1)]
    times = [secs for _, skipped, secs in stands.values() if secs > 0 and not skipped][:LATEST]
    return Desk(sample, places, median(times) if len(times) >= LEAST else None)


def standing_grade(answer_id: int, user: User) -> Grade | None:
    """Return what `user` gives to an answer now."""
    return Grade.objects.filter(
        answer=answer_id, grader=user, replaced_at=None, undone_at=None
    ).first()


@dataclass(frozen=True)
class Shown:
    """What a grader sees of one answer: its text, and the item version that it answers."""

    answer: SampledAnswer
    text: str
    version: ItemVersion


def find_answer(sample: GradingSample, answer_id: int) -> Shown:
    """Return an answer of `sample` with its item and video, and nothing of its run.

    Raises SampledAnswer.DoesNotExist. Three queries.
    """
    answer = sample.answers.get(pk=answer_id)
    text, version = Prediction.objects.values_list("answer_text", "item_version_id").get(
        pk=answer.prediction_id
    )
    path = ("item__video__source", "item__benchmark")
    return Shown(answer, text, ItemVersion.objects.select_related(*path).get(pk=version))


def must_answer_first(user: User, version: ItemVersion) -> bool:
    """Say whether a round asks `user` to answer this very item before its key is shown."""
    stands = answering(user, version.item)
    return stands.sealed and stands.demanded


def progress_by_grader(sample: GradingSample) -> Sequence[tuple[GradingSeat, Desk]]:
    """Return how far each grader is, for those who run the sample."""
    seats = sample.seats.select_related("grader")
    found = []
    for seat in seats:
        seat.sample = sample
        found.append((seat, desk(seat)))
    return found


def _place(answer_id: int, number: int, stands: dict[int, tuple[int | None, bool, float]]) -> Place:
    score, skipped, _ = stands.get(answer_id, (None, False, 0.0))
    state = "skipped" if skipped else "graded" if score is not None else "open"
    return Place(answer_id, number, state, score)
