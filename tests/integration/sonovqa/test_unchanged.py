"""What was made from the database is found again only while nothing was committed since."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection, transaction

from annotation.models import Benchmark
from sonovqa.unchanged import Mark, Unchanged, mark
from tests import factories
from tests.quiet import in_a_quiet_moment


@pytest.fixture
def bench(transactional_db: None) -> Benchmark:
    made: Benchmark = factories.benchmark(slug="bench")
    return made


@pytest.fixture
def elsewhere() -> Iterator[Any]:
    """Run what it is given over a connection of its own."""
    with ThreadPoolExecutor(1) as pool:
        yield lambda work: pool.submit(work).result(30)
        pool.submit(lambda: connection.close()).result(30)


def rename(name: str) -> int:
    return Benchmark.objects.update(name=name)


def test_each_commit_makes_another_mark(bench: Benchmark, elsewhere: Any) -> None:
    seen = [mark()]
    assert seen[0] is not None and in_a_quiet_moment(lambda: mark() == mark())
    rename("Mine")
    seen.append(mark())
    elsewhere(lambda: rename("Yours"))
    seen.append(mark())
    with transaction.atomic():
        Benchmark.objects.create(slug="second", name="Second")
    seen.append(mark())
    Benchmark.objects.filter(slug="second").delete()
    seen.append(mark())
    assert len({one for one in seen if one}) == len(seen)
    assert in_a_quiet_moment(lambda: mark() == mark())


def test_a_transaction_that_began_before_counts_when_it_is_committed(
    bench: Benchmark, elsewhere: Any
) -> None:
    def begin() -> None:
        connection.set_autocommit(False)
        rename("Late")

    def end() -> None:
        connection.commit()
        connection.set_autocommit(True)

    elsewhere(begin)
    before = mark()
    assert Benchmark.objects.get().name != "Late"
    assert in_a_quiet_moment(lambda: mark() == mark())
    elsewhere(end)
    assert Benchmark.objects.get().name == "Late" and mark() != before


def test_there_is_no_mark_within_a_transaction(bench: Benchmark) -> None:
    with transaction.atomic():
        rename("Not yet")
        assert mark() is None
    assert mark() is not None


def test_connections_are_not_taken_for_one_another(bench: Benchmark, elsewhere: Any) -> None:
    kept: Unchanged[str] = Unchanged(8)
    shared = connection.vendor == "postgresql"

    def found_there() -> bool:
        kept.put("name", mark(), "made here")
        return kept.get("name", elsewhere(mark)) == ("made here" if shared else None)

    assert in_a_quiet_moment(found_there)
    theirs = elsewhere(mark)
    assert (theirs.reader == 0) == shared
    elsewhere(lambda: connection.close())
    assert shared or elsewhere(mark) != theirs, "another connection, though it has its number"


@pytest.mark.sqlite
def test_only_so_much_is_kept() -> None:
    kept: Unchanged[int] = Unchanged(2)
    now = Mark(0, ("same",))
    for number in range(3):
        kept.put(number, now, number)
        kept.get(1, now)
    assert [kept.get(number, now) for number in range(3)] == [None, 1, 2]
    kept.put("later", None, 4)
    assert kept.get("later", None) is None
    assert kept.get(1, Mark(0, ("other",))) is None
