"""The adjudicator's question above an item that was given back."""

from django import template

from annotation.models import Item, ItemVersion
from annotation.queries.returned import Returned, open_question

register = template.Library()


@register.simple_tag
def asked_again(item: Item, version: ItemVersion) -> Returned | None:
    """The question that waits for answers, or None."""
    return open_question(item, version)
