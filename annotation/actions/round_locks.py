"""Takes a round for a change, and says what is wrong with one."""

from annotation.models import Round, User
from annotation.models.round import RoundState
from annotation.permissions import Verb, require


class BadRound(ValueError):
    """`errors` maps a field's name to what is wrong with it."""

    def __init__(self, errors: dict[str, str]) -> None:
        super().__init__("; ".join(f"{field}: {text}" for field, text in errors.items()))
        self.errors = errors


def lock_round(round_id: int, *, by: User) -> Round:
    """Return a round for whoever may lead rounds; other changes of it wait.

    Raises PermissionDenied, Round.DoesNotExist.
    """
    require(by, Verb.ADJUDICATE)
    Round.objects.select_for_update().only("pk").get(pk=round_id)
    return Round.objects.select_related("benchmark").get(pk=round_id)


def require_draft(round_: Round, what: str) -> None:
    """Raise BadRound unless the round has not been opened yet."""
    if round_.state != RoundState.DRAFT:
        raise BadRound({"round": f"{what} only while the round is a draft"})


def require_not_closed(round_: Round) -> None:
    """Raise BadRound where the round is closed."""
    if round_.state == RoundState.CLOSED:
        raise BadRound({"round": "the round is closed; open it again first"})
