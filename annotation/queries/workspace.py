"""Everything that the review page of one item shows to one reader."""

import uuid
from dataclasses import dataclass, replace
from typing import Any

from annotation.actions.versions import as_json
from annotation.domain.question_texts import KNOWN_TYPES, letter, type_label
from annotation.models import Benchmark, Item, ItemVersion, User
from annotation.models.item import ItemState
from annotation.models.review import DropReason, SkipReason
from annotation.queries.answering import (
    Answering,
    answering,
    is_right,
    others_answers,
    shown_letter,
)
from annotation.queries.counts import reviewed_count
from annotation.queries.edit_hints import others_editing
from annotation.queries.event_log import event_log
from annotation.queries.history import LABELS, VersionLine, history, key_since, roi_pixels
from annotation.queries.order import Neighbours, neighbours
from annotation.queries.pace import own_pace
from annotation.queries.queue import LOOKS, Filter, Queue, entries, queue
from annotation.queries.round_place import RoundPlace, round_neighbours, round_place
from annotation.queries.round_queue import round_column, round_tally, share
from annotation.queries.stage import stage_data
from annotation.queries.threads import threads_of
from annotation.queries.unplayable import left_unplayable
from annotation.queries.votes import SeenVote, Votes, votes_seen_by
from annotation.queries.withheld import reports_of, withheld_player

TYPES_OFFERED = 30


@dataclass(frozen=True)
class ShownOption:
    """An option at its place in the shown order; `index` is its place in the store."""

    letter: str
    text: str
    is_key: bool
    index: int


def find_item(slug: str, item_id: int) -> Item:
    """Return an item of the benchmark called `slug` with its video, source and current version.

    Raises Item.DoesNotExist.
    """
    return Item.objects.select_related("video__source", "current", "benchmark").get(
        pk=item_id, benchmark__slug=slug, current__isnull=False
    )


def shown_options(version: ItemVersion, *, sealed: bool = False) -> list[ShownOption]:
    """Return the options as they are shown; none is the key while that is sealed."""
    return [
        ShownOption(
            letter(place),
            version.options[index],
            not sealed and index == version.key_index,
            index,
        )
        for place, index in enumerate(version.shown_order)
    ]


def item_panel(user: User, item: Item, wanted: Filter) -> dict[str, Any]:
    """Return the context of the item column: text, facts, votes, where to go next.

    While the reader has to answer first, `answering.sealed`, what tells the key is not in it.
    """
    version = item.current
    assert version is not None  # noqa: S101  find_item gives none without
    stands = answering(user, item)
    source = item.video.source
    votes = votes_seen_by(user, item)
    at = round_place(user, item, benchmark=item.benchmark)
    own = (at and at.own) or votes.own
    if at is not None and at.is_blind:
        stands = replace(stands, own=None)
    options = shown_options(version, sealed=stands.sealed)
    return {
        "item": item,
        "version": version,
        "label": entries([item], {})[0],
        "options": options,
        "type": type_label(version.question_type),
        "answering": stands,
        "roi": roi_pixels(version, source.width, source.height),
        "votes": votes,
        "at": at,
        "own": own,
        "look": LOOKS[own_state(own, item)],
        "window_length": version.end - version.start,
        "go": ways(user, item, wanted, at),
        "reasons": DropReason.choices,
        "skip_reasons": SkipReason.choices,
        "filter": wanted,
        "threads": [] if stands.sealed else threads_of(user, item, voted=votes.own is not None),
        "others_editing": others_editing(user, item.pk),
        "new_id": uuid.uuid4,  # called for each form: sending one twice stores it once
    } | ({} if stands.sealed else opened(user, item, options, stands, votes))


def opened(
    user: User, item: Item, options: list[ShownOption], stands: Answering, votes: Votes
) -> dict[str, Any]:
    """Return what tells the key, for readers from whom it is not sealed."""
    version = item.current
    assert version is not None  # noqa: S101  find_item gives none without
    lines = history(item)
    return {
        "key": next((option for option in options if option.is_key), None),
        "history": lines,
        "key_since": key_since(lines),
        "edit_data": edit_data(item, version, lines),
        "own_letter": shown_letter(version, stands.own.option_index) if stands.own else "",
        "answer_right": is_right(stands.own, version) if stands.own else None,
        "others_answers": others_answers(user, item, version) if votes.own else None,
    }


