"""Pages that make no sense on a site that sends no mail."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase

View = Callable[..., HttpResponseBase]


def with_mail(view: View) -> View:
    """Answer 404 where SONOVQA_EMAIL_HOST is not set."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **more: Any) -> HttpResponseBase:
        if not settings.MAIL_IS_SENT:
            raise Http404
        return view(request, *args, **more)

    return checked
