"""What an account may take away: its own data, part by part, each a query.

A room adds a part with `add(name, query)`; the query gives rows of plain values, and only those
that are the account's own.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import QuerySet

from annotation.models import (
    Answer,
    ApiToken,
    Comment,
    ItemVersion,
    Release,
    Review,
    Revision,
    SavedFilter,
    User,
)

Rows = QuerySet[Any, Any]
Query = Callable[[User], Rows]
BATCH = 500
ACCOUNT = (
    *("username", "first_name", "last_name", "email", "role", "is_active", "theme", "keys"),
    *("pseudonym", "date_joined", "last_login", "last_seen_at", "erasure_asked_at"),
)
VOTE = (
    *("id", "item_id", "item__benchmark__slug", "item_version__number", "verdict", "reasons"),
    *("comment", "active_seconds", "created_at", "undone_at"),
)
ANSWER = (
    *("id", "item_id", "item__benchmark__slug", "item_version__number", "option_index", "text"),
    *("could_not_tell", "key_seen_before", "active_seconds", "created_at", "undone_at"),
)
SAID = ("id", "thread_id", "thread__item_id", "text", "created_at")
FILTER = ("benchmark__slug", "name", "query", "made_at")
CONTENT = ("item_id", "item__benchmark__slug", "number", "stem", "reason", "created_at")
TRAIL = ("id", "at", "verb", "target_kind", "target_id", "before", "after", "reason")

PARTS: dict[str, Query] = {}


def add(name: str, query: Query) -> None:
    """Add a part to what every account may take away."""
    PARTS[name] = query


add("account", lambda user: User.objects.filter(pk=user.pk).values(*ACCOUNT))
add("addresses", lambda user: EmailAddress.objects.filter(user=user).values("email", "verified"))
add(
    "second_factors",
    lambda user: Authenticator.objects.filter(user=user).values(
        "type", "created_at", "last_used_at"
    ),
)
add(
    "outside_accounts",
    lambda user: SocialAccount.objects.filter(user=user).values(
        "provider", "uid", "date_joined", "last_login", "extra_data"
    ),
)
add(
    "sessions",
    lambda user: UserSession.objects.filter(user=user).values(
        "created_at", "last_seen_at", "ip", "user_agent"
    ),
)
add(
    "api_tokens",
    lambda user: ApiToken.objects.filter(user=user).values(
        "name", "prefix", "scopes", "created_at", "expires_at", "last_used_at", "revoked_at"
    ),
)
add("votes", lambda user: Review.objects.filter(reviewer=user).order_by("pk").values(*VOTE))
add("answers", lambda user: Answer.objects.filter(reader=user).order_by("pk").values(*ANSWER))
add("comments", lambda user: Comment.objects.filter(author=user).order_by("pk").values(*SAID))
add("saved_filters", lambda user: SavedFilter.objects.filter(owner=user).values(*FILTER))
add("edits", lambda user: ItemVersion.objects.filter(author=user).order_by("pk").values(*CONTENT))
add(
    "releases",
    lambda user: Release.objects.filter(created_by=user).values(
        "benchmark__slug", "tag", "hash", "notes", "created_at"
    ),
)
add(
    "trail",
    lambda user: Revision.objects.filter(actor=user.pseudonym).order_by("pk").values(*TRAIL),
)


def own_data(user: User) -> Iterator[str]:
    """Yield one JSON object: each part a list of rows. One batch of rows is held at a time."""
    yield "{"
    for place, (name, query) in enumerate(PARTS.items()):
        yield f"{',' if place else ''}\n{json.dumps(name)}: ["
        for number, row in enumerate(query(user).iterator(chunk_size=BATCH)):
            yield f"{',' if number else ''}\n{json.dumps(row, cls=DjangoJSONEncoder)}"
        yield "]"
    yield "\n}\n"
