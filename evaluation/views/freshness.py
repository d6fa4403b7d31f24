"""Answers "not modified" where nothing shown has changed."""

import hashlib
from collections.abc import Callable, Sequence

from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers
from django.utils.http import quote_etag

from annotation.context import theme_of
from evaluation.views.kept_pages import kept_page
from sonovqa import __version__

FILE_SECONDS = 60


def fresh_page(
    request: HttpRequest,
    parts: Sequence[object],
    make: Callable[[], HttpResponse],
    holds: Callable[[], bool] = lambda: True,
) -> HttpResponse:
    """Return the page, or 304. `parts` are all that it shows, read just now; `holds` as in
    `kept_page`. Its frame carries the reader's account, theme and form token,
    so it is kept by the reader's own browser alone and asked for again each time."""
    if "messages" in request.COOKIES:
        return make()
    shown = [*parts, theme_of(request), request.build_absolute_uri()]
    own = [request.user.pk, request.COOKIES.get("csrftoken", "")]

    def answer() -> HttpResponse:
        if request.user.is_authenticated:
            return make()
        return kept_page(request, seal(shown), make, holds)

    response = _conditional(request, [*shown, *own], answer)
    patch_cache_control(response, private=True, no_cache=True)
    patch_vary_headers(response, ["Cookie"])
    return response


def fresh_file(
    request: HttpRequest, parts: Sequence[object], make: Callable[[], HttpResponse]
) -> HttpResponse:
    """Return the file, or 304. Anyone may keep it for a minute where anyone may read it."""
    response = _conditional(request, [*parts, request.get_full_path()], make)
    if request.user.is_authenticated:
        patch_cache_control(response, private=True, no_cache=True)
    else:
        patch_cache_control(response, public=True, max_age=FILE_SECONDS)
    return response


def seal(parts: Sequence[object]) -> str:
    """Return one word for all of `parts`, and for this version of the program."""
    return hashlib.sha256(repr([__version__, *parts]).encode()).hexdigest()


def _conditional(
    request: HttpRequest, parts: Sequence[object], make: Callable[[], HttpResponse]
) -> HttpResponse:
    etag = quote_etag(seal(parts)[:32])
    unchanged = get_conditional_response(request, etag=etag)
    response = unchanged or make()
    response.headers.setdefault("ETag", etag)
    return response
