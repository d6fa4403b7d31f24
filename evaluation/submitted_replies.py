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

# What differs from reply to reply, by column, with PostgreSQL's type of it.
GIVEN = {
    "item_version_id": "bigint",
    "outcome": "text",
    "raw_reply": "text",
    "answer_text": "text",
    "chosen": "smallint",
    "shown_order": "jsonb",
    "score": "double precision",
}
TAKEN_UP = {
    *("id", "run", "created_at", "item_version", "outcome", "raw_reply", "answer_text", "chosen"),
    *("shown_order", "score"),
}


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
    if not replies:
        return
    others = [one for one in Prediction._meta.concrete_fields if one.name not in TAKEN_UP]
    same = {
        "run_id": run.pk,
        "created_at": connection.ops.adapt_datetimefield_value(timezone.now()),
        **{str(one.column): one.get_db_prep_save(one.get_default(), connection) for one in others},
    }
    rows = [
        (one.version_id, one.outcome, one.text, one.text, one.chosen,
         None if one.shown_order is None else json.dumps(one.shown_order), one.score)
        for one in replies
    ]  # fmt: skip
    columns = ", ".join([*GIVEN, *same])
    into = f"INSERT INTO {Prediction._meta.db_table} ({columns})"
    alike = ", ".join(["%s"] * len(same))
    with transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":  # one statement: a message a row is slow there
            given = ", ".join(f"%s::{kind}[]" for kind in GIVEN.values())
            statement = (
                f"{into} SELECT p.*, {alike} FROM unnest({given}) AS p "  # noqa: S608 our own names
                "ON CONFLICT DO NOTHING"
            )
            cursor.execute(statement, [*same.values(), *map(list, zip(*rows, strict=True))])
        else:
            each = ", ".join(["%s"] * (len(GIVEN) + len(same)))
            cursor.executemany(
                f"{into} VALUES ({each}) ON CONFLICT DO NOTHING",
                [(*row, *same.values()) for row in rows],
            )
