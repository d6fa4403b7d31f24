"""Answers load balancers and the supervisor: does the web server reach its database?"""

from django.db import Error, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe


@never_cache
@require_safe
def healthz(_request: HttpRequest) -> JsonResponse:
    """Return 200 where a query is answered, else 503. The broker is no part of it: it only
    wakes workers, and pages are served without it."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            cursor.fetchone()
    except Error:
        return JsonResponse({"database": False}, status=503)
    return JsonResponse({"database": True})
