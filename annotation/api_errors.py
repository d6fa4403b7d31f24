"""How refusals of `annotation.actions` are told to API clients."""

from typing import Any

from rest_framework.response import Response

from annotation.actions.answers import AnsweredBefore, BadAnswer, KeyShown
from annotation.actions.conflicts import AnswerFirst, IdTaken, StaleVersion
from annotation.actions.reviews import BadVote
from annotation.domain.edits import BadEdit
from sonovqa.problems import problem

BLINDNESS = {AnswerFirst: "answer-first", AnsweredBefore: "answered", KeyShown: "key-shown"}


class OtherReader(Exception):
    """What was sent was kept in a browser for another account than the one signed in."""


VERSION_MISSING = "Say which version this is based on."


def refusal(error: Exception) -> Response | None:
    """Return the problem that tells `error`, or None where it is no refusal of ours."""
    if isinstance(error, StaleVersion):
        more: dict[str, Any] = {
            "base": error.base,
            "current": error.current,
            "yours": error.yours,
            "mergeable": error.mergeable,
            "conflicts": error.conflicts,
        }
        return problem(409, "stale", str(error), **more)
    if isinstance(error, OtherReader):
        return problem(409, "other-reader", "This is another account's; sign in as that one.")
    if isinstance(error, IdTaken):
        return problem(409, "id-taken", str(error))
    for kind, name in BLINDNESS.items():
        if isinstance(error, kind):
            return problem(409, name, str(error))
    if isinstance(error, BadAnswer | BadVote | BadEdit):
        return problem(400, "invalid", "Some fields are wrong.", errors=error.errors)
    return None
