"""Who chose an option: the reader, and how many others."""

from django import template

from annotation.queries.answering import OthersAnswers

register = template.Library()


@register.filter
def chosen_by_others(answers: OthersAnswers | None, option_index: int) -> int:
    """Return how many readers chose the option; 0 where their answers are not shown."""
    return answers.by_option.get(option_index, 0) if answers else 0


@register.filter
def same_option(own: object, option_index: int) -> bool:
    """Say whether the reader chose this option; no answer is not the first option."""
    return isinstance(own, int) and own == option_index
