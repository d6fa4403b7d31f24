"""Orders of a round: seeded, different for each reader, with second looks in their share."""

from itertools import pairwise

from annotation.domain.round_order import comes_back, gap, rank, shuffled, start_of


def test_a_seed_gives_one_order():
    things = list(range(100))
    assert shuffled(things, seed=1) == shuffled(things, seed=1)
    assert shuffled(things, seed=1) != shuffled(things, seed=2)
    assert sorted(shuffled(things, seed=1)) == things


def test_readers_start_far_apart():
    starts = sorted(start_of(reader, size=1000, seed=5) for reader in range(8))
    gaps = [after - before for before, after in pairwise(starts)]
    assert min(gaps) > 1000 / 8 / 3
    assert all(0 <= start < 1000 for start in starts)
    assert start_of(3, size=0, seed=5) == 0


def test_readers_have_orders_of_their_own():
    orders = [
        sorted(range(64), key=lambda place: rank(place, seed=9, reader=reader))
        for reader in range(5)
    ]
    assert len({tuple(order) for order in orders}) == 5


def test_a_share_of_the_items_comes_back():
    back = [comes_back(place, seed=3, reader=1, share=0.2) for place in range(5000)]
    assert 0.18 < sum(back) / len(back) < 0.22
    assert not any(comes_back(place, seed=3, reader=1, share=0.0) for place in range(500))


def test_the_gap_grows_with_the_round_within_bounds():
    assert [gap(size) for size in (1, 20, 100, 10_000)] == [3, 4, 20, 30]
