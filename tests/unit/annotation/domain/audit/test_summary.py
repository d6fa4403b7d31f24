"""An audit's report in one sentence."""

import pytest

from annotation.domain.audit.summary import FEW, verdict


def report(n: int, p: float) -> dict:
    return {"chance": 0.25, "learned": {"accuracy": 0.31, "n": n, "p": p}}


@pytest.mark.parametrize(
    ("n", "p", "said"),
    [
        (FEW, 0.4, "No leak was found"),
        (FEW - 1, 0.4, f"{FEW - 1} MCQs are too few to tell"),
        (FEW - 1, 0.02, "can be found without any video"),
        (FEW, 0.02, "can be found without any video"),
    ],
)
def test_a_leak_is_told_at_any_size_and_its_absence_only_where_it_means_something(
    n: int, p: float, said: str
) -> None:
    assert said in verdict(report(n, p))
    assert ("No leak" in verdict(report(n, p))) == said.startswith("No leak")
