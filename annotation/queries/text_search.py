"""Which questions hold the words of a search: each word, or the beginning of it, in any order.

PostgreSQL keeps the words of each question, and the item's state, in a column of its own,
`words`, with the index `item_by_words` (annotation.migrations.0023): plain words need no
extension, the database knows how common one is, and it answers for two letters as for ten.
Elsewhere the rows are read.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from django.db import connection, transaction
from django.db.models import BooleanField, F, Func, Q, QuerySet, Value

from annotation.models import Item
from annotation.queries.expected import expected

WORD = re.compile(r"[^\W_]+")
SIFTED = 60_000  # items; a word that more of them hold is looked for place by place
PLANS = ("enable_seqscan", "enable_indexscan")
Rows = TypeVar("Rows", bound=QuerySet[Item])


def words_of(text: str) -> list[str]:
    """Return the words of a search, each once, in lower case."""
    return list(dict.fromkeys(WORD.findall(text.lower())))


class HoldsWords(Func):
    """Whether the stored words of an item, given by its `text`, match a query of PostgreSQL, and
    its stored state is among them, unless that is ""."""

    arity = 3
    output_field = BooleanField()

    def as_sql(self, compiler: Any, *_connection: Any, **_more: Any) -> tuple[str, tuple[Any, ...]]:
        text, words, state = self.get_source_expressions()
        table = compiler.quote_name_unless_alias(text.alias)
        asked = "to_tsquery('simple'::regconfig, %s)"
        if not state.value:
            return f"{table}.words @@ {asked}", (words.value,)
        # Stored with a sign that no word holds.
        return f"{table}.words @@ ({asked} && %s::tsquery)", (words.value, f"'={state.value}'")


def saying(items: Rows, text: str, *, state: str = "", whole: bool = False) -> Rows:
    """Return those of `items` whose question holds all words of `text`, none without a word;
    with a `state`, those that are in it. On PostgreSQL `whole` leaves out words that only begin
    so: a part of them, of which the database knows better how many there are."""
    words = words_of(text)
    if not words:
        return items.none()
    if connection.vendor == "postgresql":
        return items.filter(
            HoldsWords(F("text"), Value(asked_of(words, whole=whole)), Value(state))
        )
    wanted = Q(state=state) if state else Q()
    for word in words:
        wanted &= Q(text__iregex=rf"(?<![^\W_]){word}")
    return items.filter(wanted)


def asked_of(words: list[str], *, whole: bool) -> str:
    """Return the query of PostgreSQL that asks for all words, or beginnings of words."""
    return " & ".join(word if whole else f"{word}:*" for word in words)


@contextmanager
def sifted(text: str, *, state: str = "") -> Iterator[bool]:
    """Have the index of words read first, where the words are rare, or those of items in a
    state; says whether they are.

    PostgreSQL takes words to be spread evenly. Those of the last videos alone are not, and to
    look for the first few of them it would read all that stand before.
    """
    words = words_of(text)
    if not words or connection.vendor != "postgresql":
        yield False
        return
    with transaction.atomic(), connection.cursor() as cursor:
        every = Item.objects.order_by()
        likely = (saying(every, text, state=state, whole=whole) for whole in (True, False))
        rare = max(map(expected, likely)) <= SIFTED
        avoided = PLANS if rare else ()
        for plan in avoided:
            cursor.execute(f"SET LOCAL {plan} TO off")
        try:
            yield rare
        finally:
            for plan in avoided if not connection.needs_rollback else ():
                cursor.execute(f"SET LOCAL {plan} TO DEFAULT")
