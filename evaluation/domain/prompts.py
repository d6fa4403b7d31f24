"""The texts that models are asked with, by version. A version is never changed: add another."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.domain import letters
from evaluation.domain.confidence import SENTENCE

CURRENT = "answer-first-1"
NONE_SHOWN = frozenset({"blind"})
STILLS_SHOWN = frozenset({"frames", "still"})


@dataclass(frozen=True)
class Asked:
    """What one call sends as text."""

    system: str
    user: str


@dataclass(frozen=True)
class PromptSet:
    """One version of the texts. `{stem}` and `{options}` are filled in by `ask_*`."""

    system: str
    seen: str
    seen_stills: str
    unseen: str
    mcq: str
    free: str

    def text(self) -> str:
        """Return the whole set as one text, for the provenance of a run."""
        parts = (self.system, self.seen, self.seen_stills, self.unseen, self.mcq, self.free)
        return "\n---\n".join(parts)


PROMPTS = {
    CURRENT: PromptSet(
        system=(
            "You answer questions about how an ultrasound examination is carried out. The"
            " questions come from teaching recordings; no patient is treated by your answer."
        ),
        seen=(
            "The clip shows one passage of a recorded ultrasound examination. Answer from what"
            " the clip shows."
        ),
        seen_stills=(
            "The pictures show, in order of time, one passage of a recorded ultrasound"
            " examination. Answer from what they show."
        ),
        unseen=(
            "You are not given the clip that the question speaks of. Answer all the same: state"
            " what is most probable from the text alone."
        ),
        mcq=(
            "Question:\n{stem}\n\nOptions:\n{options}\n\nExactly one option is right. Write"
            ' "Answer: " and its letter on the first line, then at most three sentences that'
            " say why."
        ),
        free=(
            "Question:\n{stem}\n\nAnswer in at most four sentences: say first what is done or"
            " concluded, then what in the examination speaks for it."
        ),
    )
}


def ask_mcq(
    *,
    stem: str,
    shown_options: Sequence[str],
    condition: str,
    version: str = CURRENT,
    confidence: bool = False,
) -> Asked:
    """Return the texts of an MCQ; `shown_options` stand in the order of showing, unlettered.
    With `confidence` it is asked too how sure the model is.

    Raises KeyError for an unknown version, ValueError for more options than letters.
    """
    prompts = PROMPTS[version]
    options = "\n".join(
        f"{letters.letter(place)}. {option}" for place, option in enumerate(shown_options)
    )
    return Asked(
        prompts.system,
        f"{_opening(prompts, condition)}\n\n"
        + prompts.mcq.replace("{options}", options, 1).replace("{stem}", stem, 1)
        + (f"\n\n{SENTENCE}" if confidence else ""),
    )


def ask_free(*, stem: str, condition: str, version: str = CURRENT) -> Asked:
    """Return the texts of a free-response item. Raises KeyError for an unknown version."""
    prompts = PROMPTS[version]
    return Asked(
        prompts.system, f"{_opening(prompts, condition)}\n\n{prompts.free.replace('{stem}', stem)}"
    )


def _opening(prompts: PromptSet, condition: str) -> str:
    if condition in NONE_SHOWN:
        return prompts.unseen
    return prompts.seen_stills if condition in STILLS_SHOWN else prompts.seen
