"""What calls cost in a month: of each provider, and of the whole site."""

from django.db import models

SITE = 0  # the scope of all providers together


class MonthSpend(models.Model):
    """Money of one month (its first day, UTC) and scope, in millionths of a dollar.

    The scope is a provider's id, or `SITE`. Whole numbers, so that every database adds exactly.
    """

    scope = models.PositiveBigIntegerField()
    month = models.DateField()
    spent = models.BigIntegerField(default=0)
    reserved = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["scope", "month"], name="month_spend_unique"),
            models.CheckConstraint(
                condition=models.Q(spent__gte=0) & models.Q(reserved__gte=0),
                name="month_spend_not_negative",
            ),
        ]
