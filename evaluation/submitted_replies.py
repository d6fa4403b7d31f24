"""Submitted replies: what is read of each, and how a batch of them is stored.

A submission may have a million of them, so a reply is a tuple and not a model's instance, and a
batch is one prepared statement.
"""

import json
from typing import NamedTuple

from django.db import connection, transaction
from django.utils import timezone

from evaluation.domain.prediction_matching import choose
from evaluation.import_plan import OUTCOMES
from evaluation.models import Prediction, Run
from evaluation.models.prediction import Outcome
from evaluation.queries.asked_items import KeyedItem

GIVEN = (
    "run_id", "item_version_id", "outcome", "raw_reply", "answer_text", "chosen", "shown_order",
    "score", "created_at",
)  # fmt: skip


class Reply(NamedTuple):
    """One reply to an item version. `chosen` and `score` (0 or 1) are empty for a free
    response; `shown_order` is set where the file shows another order than the version's own."""

    version_id: int
    outcome: str
    text: str
    chosen: int | None = None
    score: float | None = None
    shown_order: list[int] | None = None


def read_reply_to(text: str, item: KeyedItem) -> Reply:
    """Return what `text` answers to an item that was shown in its own order."""
    if not item.shown_order:
        return Reply(item.version_id, Outcome.ANSWERED.value, text)
    choice = choose(text, item.shown_order)
    right = choice.chosen is not None and choice.chosen == item.key_index
    outcome = OUTCOMES[choice.outcome].value
    return Reply(item.version_id, outcome, text, choice.chosen, float(right))


def reply_of(prediction: Prediction) -> Reply:
    """Return what a row of the original layout answers."""
    return Reply(
        prediction.item_version_id,
        str(prediction.outcome),
        prediction.answer_text,
        prediction.chosen,
        prediction.score,
        prediction.shown_order,
    )


def store_replies(run: Run, replies: list[Reply]) -> None:
    """Store the replies as predictions of `run`; one that is there already stays as it is, since
    a reader that took over from a lost one meets what that one has stored."""
    now = connection.ops.adapt_datetimefield_value(timezone.now())
    others = [field for field in Prediction._meta.concrete_fields if field.column not in GIVEN]
    others = [field for field in others if not field.primary_key]
    same = tuple(field.get_db_prep_save(field.get_default(), connection) for field in others)
    rows = [
        (run.pk, one.version_id, one.outcome, one.text, one.text, one.chosen,
         None if one.shown_order is None else json.dumps(one.shown_order), one.score, now, *same)
        for one in replies
    ]  # fmt: skip
    columns = [*GIVEN, *(str(field.column) for field in others)]
    statement = (
        f"INSERT INTO {Prediction._meta.db_table} ({', '.join(columns)}) "  # noqa: S608 our own
        f"VALUES ({', '.join(['%s'] * len(columns))}) ON CONFLICT DO NOTHING"
    )
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.executemany(statement, rows)
