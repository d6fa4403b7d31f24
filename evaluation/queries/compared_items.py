"""Single items of a comparison: a list and one item opened for those who may see runs, examples
for everybody."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotation.domain.question_texts import TypeLabel, letter, type_label, without_opening
from annotation.models import ItemVersion
from evaluation.domain.comparing import Pairing
from evaluation.models import Judgement, Prediction
from evaluation.models.prediction import Outcome
from evaluation.models.run import Condition
from evaluation.queries.board import Head


@dataclass(frozen=True)
class ComparedItem:
    """One line of the list; points of each side, None where unscored."""

    version_id: int
    text: str
    kind: str
    number: int
    video: str
    type: TypeLabel
    a: float | None
    b: float | None


@dataclass(frozen=True)
class Reply:
    """What one run made of an item. `points` of `most`; latency in seconds.

    `answer` begins with the letter that the page gives the option; `shown_as` is the letter
    under which the model saw it, where that is another one.
    """

    head: Head
    points: float | None
    most: int
    answer: str
    shown_as: str
    said: str
    text: str
    latency: float | None
    judge: str
    error_type: str
    explanation: str


def listed_items(pairing: Pairing, places: Sequence[int]) -> list[ComparedItem]:
    """Return the items at `places`, in that order. One query."""
    versions = [int(pairing.versions[place]) for place in places]
    found = ItemVersion.objects.select_related("item__video").in_bulk(versions)
    return [
        ComparedItem(
            version_id=version,
            text=without_opening(found[version].stem),
            kind="MCQ" if found[version].item.kind == "mcq" else "Free",
            number=found[version].item.index + 1,
            video=found[version].item.video.title,
            type=type_label(found[version].question_type),
            a=_points(pairing.a[place], found[version]),
            b=_points(pairing.b[place], found[version]),
        )
        for version, place in zip(versions, places, strict=True)
    ]


def open_item(version_id: int) -> ItemVersion:
    """Return one item version with its item and video. One query."""
    return ItemVersion.objects.select_related("item__video__benchmark").get(pk=version_id)


def replies_to(
    versions: Sequence[ItemVersion], heads: Sequence[Head], *, faults: bool = True
) -> list[list[Reply]]:
    """Return for each of `versions`, of different items, the first reply of each entry's run, in
    the order of `heads`. Without `faults`, what a provider says of a failed call is left out.

    A reply to an earlier version counts where the model was asked the same. Two queries.
    """
    by_item = {version.item_id: version for version in versions}
    rows = (
        Prediction.objects.filter(
            run__in=[head.run_id for head in heads],
            item_version__item__in=by_item,
            item_version__text_digest__in={version.text_digest for version in versions},
        )
        .select_related("item_version", "run")
        .order_by("-repeat", "pk")
    )
    first = {
        (row.run_id, row.item_version.item_id): row
        for row in rows
        if _saw_the_same(row, by_item[row.item_version.item_id])
    }
    labels = {
        row.pk: row.run.judge_label
        for (_, item), row in first.items()
        if row.item_version.accepted_variants == by_item[item].accepted_variants
    }
    verdicts: dict[int, Judgement] = {}
    for verdict in Judgement.objects.own().filter(prediction__in=labels).order_by("-repeat", "pk"):
        own = verdict.judge_label == labels[verdict.prediction_id]
        if own or verdict.prediction_id not in verdicts:
            verdicts[verdict.prediction_id] = verdict
    return [
        [
            _reply(head, version, first.get((head.run_id, version.item_id)), verdicts, faults)
            for head in heads
        ]
        for version in versions
    ]


def _saw_the_same(row: Prediction, version: ItemVersion) -> bool:
    if row.item_version.text_digest != version.text_digest:
        return False
    return row.run.condition == Condition.BLIND or (
        row.item_version.clip_digest == version.clip_digest
    )


def _points(score: float, version: ItemVersion) -> float | None:
    if np.isnan(score):
        return None
    return float(score) * (1 if version.key_index is not None else 2)


def _reply(
    head: Head,
    version: ItemVersion,
    row: Prediction | None,
    verdicts: dict[int, Judgement],
    faults: bool,
) -> Reply:
    is_mcq = version.key_index is not None
    most = 1 if is_mcq else 2
    if row is None:
        return Reply(head, None, most, "", "", "not asked, or stale", "", None, "", "", "")
    verdict = verdicts.get(row.pk)
    points: float | None = row.score if is_mcq else verdict.score if verdict else None
    if row.outcome in (Outcome.ABSTAINED, Outcome.REFUSED) and points is None:
        points = 0.0
    said = "" if row.outcome == Outcome.ANSWERED else Outcome(row.outcome).label.lower()
    return Reply(
        head=head,
        points=points,
        most=most,
        answer=_chosen(version, row.chosen),
        shown_as=_shown_as(version, row),
        said=said,
        text=row.raw_reply or row.answer_text or (row.error_message if faults else ""),
        latency=row.latency,
        judge=verdict.judge_label if verdict else "",
        error_type=verdict.error_type.replace("_", " ") if verdict else "",
        explanation=verdict.explanation if verdict else "",
    )


def _chosen(version: ItemVersion, chosen: int | None) -> str:
    if chosen is None or chosen not in version.shown_order:
        return ""
    return f"{letter(version.shown_order.index(chosen))}. {version.options[chosen]}"


def _shown_as(version: ItemVersion, row: Prediction) -> str:
    order = row.shown_order or row.item_version.shown_order
    if row.chosen not in order or row.chosen not in version.shown_order:
        return ""
    seen = letter(order.index(row.chosen))
    return "" if seen == letter(version.shown_order.index(row.chosen)) else seen
