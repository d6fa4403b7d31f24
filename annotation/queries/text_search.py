"""Which questions hold the words of a search: each word, or the beginning of it, in any order.

PostgreSQL finds them by the index `item_by_words` (annotation.migrations.0010_find_words): a
full-text index of plain words needs no extension, knows how common a word is, and answers for
two letters as for ten. Elsewhere, and where that index is missing, the rows are read.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from django.db import connection, transaction
from django.db.models import BooleanField, F, Func, Q, QuerySet, Value

from annotation.models import Item

WORD = re.compile(r"[^\W_]+")
# Signs that would make PostgreSQL take several words for one: hyphens, addresses, numbers, tags.
SIGNS = "-/.@_+<>&:=~#"
SIFTED = 50_000  # items; a word that more of them hold is looked for place by place
PLANS = ("enable_seqscan", "enable_indexscan")
Rows = TypeVar("Rows", bound=QuerySet[Item])


def words_of(text: str) -> list[str]:
    """Return the words of a search, each once, in lower case."""
    return list(dict.fromkeys(WORD.findall(text.lower())))


def holds(text: str, query: str) -> str:
    """Return the SQL of the index `item_by_words`, asked for a query of PostgreSQL."""
    plain = f"translate({text}, '{SIGNS}', '{' ' * len(SIGNS)}')"
    return f"to_tsvector('simple'::regconfig, {plain}) @@ to_tsquery('simple'::regconfig, {query})"


class HoldsWords(Func):
    """Whether a text holds the words of a query of PostgreSQL."""

    arity = 2
    output_field = BooleanField()

    def as_sql(self, compiler: Any, *_connection: Any, **_more: Any) -> tuple[str, tuple[Any, ...]]:
        text, query = (compiler.compile(one) for one in self.get_source_expressions())
        return holds(text[0], query[0]), (*text[1], *query[1])


def saying(items: Rows, text: str) -> Rows:
    """Return those of `items` whose question holds all words of `text`; none without a word."""
    words = words_of(text)
    if not words:
        return items.none()
    if connection.vendor == "postgresql":
        return items.filter(HoldsWords(F("text"), Value(prefixes(words))))
    wanted = Q()
    for word in words:
        wanted &= Q(text__iregex=rf"(?<![^\W_]){word}")
    return items.filter(wanted)


def prefixes(words: list[str]) -> str:
    """Return the query of PostgreSQL that asks for all words, or beginnings of words."""
    return " & ".join(f"{word}:*" for word in words)


@contextmanager
def sifted(text: str) -> Iterator[bool]:
    """Have the index of words read first, where the words are rare; says whether they are.

    PostgreSQL takes words to be spread evenly. Those of the last videos alone are not, and to
    look for the first few of them it would read all that stand before.
    """
    words = words_of(text)
    if not words or connection.vendor != "postgresql":
        yield False
        return
    with transaction.atomic(), connection.cursor() as cursor:
        rare = expected(cursor, prefixes(words)) <= SIFTED
        for plan in PLANS if rare else ():
            cursor.execute(f"SET LOCAL {plan} TO off")
        try:
            yield rare
        finally:
            for plan in PLANS if rare and not connection.needs_rollback else ():
                cursor.execute(f"SET LOCAL {plan} TO DEFAULT")


def expected(cursor: Any, query: str) -> int:
    """Return how many items of all benchmarks PostgreSQL expects to hold the words."""
    sql = f"SELECT 1 FROM annotation_item WHERE {holds('text', '%s')}"  # noqa: S608  our own names
    cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}", [query])
    (told,) = cursor.fetchone()
    plan = json.loads(told) if isinstance(told, str) else told
    return int(plan[0]["Plan"]["Plan Rows"])
