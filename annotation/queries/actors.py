"""Who stands behind the pseudonyms of the trail."""

from collections.abc import Iterable

from annotation.models import User

PSEUDONYM_LENGTH = User._meta.get_field("pseudonym").max_length or 0
GONE = "a former account"


def names_of_actors(actors: Iterable[str]) -> dict[str, str]:
    """Return the name of each actor: of an account, "import", "system", or of an account that
    is no more; one query."""
    wanted = set(actors)
    accounts = User.objects.filter(pseudonym__in=wanted).values_list("pseudonym", "username")
    unknown = {actor: actor if len(actor) < PSEUDONYM_LENGTH else GONE for actor in wanted}
    return unknown | dict(accounts)
