"""Returns an item to its readers with a question, and takes an adjudicator's decision back."""

from django.db import transaction

from annotation.actions.items import put_current
from annotation.actions.locked import lock, stale
from annotation.actions.reviews import UNDO_DECISION, VOTE_VERBS, base_decision, decision_json
from annotation.actions.trail import record
from annotation.actions.versions import build_version, content_of
from annotation.domain.decisions import Decision, decide
from annotation.domain.edits import BadEdit, is_clean
from annotation.models import Item, ItemVersion, Revision, User
from annotation.permissions import Verb, require
from annotation.queries.returned import OPENING
from annotation.queries.standing import standing_verdicts

QUESTION_LIMIT = 480  # characters; the version's reason holds it with its opening
DECISION_VERBS = ("adjudicate", "return_item")


class UndoRefused(ValueError):
    """A decision cannot be taken back; the message says why, in one sentence."""


@transaction.atomic
def return_item(*, item_id: int, version_number: int, question: str, by: User) -> ItemVersion:
    """Open an item again and ask its readers `question`: everybody votes anew, blind.

    Makes a version of equal content, so that the votes until now count no longer but stay;
    its digests are those of the version before, and models' answers stay valid. The same
    return sent again changes nothing.

    Raises PermissionDenied, Item.DoesNotExist, BadEdit for an empty or overlong question,
    StaleVersion.
    """
    require(by, Verb.ADJUDICATE)
    question = question.strip()
    if not question or not is_clean(question, QUESTION_LIMIT):
        raise BadEdit({"question": f"must be text of 1 to {QUESTION_LIMIT} characters"})
    item, current = lock(item_id)
    if version_number != current.number:
        if version_number + 1 == current.number and is_returned(current, question, by):
            return current  # sent again: the answer to the first was lost on the way
        raise stale(current, version_number, {"question": question, "version": version_number})
    before = Decision(item.state, item.keep, item.keep_source)
    version = same_again(item, current, reason=OPENING + question, by=by)
    put_current(item, version, was=current, reopen=True)
    record(
        by=by,
        verb="return_item",
        target_kind="item",
        target_id=item.pk,
        benchmark_id=item.benchmark_id,
        before=decision_json(before)
        | {"version": current.number, "votes_since": current.votes_since},
        after={"version": version.number},
        reason=question,
    )
    return version


def is_returned(version: ItemVersion, question: str, by: User) -> bool:
    """Whether `version` was made by `by` returning the item with this question."""
    return Revision.objects.filter(
        target_kind="item",
        target_id=version.item_id,
        verb="return_item",
        actor=by.pseudonym,
        reason=question,
        after__version=version.number,
    ).exists()


def same_again(
    item: Item, current: ItemVersion, *, reason: str, by: User, votes_since: int | None = None
) -> ItemVersion:
    """Store a version of the same content; `votes_since` as in `build_version`."""
    version = build_version(
        item,
        item.video,
        content_of(current),
        number=current.number + 1,
        by=by,
        reason=reason,
        votes_since=votes_since,
    )
    version.save()
    return version


@transaction.atomic
def undo_decision(*, revision_id: int, by: User) -> Item:
    """Take back a decision of `by`: the item is again what its votes come to.

    After a return the votes from before it count again; those cast since stand above them.

    Raises PermissionDenied, Revision.DoesNotExist where `by` took no such decision, and
    UndoRefused where the item was changed or decided since.
    """
    require(by, Verb.ADJUDICATE)
    decision = Revision.objects.get(
        pk=revision_id, target_kind="item", verb__in=DECISION_VERBS, actor=by.pseudonym
    )
    return take_back(decision, by=by)


def take_back(decision: Revision, *, by: User) -> Item:
    """Take back a decision, whoever took it, within the transaction of the caller.

    Raises UndoRefused where the item was changed or decided since.
    """
    item, current = lock(decision.target_id)
    since = Revision.objects.filter(target_kind="item", target_id=item.pk, pk__gt=decision.pk)
    if since.exclude(verb__in=VOTE_VERBS).exists():
        raise UndoRefused("The item was changed or decided since, so this stays as it is.")
    before = Decision(item.state, item.keep, item.keep_source)
    if decision.verb == "return_item":
        votes_since = decision.before["votes_since"]
        version = same_again(
            item, current, reason="Return taken back", by=by, votes_since=votes_since
        )
        put_current(item, version, was=current, reopen=True)
    settle_again(item, decision)
    record(
        by=by,
        verb=UNDO_DECISION,
        target_kind="item",
        target_id=item.pk,
        benchmark_id=item.benchmark_id,
        before=decision_json(before),
        after={
            "state": item.state,
            "keep": item.keep,
            "keep_source": item.keep_source,
            "revision": decision.pk,
            "undone": decision.verb,
        },
    )
    return item


def settle_again(item: Item, decision: Revision) -> None:
    """Write what the standing votes come to over what stood before `decision`."""
    was = decision.before
    below = Decision(was["state"], was["keep"], was["keep_source"])
    below = base_decision(item, below, until=decision.pk)
    votes_required = item.benchmark.votes_required
    after = decide(standing_verdicts(item), votes_required=votes_required, base=below)
    item.state, item.keep, item.keep_source = after.state, after.keep, after.source
    item.save(update_fields=["state", "keep", "keep_source"])
