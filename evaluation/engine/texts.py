"""The texts of a call: what the model is asked, what the judge is given."""

import secrets

from annotation.models import ItemVersion
from annotation.models.item import Kind
from evaluation.domain import prompts, rubric
from evaluation.domain.prompts import Asked
from evaluation.engine.plan import Plan


def model_texts(plan: Plan, version: ItemVersion) -> Asked:
    """Return the texts for the contestant; options stand in the version's shown order."""
    if version.item.kind == Kind.MCQ:
        shown = [version.options[index] for index in version.shown_order]
        return prompts.ask_mcq(
            stem=version.stem,
            shown_options=shown,
            condition=plan.condition,
            version=plan.prompt_version,
        )
    return prompts.ask_free(
        stem=version.stem, condition=plan.condition, version=plan.prompt_version
    )


def judge_texts(plan: Plan, version: ItemVersion, answer: str) -> Asked:
    """Return the texts for the judge, each piece in a fence drawn for this call."""
    user = rubric.ask_judge(
        stem=version.stem,
        reference=version.reference_answer,
        ground_truth=version.ground_truth,
        variants=version.accepted_variants,
        reply=answer,
        fence=secrets.token_hex(12),
    )
    return Asked(rubric.SYSTEM[plan.rubric_version], user)
