"""Accounts and their roles."""

import uuid

from django.contrib.auth.models import AbstractUser
from django.db import models


class Role(models.TextChoices):
    NONE = "", "No role"
    REVIEWER = "reviewer", "Reviewer"
    ADJUDICATOR = "adjudicator", "Adjudicator"
    MAINTAINER = "maintainer", "Maintainer"
    ADMIN = "admin", "Admin"


class Theme(models.TextChoices):
    """How pages look. Unchosen: dark in review rooms, as the system says in public."""

    UNCHOSEN = "", "Never chosen"
    DARK = "dark", "Dark"
    LIGHT = "light", "Light"
    SYSTEM = "system", "As the system says"


def new_pseudonym() -> str:
    """Return a random 32-digit id that stands for an account in the trail of revisions."""
    return uuid.uuid4().hex


class User(AbstractUser):
    """An account. Code asks `annotation.permissions` about verbs, never about `role`.

    `granted` is no column: the verbs left to a program that came with a token, None for the
    account itself.
    """

    granted: frozenset[str] | None = None

    role = models.CharField(max_length=16, choices=Role.choices, default=Role.NONE, blank=True)
    theme = models.CharField(
        max_length=8, choices=Theme.choices, default=Theme.UNCHOSEN, blank=True
    )
    keys = models.JSONField(
        default=dict, blank=True, help_text="Action to key, where it is not the usual one."
    )
    last_seen_at = models.DateTimeField(null=True, blank=True, editable=False)
    erasure_asked_at = models.DateTimeField(null=True, blank=True, editable=False)
    erased_at = models.DateTimeField(null=True, blank=True, editable=False)
    answers_first = models.BooleanField(
        default=False, help_text="Answers each item from the clip alone before its key is shown."
    )
    pseudonym = models.CharField(max_length=32, unique=True, default=new_pseudonym, editable=False)

    class Meta(AbstractUser.Meta):
        constraints = [
            models.CheckConstraint(
                condition=models.Q(role__in=[value for value, _ in Role.choices]),
                name="user_role_known",
            )
        ]
