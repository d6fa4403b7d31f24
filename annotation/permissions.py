"""Who may do what. Code asks about verbs, never about roles."""

from enum import StrEnum

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied

from annotation.models import Role, User


class Verb(StrEnum):
    """What a person may do."""

    REVIEW = "review"  # see items with their keys, vote, comment
    EDIT_ITEM = "edit_item"  # make new item versions, change windows and ROI boxes
    ADJUDICATE = "adjudicate"  # settle keep decisions, make releases
    IMPORT = "import"  # bring in benchmarks and predictions, export
    RUN = "run"  # start, pause, cancel runs; spend money
    PUBLISH = "publish"  # publish and withdraw leaderboard entries
    SEE_RUNS = "see_runs"  # see runs with per-item replies
    ADMINISTER = "administer"  # accounts, roles, provider keys, prices


REVIEWER = frozenset({Verb.REVIEW, Verb.EDIT_ITEM})
ADJUDICATOR = REVIEWER | {Verb.ADJUDICATE}
MAINTAINER = ADJUDICATOR | {Verb.IMPORT, Verb.RUN, Verb.PUBLISH, Verb.SEE_RUNS}
ADMIN = frozenset(Verb)

VERBS: dict[str, frozenset[Verb]] = {
    Role.NONE: frozenset(),
    Role.REVIEWER: REVIEWER,
    Role.ADJUDICATOR: ADJUDICATOR,
    Role.MAINTAINER: MAINTAINER,
    Role.ADMIN: ADMIN,
}


def has_permission(user: User | AnonymousUser, verb: Verb) -> bool:
    """Say whether `user` may do `verb`. Nobody who is signed out or inactive may; who came with
    a token may only what its scopes let through."""
    if not isinstance(user, User) or not user.is_active:
        return False
    if user.granted is not None and verb not in user.granted:
        return False
    return user.is_superuser or verb in VERBS[user.role]


def require(user: User | AnonymousUser, verb: Verb) -> None:
    """Raise PermissionDenied unless `user` may do `verb`."""
    if not has_permission(user, verb):
        raise PermissionDenied(f"This needs the permission “{verb}”.")


def must_have_second_factor(user: User) -> bool:
    """Say whether SONOVQA_MFA asks `user` for one: nobody, whoever settles what others said
    (adjudicators, maintainers, admins), or everybody."""
    if settings.MFA_REQUIRED == "PRIVILEGED":
        return has_permission(user, Verb.ADJUDICATE)
    return settings.MFA_REQUIRED == "ALL" and user.is_active
