"""Errors of the JSON API as RFC 9457 problem details: `application/problem+json`."""

import math
from typing import Any

from django.core.exceptions import (
    ObjectDoesNotExist,
    PermissionDenied,
    RequestDataTooBig,
)
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views import defaults
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

CONTENT_TYPE = "application/problem+json"


def problem(status: int, kind: str, detail: str, **more: Any) -> Response:
    """Return one problem. `kind` is a short word that programs may switch on; `more` are
    further members, JSON-ready."""
    body = {"type": f"urn:sonovqa:{kind}", "title": detail, "status": status, "detail": detail}
    return Response(body | more, status=status, content_type=CONTENT_TYPE)


def as_problem(error: Exception, _context: dict[str, Any]) -> Response | None:
    """DRF's exception handler. Errors that it does not know go on to the server's log."""
    set_rollback()
    if isinstance(error, exceptions.NotAuthenticated):
        return challenge(problem(401, "signed-out", "You are signed out."))
    if isinstance(error, exceptions.AuthenticationFailed):
        return challenge(problem(401, "token", str(error.detail)))
    if isinstance(error, exceptions.ValidationError):
        return problem(400, "invalid", "Some fields are wrong.", errors=error.detail)
    if isinstance(error, RequestDataTooBig):
        return problem(413, "too-large", "The body is too large.")
    if isinstance(error, exceptions.ParseError):
        return problem(400, "invalid", str(error.detail))
    if isinstance(error, PermissionDenied | exceptions.PermissionDenied):
        return problem(
            403, getattr(error, "kind", "forbidden"), str(error) or "You may not do this."
        )
    # SQLite's driver overflows where an address names a row by a number that no column holds.
    if isinstance(error, Http404 | exceptions.NotFound | ObjectDoesNotExist | OverflowError):
        return problem(404, "not-found", "There is nothing here.")
    if isinstance(error, exceptions.Throttled):
        response = problem(429, "too-many", "Too many requests; wait a little.")
        response["Retry-After"] = str(math.ceil(getattr(error, "wait", None) or 1))
        return response
    if isinstance(error, exceptions.APIException):
        return problem(error.status_code, "refused", str(error.detail))
    return None


def challenge(response: Response) -> Response:
    """Say how a program signs in; browsers show no window of their own for it."""
    response["WWW-Authenticate"] = "Bearer"
    return response


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer where the server itself is at fault: programs get a problem too."""
    if not request.path.startswith("/api/"):
        return defaults.server_error(request)
    detail = "Something failed here. It is written down; try again in a while."
    body = {"type": "urn:sonovqa:failed", "title": detail, "status": 500, "detail": detail}
    return JsonResponse(body, status=500, content_type=CONTENT_TYPE)


PROBLEM = {
    "type": "object",
    "description": "RFC 9457: why a request was refused; `type` is for programs.",
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
    },
    "required": ["type", "title", "status", "detail"],
}
REFUSED = {
    "description": "Refused; the problem says why.",
    "content": {CONTENT_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
}


def describe(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Tell in an OpenAPI description that each operation may be refused."""
    result.setdefault("components", {}).setdefault("schemas", {})["Problem"] = PROBLEM
    for methods in result["paths"].values():
        for operation in methods.values():
            operation["responses"]["4XX"] = REFUSED
    return result
