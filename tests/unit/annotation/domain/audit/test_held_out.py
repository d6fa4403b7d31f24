"""Features that no repair touches: what a repair changes must not move them, and what it leaves
must stay found by them."""

from dataclasses import replace

import numpy as np
import pytest

from annotation.domain.audit.features import measures
from annotation.domain.audit.held_out import held_out_design, is_touched, learn_held_out
from annotation.domain.audit.items import Mcq, keyed
from annotation.domain.audit.learned import learn
from annotation.domain.repairs import KINDS, Repairable
from benchmarks.planted import LEAKS, made

BY_NAME = {leak.name: leak for leak in LEAKS}


def planted(name: str) -> list[Mcq]:
    return keyed(made(150, sources=15, seed=11, leak=BY_NAME[name], share=0.6))


def repaired(mcqs: list[Mcq], *kinds: str) -> list[Mcq]:
    """Accept what the repairs of texts propose."""
    found = []
    for mcq in mcqs:
        for kind in kinds:
            seen = Repairable("mcq", tuple(mcq.options), (), mcq.key, 0.0, 9.0, 9.0)
            proposal = KINDS[kind].propose(seen)
            if proposal:
                mcq = replace(mcq, options=tuple(proposal.changes["options"]))
        found.append(mcq)
    return found


def test_repairs_move_no_feature_that_counts_as_untouched() -> None:
    before = planted("without full stop")
    uneven = [
        replace(mcq, options=(mcq.options[0][:1].lower() + mcq.options[0][1:], *mcq.options[1:]))
        if n % 3
        else mcq
        for n, mcq in enumerate(before)
    ]
    after = repaired(uneven, "punctuation", "capitals")
    assert sum(one != other for one, other in zip(uneven, after, strict=True)) > 75
    one, two = (held_out_design(mcqs, measures(mcqs)) for mcqs in (uneven, after))
    assert one.names == two.names and len(one.names) > 50
    assert np.allclose(one.dense, two.dense)
    assert (one.by_row != two.by_row).nnz == 0


def test_the_order_of_options_moves_none_either() -> None:
    before = planted("shortest")
    turn = [2, 0, 3, 1]
    after = [
        replace(mcq, options=tuple(mcq.options[place] for place in turn), key=turn.index(mcq.key))
        for mcq in before
    ]
    one, two = (held_out_design(mcqs, measures(mcqs)) for mcqs in (before, after))
    rows = (4 * np.arange(len(before))[:, None] + turn).ravel()
    assert one.names == two.names
    assert np.allclose(one.dense[rows], two.dense, atol=0.05)  # of rounding, where all but agree
    assert (one.by_row[rows] != two.by_row).nnz == 0


@pytest.mark.parametrize(
    ("leak", "falls", "stays"), [("without full stop", True, False), ("shortest", False, True)]
)
def test_hiding_what_the_audit_looks_at_does_not_satisfy_it(
    leak: str, falls: bool, stays: bool
) -> None:
    before = planted(leak)
    after = repaired(before, "punctuation", "capitals")
    found, then = (learn(mcqs, refits=1).estimate.mean for mcqs in (before, after))
    assert found > 0.45 and (then < 0.4) == falls
    held_out = learn_held_out(after, measures(after)).estimate.mean
    assert (held_out > 0.45) == stays


def test_what_counts_as_touched() -> None:
    touched = ("full stop", "most capitals", "least letter a", "place 0", "last sign .")
    assert all(map(is_touched, touched))
    assert not any(map(is_touched, ("words", "least characters", "stem words", "word gently")))
