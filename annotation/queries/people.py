"""People: accounts and invitations as those who administer see them."""

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from annotation.models import Invitation, Revision, User

INVITATIONS_SHOWN = 100
CHANGES_SHOWN = 20


def people(words: str = "") -> QuerySet[User]:
    """Accounts, the open ones first; `words` are looked for in names and addresses."""
    found = User.objects.annotate(
        has_second_factor=Exists(Authenticator.objects.filter(user=OuterRef("pk"))),
        has_hospital=Exists(SocialAccount.objects.filter(user=OuterRef("pk"))),
        mail_confirmed=Exists(EmailAddress.objects.filter(user=OuterRef("pk"), verified=True)),
    ).order_by(
        F("erased_at").asc(nulls_first=True),
        F("erasure_asked_at").asc(nulls_last=True),
        "-is_active",
        "username",
    )
    for word in words.split()[:5]:
        places = ("username", "first_name", "last_name", "email")
        clauses = [Q(**{f"{place}__icontains": word}) for place in places]
        found = found.filter(clauses[0] | clauses[1] | clauses[2] | clauses[3])
    return found


def invitations() -> QuerySet[Invitation]:
    """The newest invitations that made no account yet."""
    waiting = Invitation.objects.filter(accepted_at=None).select_related("invited_by")
    return waiting[:INVITATIONS_SHOWN]


def changes_of(user: User) -> QuerySet[Revision]:
    """What was last changed of an account."""
    return Revision.objects.filter(target_kind="account", target_id=user.pk)[:CHANGES_SHOWN]
