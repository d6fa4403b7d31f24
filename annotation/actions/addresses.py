"""Mail addresses of accounts: one each, kept in allauth's table and on the account alike."""

from allauth.account.models import EmailAddress
from django.db.models import Q, QuerySet

from annotation.models import User


def owners(email: str) -> QuerySet[User]:
    """Accounts that have `email`, confirmed or not, whatever its capitals."""
    return User.objects.filter(
        Q(email__iexact=email) | Q(emailaddress__email__iexact=email)
    ).distinct()


def give(user: User, email: str, *, verified: bool) -> None:
    """Make `email` the one address of `user`, or leave them without where it is "".

    Call it in the transaction of the change.
    """
    EmailAddress.objects.filter(user=user).delete()
    if email:
        EmailAddress.objects.create(user=user, email=email.lower(), verified=verified, primary=True)
    user.email = email.lower()
    user.save(update_fields=["email"])
