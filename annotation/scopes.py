"""What a token may do of all that its account may: permission is scope and verb."""

from collections.abc import Iterable
from enum import StrEnum

from annotation.models import User
from annotation.permissions import Verb, has_permission


class Scope(StrEnum):
    """What an account hands to a program."""

    READ = "read"
    REVIEW = "review"
    EDIT = "edit"
    ADJUDICATE = "adjudicate"
    SUBMIT = "submit"
    RUN = "run"
    MAINTAIN = "maintain"


WORDS: dict[Scope, str] = {
    Scope.READ: "whatever the account may read; changes nothing",
    Scope.REVIEW: "see items, vote, answer, take back",
    Scope.EDIT: "see items, change their text, windows, boxes, categories",
    Scope.ADJUDICATE: "settle keep decisions",
    Scope.SUBMIT: "send predictions, follow and withdraw them",
    Scope.RUN: "see runs and replies; start, pause and cancel them, which spends money",
    Scope.MAINTAIN: "take out the keys and reference answers of a release",
}
# The verbs that a scope lets through. Who administers does so on the pages alone.
VERBS: dict[Scope, frozenset[Verb]] = {
    Scope.READ: frozenset(),
    Scope.REVIEW: frozenset({Verb.REVIEW}),
    Scope.EDIT: frozenset({Verb.REVIEW, Verb.EDIT_ITEM}),
    Scope.ADJUDICATE: frozenset({Verb.REVIEW, Verb.ADJUDICATE}),
    Scope.SUBMIT: frozenset(),
    Scope.RUN: frozenset({Verb.RUN, Verb.SEE_RUNS}),
    Scope.MAINTAIN: frozenset({Verb.REVIEW, Verb.IMPORT}),
}
READABLE = frozenset(Verb) - {Verb.ADMINISTER}


def open_to(user: User) -> list[Scope]:
    """Return the scopes that `user` may give to a token: none wider than the account."""
    return [one for one in Scope if all(has_permission(user, verb) for verb in VERBS[one])]


def verbs_of(scopes: Iterable[str], *, reading: bool) -> frozenset[Verb]:
    """Return the verbs that the scopes let through, all of them for READ where a request only
    reads. A scope that is no longer known lets nothing through."""
    known = [Scope(one) for one in scopes if one in set(Scope)]
    found: frozenset[Verb] = READABLE if reading and Scope.READ in known else frozenset()
    return found.union(*(VERBS[one] for one in known))
