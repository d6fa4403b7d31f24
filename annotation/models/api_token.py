"""Tokens by which programs act for an account on the JSON API."""

from django.conf import settings
from django.db import models
from django.utils import timezone


class ApiToken(models.Model):
    """One program of one account, until `expires_at`.

    Of the token only sha256 (hex) is stored: 256 random bits need no slow hash. `prefix` is its
    beginning, which tells tokens apart. `scopes` are names of `annotation.scopes.Scope`.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=60)
    prefix = models.CharField(max_length=12)
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    scopes = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)
    revoked_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.prefix}…"

    @property
    def works(self) -> bool:
        return self.revoked_at is None and self.expires_at > timezone.now()
