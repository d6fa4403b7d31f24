import numpy as np
import pytest
from statsmodels.stats.weightstats import DescrStatsW

from annotation.domain import shortcuts
from annotation.domain.audit.items import keyed
from annotation.domain.audit.learned import NothingToLearn, learn
from benchmarks.planted import LEAKS, made
from tests.unit.annotation.domain.audit.made import mcq

BY_NAME = {leak.name: leak for leak in LEAKS}


def planted(name, seed=11, items=150):
    return keyed(made(items, sources=15, seed=seed, leak=BY_NAME[name], share=0.6))


@pytest.mark.parametrize("name", ["shortest", "without full stop", "spelling", "cycle of places"])
def test_a_planted_leak_is_found(name):
    found = learn(planted(name), refits=19)
    assert found.p == 0.05
    assert found.estimate.mean > 0.45
    assert found.null[1] < 0.45


def test_half_of_the_leaks_of_the_measurement_are_of_kinds_without_a_rule():
    assert sum(not leak.known for leak in LEAKS) == len(LEAKS) / 2 == 10


def test_a_planted_leak_alone_is_right_in_the_share_asked_for():
    items = made(250, seed=2, leak=BY_NAME["shortest"], share=0.45)
    right = sum(shortcuts.shortest(item.options) == item.key_index for item in items)
    assert right == 112


def test_without_a_leak_the_p_values_are_not_small_too_often():
    ps = [learn(keyed(made(80, sources=8, seed=40 + n)), refits=19).p for n in range(12)]
    assert sum(p <= 0.05 for p in ps) <= 3
    assert np.mean(ps) > 0.3


def test_a_leak_of_one_source_is_no_leak_elsewhere():
    """What sets the keys of one source apart cannot be used on others, so it does not count."""
    items = made(120, sources=12, seed=6)
    places = {f"source {n}": n % 4 for n in range(12)}
    own = [mcq(**{**_fields(item), "key_index": places[item.source]}) for item in items]
    assert learn(keyed(own), refits=19).estimate.mean < 0.4


def _fields(item):
    return {name: getattr(item, name) for name in item.__slots__}


def test_it_can_be_repeated_and_says_what_it_rests_on():
    mcqs = planted("shortest", items=80)
    one, two = learn(mcqs, refits=9), learn(mcqs, refits=9)
    assert (one.estimate, one.p, one.null) == (two.estimate, two.p, two.null)
    assert (one.estimate.n, one.estimate.clusters, one.folds, one.refits) == (80, 15, 15, 9)
    assert one.strongest[0][0] in {"least characters", "rank 0 by characters", "characters"}
    assert set(np.unique(one.outcome.found)) <= {0, 0.25, 0.5, 1}
    assert one.outcome.confidence.min() >= 0.25 - 1e-9
    assert one.estimate.mean == pytest.approx(DescrStatsW(one.outcome.found).mean)


def test_nothing_to_learn_is_a_sentence():
    with pytest.raises(NothingToLearn, match="no kept MCQ"):
        learn([])
    with pytest.raises(NothingToLearn, match="one source"):
        learn(keyed([mcq(), mcq(pk=2)]))


@pytest.mark.parametrize("key", [0, 3])
def test_one_class_only_is_learned_as_a_leak(key):
    mcqs = keyed([mcq(pk=n, source=f"s{n}", key_index=key) for n in range(40)])
    found = learn(mcqs, refits=19)
    assert found.estimate.mean == 1
    assert found.p == 0.05


def test_two_items_of_two_sources_are_no_crash():
    found = learn(keyed([mcq(), mcq(pk=2, source="s2")]), refits=5)
    assert found.estimate.mean == 0.25
    assert found.p == 1


def test_unequal_numbers_of_options():
    mcqs = keyed(
        [
            mcq(
                pk=n,
                source=f"s{n % 9}",
                options=tuple(f"Option {'x' * place}{n}" for place in range(2 + n % 4)),
                key_index=0,
            )
            for n in range(60)
        ]
    )
    assert learn(mcqs, refits=5).estimate.mean > 0.95
