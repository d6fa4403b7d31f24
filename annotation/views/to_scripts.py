"""Forms that a script sends in place are answered in JSON, the same forms without one by a page."""

from django.http import HttpRequest


def wants_json(request: HttpRequest) -> bool:
    return request.headers.get("Accept", "") == "application/json"
