"""Whether a reader has to answer an item before its key may be shown, and what was answered.

An item is sealed for a reader who answers first: by the own switch, or because an open round
asks for it. The seal opens with the reader's answer and stays open for who was shown the key
of this wording before. While it is shut nothing that tells the key leaves the server.
"""

from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from annotation.domain.question_texts import letter
from annotation.models import (
    Answer,
    Item,
    ItemVersion,
    KeySight,
    RoundItem,
    RoundReader,
    User,
    Video,
)
from annotation.models.round import RoundMode, RoundState
from annotation.queries.compiled import Compiled, Given
from annotation.queries.standing import fresh

# What the item asks now: a cosmetic edit asks the same, and so does a version of equal text.
ABOUT_NOW = Q(item_version__number__gte=F("item__current__votes_since")) | Q(
    item_version__text_digest=F("item__current__text_digest")
)


@dataclass(frozen=True)
class Answering:
    """How one reader stands to one item. `anywhere`: the reader answers some items first;
    `wanted`: this one too; `demanded`: since a round asks for it."""

    anywhere: bool
    wanted: bool
    demanded: bool
    sealed: bool
    own: Answer | None


def answers_asked(user: User) -> QuerySet[RoundItem]:
    """Return the places of items in the open rounds that ask `user` to answer first."""
    return RoundItem.objects.filter(
        round__state=RoundState.OPEN, round__mode=RoundMode.ANSWER, round__readers__reader=user
    )


def standing_answers() -> QuerySet[Answer]:
    """Answers that were not taken back, about what their items say now, the latest last."""
    answers = Answer.objects.filter(ABOUT_NOW, undone_at__isnull=True)
    return answers.order_by("created_at", "id")


def sights() -> QuerySet[KeySight]:
    """Sights of keys that items have now."""
    return KeySight.objects.filter(ABOUT_NOW)


def was_shown_key(user: User, item_id: int) -> bool:
    """Say whether the key of what the item says now was shown to `user`; one query."""
    return SIGHT.first(user=user.pk, item=item_id) is not None


def answering(user: User, item: Item) -> Answering:
    """Return how `user` stands to `item`; two queries where they answer nothing first, at most
    five."""
    rounds = ROUNDS.first(user=user.pk) is not None
    demanded = rounds and answers_asked(user).filter(item=item).exists()
    own = standing_answers().filter(reader=user, item=item).last()
    wanted = user.answers_first or demanded
    sealed = wanted and own is None and not has_seen_key(user, item.pk)
    return Answering(user.answers_first or rounds, wanted, demanded, sealed, own)


def answer_rounds(user: Given) -> QuerySet[RoundReader, Any]:
    seats = RoundReader.objects.filter(
        reader=user, round__state=RoundState.OPEN, round__mode=RoundMode.ANSWER
    )
    return seats.values_list("pk")[:1]


ROUNDS = Compiled(answer_rounds)
SIGHT = Compiled(lambda user, item: sights().filter(reader=user, item=item).values_list("pk")[:1])


def has_seen_key(user: User, item_id: int) -> bool:
    """Say whether the key of what the item says now was shown to `user`, or voted on."""
    return was_shown_key(user, item_id) or fresh().filter(reviewer=user, item_id=item_id).exists()


def is_sealed(user: User, item_id: int) -> bool:
    """Say whether `user` has to answer the item before anything that tells its key."""
    item = Item.objects.only("pk").filter(pk=item_id).first()
    return item is not None and answering(user, item).sealed


def sealed_items(user: User, video: Video) -> QuerySet[Item]:
    """Return the items of `video` that are sealed for `user`."""
    return sealed_among(user, Item.objects.filter(video=video, current__isnull=False))


def sealed_among(user: User, items: QuerySet[Item]) -> QuerySet[Item]:
    """Return those of `items` that are sealed for `user`, in no order."""
    items = items.order_by()
    if not user.answers_first:
        items = items.filter(pk__in=answers_asked(user).values("item_id"))
    here = OuterRef("pk")
    return items.exclude(
        Exists(standing_answers().filter(reader=user, item=here).order_by())
        | Exists(sights().filter(reader=user, item=here))
        | Exists(fresh().filter(reviewer=user, item=here).order_by())
    )


def is_right(answer: Answer, version: ItemVersion) -> bool | None:
    """Say whether an MCQ's answer names its key; None for a free response."""
    if version.key_index is None:
        return None
    return answer.option_index == version.key_index


def shown_letter(version: ItemVersion, option_index: int | None) -> str:
    """Return the letter under which an option is shown, "" without one."""
    if option_index is None or option_index not in version.shown_order:
        return ""
    return letter(version.shown_order.index(option_index))


@dataclass(frozen=True)
class OthersAnswers:
    """What other readers answered to an item as it is now, from the clip alone.

    `by_option` maps an index into the options to how many chose it; `texts` are free responses.
    """

    by_option: dict[int, int]
    texts: tuple[str, ...]
    could_not_tell: int
    right: int

    @property
    def total(self) -> int:
        return sum(self.by_option.values()) + len(self.texts) + self.could_not_tell


def others_answers(user: User, item: Item, version: ItemVersion) -> OthersAnswers:
    """Return other readers' latest answers to `item`; for who has voted alone. One query."""
    rows = standing_answers().filter(item=item, key_seen_before=False).exclude(reader=user)
    answers = {row.reader_id: row for row in rows}.values()
    by_option: dict[int, int] = {}
    for answer in answers:
        if answer.option_index is not None:
            by_option[answer.option_index] = by_option.get(answer.option_index, 0) + 1
    return OthersAnswers(
        by_option,
        tuple(answer.text for answer in answers if answer.text),
        sum(answer.could_not_tell for answer in answers),
        sum(is_right(answer, version) or False for answer in answers),
    )


def answer_data(answer: Answer) -> dict[str, Any]:
    """Return an answer as JSON, for its own reader."""
    return {
        "id": str(answer.pk),
        "option_index": answer.option_index,
        "text": answer.text,
        "could_not_tell": answer.could_not_tell,
    }
