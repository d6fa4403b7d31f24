"""What every page's frame needs: theme, what the reader may do, initials."""

import json
from functools import cached_property

from django.http import HttpRequest

from annotation.domain import key_map
from annotation.models import User
from annotation.models.account import Theme
from annotation.permissions import Verb, has_permission
from annotation.queries.threads import waiting_for

THEME_COOKIE = "sonovqa_theme"
# What is served beside the review rooms: pages of people, invitations and the own account.
OUTSIDE = ("/invitation/", "/people/", "/account/")


class May:
    """`may.review` in a template: whether the reader of the page may do that verb."""

    def __init__(self, request: HttpRequest) -> None:
        self.request = request

    def __getitem__(self, verb: str) -> bool:
        user = getattr(self.request, "user", None)
        return user is not None and has_permission(user, Verb(verb))


class Asked:
    """`asked.count` in a template: open threads that wait for the reader's answer. It asks the
    database when a page shows it, once."""

    def __init__(self, request: HttpRequest) -> None:
        self.user = getattr(request, "user", None)

    @cached_property
    def count(self) -> int:
        if not isinstance(self.user, User) or not has_permission(self.user, Verb.REVIEW):
            return 0
        return waiting_for(self.user)


def theme_of(request: HttpRequest) -> str:
    """Return "dark", "light", or "" where the page follows the system.

    An account's choice holds everywhere, else a signed-out visitor's cookie. Who never chose
    follows the system on public pages; the rooms behind the sign-in are dark.
    """
    user = getattr(request, "user", None)
    if isinstance(user, User) and user.theme == Theme.UNCHOSEN:
        return "" if is_public(request) else Theme.DARK
    chosen = user.theme if isinstance(user, User) else request.COOKIES.get(THEME_COOKIE, "")
    return chosen if chosen in (Theme.DARK, Theme.LIGHT) else ""


def is_public(request: HttpRequest) -> bool:
    """Say whether it is a page outside the review rooms, which are most of what is served here."""
    match = request.resolver_match
    if match is None:
        return False
    return match.namespace != "annotation" or request.path.startswith(OUTSIDE)


def initials(name: str) -> str:
    """Return up to two signs that stand for an account: `reader-1` gives `R1`."""
    words = [word for word in name.replace("_", "-").replace(".", "-").split("-") if word]
    return "".join(word[0] for word in words[:2]).upper() or "?"


def frame(request: HttpRequest) -> dict[str, object]:
    """Template context of the page frame; only `asked.count` asks the database."""
    theme = theme_of(request)
    user = getattr(request, "user", None)
    return {
        "theme": theme,
        "theme_next": Theme.DARK if theme == Theme.LIGHT else Theme.LIGHT,
        "may": May(request),
        "asked": Asked(request),
        "moved_keys": json.dumps(key_map.usable(user.keys)) if isinstance(user, User) else "{}",
        "account_initials": initials(user.get_username()) if isinstance(user, User) else "",
    }
