"""Organisations that send predictions: their accounts share a quota, and what is told of what is
held out."""

from django.conf import settings
from django.db import models


class Organisation(models.Model):
    """A group of accounts. `a_day` is how many submissions it may send in 24 hours; empty: as
    many as SONOVQA_SUBMISSIONS_A_DAY says."""

    name = models.CharField(max_length=120, unique=True)
    a_day = models.PositiveSmallIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """An account's organisation: one, or none."""

    account = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="membership"
    )
    organisation = models.ForeignKey(Organisation, models.CASCADE, related_name="members")
