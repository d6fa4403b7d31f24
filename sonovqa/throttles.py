"""How often one account may ask the JSON API: reads and writes each have their own count, and
so has each of its tokens.

The counts lie in the cache on the broker's server, so all web processes share them.
"""

from django.conf import settings
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.throttling import UserRateThrottle
from rest_framework.views import APIView


class EachToken(UserRateThrottle):
    """Counts by token where a program came with one, so that it takes nothing from its
    account's browser; by account, else by address."""

    def get_cache_key(self, request: Request, view: APIView) -> str | None:
        token = getattr(request.auth, "pk", None)
        if token is None:
            return super().get_cache_key(request, view)
        return self.cache_format % {"scope": self.scope, "ident": f"token-{token}"}


class Reads(EachToken):
    scope = "reads"

    def get_rate(self) -> str:
        return f"{settings.API_READS_A_MINUTE}/min"

    def allow_request(self, request: Request, view: APIView) -> bool:
        return request.method not in SAFE_METHODS or super().allow_request(request, view)


class Writes(EachToken):
    scope = "writes"

    def get_rate(self) -> str:
        return f"{settings.API_WRITES_A_MINUTE}/min"

    def allow_request(self, request: Request, view: APIView) -> bool:
        return request.method in SAFE_METHODS or super().allow_request(request, view)
