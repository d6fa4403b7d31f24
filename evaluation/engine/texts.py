"""The texts of a call: what the model is asked, what the judge is given."""

import secrets
from collections.abc import Sequence

from annotation.models import ItemVersion
from annotation.models.item import Kind
from evaluation.domain import prompts, rubric
from evaluation.domain.prompts import Asked
from evaluation.engine.plan import Plan


def model_texts(plan: Plan, version: ItemVersion, repeat: int = 0) -> Asked:
    """Return the texts for the contestant."""
    return question_texts(
        version,
        condition=plan.condition,
        prompt_version=plan.prompt_version,
        order=plan.order_of(version, repeat),
        confidence=plan.model.parameters.ask_confidence,
    )


def question_texts(
    version: ItemVersion,
    *,
    condition: str,
    prompt_version: str,
    order: Sequence[int] = (),
    confidence: bool = False,
) -> Asked:
    """Return the texts of a question; options stand in `order`, else the version's own.

    Raises KeyError for a version of the texts that is not known here.
    """
    if version.item.kind == Kind.MCQ:
        shown = [version.options[index] for index in order or version.shown_order]
        return prompts.ask_mcq(
            stem=version.stem,
            shown_options=shown,
            condition=condition,
            version=prompt_version,
            confidence=confidence,
        )
    return prompts.ask_free(stem=version.stem, condition=condition, version=prompt_version)


def judge_texts(plan: Plan, version: ItemVersion, answer: str) -> Asked:
    """Return the texts for the judge, each piece in a fence drawn for this call."""
    return verdict_texts(version, answer, rubric_version=plan.rubric_version)


def verdict_texts(
    version: ItemVersion, answer: str, *, rubric_version: str, fence: str = ""
) -> Asked:
    """Return the texts that a judge is given about `answer`; `fence` is drawn where none is
    given. Raises KeyError for a rubric that is not known here."""
    user = rubric.ask_judge(
        stem=version.stem,
        reference=version.reference_answer,
        ground_truth=version.ground_truth,
        variants=version.accepted_variants,
        reply=answer,
        swapped=rubric.is_swapped(rubric_version),
        fence=fence or secrets.token_hex(12),
    )
    return Asked(rubric.SYSTEM[rubric_version], user)
