"""Stated confidence: reading it, and checks of its figures against scikit-learn."""

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss

from evaluation.domain.confidence import SENTENCE, calibration, read_confidence
from evaluation.domain.mcq import read_reply
from evaluation.domain.parameters import BadParameters, read_parameters
from evaluation.domain.prompts import ask_mcq


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("Answer: B\nBecause.\nConfidence: 85 %", 0.85),
        ("Answer: B\nConfidence: 85%", 0.85),
        ("Answer: B\n**Confidence:** 85 %", 0.85),
        ("Confidence: 40 %\nOn second thoughts, Confidence: 60 %.", 0.6),
        ("confidence is 0.7", 0.7),
        ("Confidence = 0,25", 0.25),
        ("Confidence: 90", 0.9),
        ("Confidence: 100 %", 1.0),
        ("Confidence: 0 %", 0.0),
        ("Confidence: 1 %", 0.01),
        ("Confidence: 1", None),
        ("Confidence: 101 %", None),
        ("Confidence: 999", None),
        ("Confidence: high", None),
        ("Overconfidence: 5 %", None),
        ("Confidence: " + "9" * 400, None),
        ("Confidence: 1e999", None),
        ("A", None),
        ("", None),
    ],
)
def test_what_a_reply_says_of_itself(reply: str, said: float | None) -> None:
    assert read_confidence(reply) == said


def test_figures_agree_with_scikit_learn_and_a_worked_example() -> None:
    draw = np.random.default_rng(5)
    said, right = draw.random(2_000), draw.random(2_000) < 0.6
    found = calibration(said.tolist(), right.tolist())
    assert found is not None
    assert found.brier == pytest.approx(brier_score_loss(right, said), abs=1e-12)
    # Ten said 0.9 of which 6 right, ten said 0.2 of which 3 right: (10·0.3 + 10·0.1) / 20.
    worked = calibration(
        [0.9] * 10 + [0.2] * 10, [True] * 6 + [False] * 4 + [True] * 3 + [False] * 7
    )
    assert worked is not None and worked.ece == pytest.approx(0.2)
    assert calibration([], []) is None


def test_a_model_that_knows_itself_has_no_error_but_chance() -> None:
    draw = np.random.default_rng(6)
    said = draw.random(200_000)
    found = calibration(said.tolist(), (draw.random(200_000) < said).tolist())
    assert found is not None and found.ece < 0.01 and abs(found.brier - 1 / 6) < 0.01


def test_it_is_asked_in_the_prompt_and_does_not_disturb_the_answer() -> None:
    asked = {"stem": "Why?", "shown_options": ["Gas.", "Bone."], "condition": "blind"}
    plain, sure = ask_mcq(**asked), ask_mcq(**asked, confidence=True)
    assert sure.user == f"{plain.user}\n\n{SENTENCE}"
    assert read_reply("Answer: B\nBone shadows.\nConfidence: 80 %", 2).index == 1
    assert read_parameters({"ask_confidence": True}).ask_confidence
    with pytest.raises(BadParameters):
        read_parameters({"ask_confidence": "yes"})