def own_state(own: SeenVote | None, item: Item) -> str:
    """Return the state of `item` in the eyes of the reader whose vote is given."""
    if own is None:
        return "todo"
    return "disagreement" if item.state == ItemState.DISAGREEMENT else own.state


def ways(user: User, item: Item, wanted: Filter, at: RoundPlace | None) -> Neighbours:
    """Return where to go from an item: through the reader's round, or through what they filter.

    In a round the next item is claimed when it is asked for, so it has no id here.
    """
    if at is None or wanted.is_narrow:
        return neighbours(user, item.benchmark, item, wanted)
    return Neighbours(*round_neighbours(user, at), open=None)


def edit_data(item: Item, version: ItemVersion, lines: list[VersionLine]) -> dict[str, Any]:
    """Return what the edit form starts from: the content as stored, types to choose from, and
    who last changed each field."""
    used = Item.objects.filter(video=item.video).order_by("question_type")
    types = used.values_list("question_type", flat=True).distinct()[:TYPES_OFFERED]
    return {
        "item": item.pk,
        "kind": item.kind,
        **as_json(version),
        "video": item.video_id,
        "category": item.video.category,
        "box": {"x": version.roi_x, "y": version.roi_y, "w": version.roi_w, "h": version.roi_h},
        "blame": blame_of(lines),
        "types": sorted({*KNOWN_TYPES, *types} - {""}),
    }


def blame_of(lines: list[VersionLine]) -> dict[str, dict[str, Any]]:
    """Return for each field the version that last changed it: its number, author and time."""
    found = {}
    for field, label in LABELS.items():
        changed = (line for line in lines if any(one.label == label for one in line.changes))
        line = next(changed, lines[-1])
        found[field] = {"version": line.number, "by": line.author, "at": line.at.isoformat()}
    return found


def workspace(user: User, item: Item, wanted: Filter) -> dict[str, Any]:
    """Return the context of the whole page; the number of queries does not grow."""
    panel = item_panel(user, item, wanted)
    withheld = withheld_player(item.video)
    log = event_log(user, item, panel["answering"])
    return (
        panel
        | {
            "benchmark": item.benchmark,
            "video": item.video,
            "withheld": withheld,
            "unplayable": left_unplayable(user, item.video, withheld=withheld is not None),
            "reports": reports_of(withheld) if withheld else [],
            "stage_data": None if withheld else stage_data(item, panel["version"], log),
        }
        | beside(user, item, wanted, panel["at"], panel["go"].found)
    )


def beside(
    user: User,
    item: Item,
    wanted: Filter,
    at: RoundPlace | None,
    found: list[int] | None = None,
) -> dict[str, Any]:
    """Return what stands beside an item: the queue of the reader's round or of the benchmark,
    how far they are, and their pace; `found` as in `queue`."""
    if at is not None and not wanted.is_narrow:
        column = round_column(user, at.reader)
        pace = own_pace(user, item.benchmark, items_left=column.rest.left)
        return {"column": column, "tally": round_tally(column), "pace": pace}
    listed = queue(user, item.benchmark, item, wanted, found)
    return {
        "queue": listed,
        "tally": tally(listed, item.benchmark),
        "pace": own_pace(user, item.benchmark, items_left=listed.counts["todo"]),
    }


def tally(listed: Queue, benchmark: Benchmark) -> dict[str, Any]:
    """Return how far the reader is, and everybody together: items with a standing vote."""
    total = listed.counts["all"]
    everyone = reviewed_count(benchmark, items=total)
    return {
        "you": listed.done,
        "you_total": total,
        "you_share": share(listed.done, total),
        "everyone": everyone,
        "everyone_total": total,
        "everyone_share": share(everyone, total),
    }
