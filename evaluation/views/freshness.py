"""Answers "not modified" where nothing shown has changed, and does not even look where nothing
at all has."""

import hashlib
from collections.abc import Callable, Sequence
from functools import wraps

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers
from django.utils.http import quote_etag

from annotation.context import theme_of
from evaluation.views.kept_pages import find, kept_page
from sonovqa import __version__
from sonovqa.unchanged import Unchanged, mark

FILE_SECONDS = 60
_keys: Unchanged[str] = Unchanged(most=2_048)  # of pages, by what tells one from another


def at_rest(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Let a view that ends in `fresh_page` be asked only where something was committed to the
    database since it last gave this page to somebody whom it does not know."""

    @wraps(view)
    def answer(request: HttpRequest, *args: object, **named: object) -> HttpResponse:
        if not _is_unknown(request):
            return view(request, *args, **named)
        name, now = (theme_of(request), request.build_absolute_uri()), mark()
        key = _keys.get(name, now)
        page = find(key) if key else None
        if key and page:
            return _own_page(request, key, lambda: page.answer(request))
        response = view(request, *args, **named)
        if hasattr(response, "page_key"):
            _keys.put(name, now, response.page_key)
        return response

    return answer


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
    key = seal([*parts, theme_of(request), request.build_absolute_uri()])
    if not _is_unknown(request):
        return _own_page(request, key, make)
    response = _own_page(request, key, lambda: kept_page(request, key, make, holds))
    vars(response)["page_key"] = key
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


def _is_unknown(request: HttpRequest) -> bool:
    """Say whether nothing can be the visitor's own: no account, and no message that waits in a
    cookie or in a session."""
    return not {settings.SESSION_COOKIE_NAME, "messages"} & request.COOKIES.keys()


def _own_page(request: HttpRequest, key: str, make: Callable[[], HttpResponse]) -> HttpResponse:
    own = [request.user.pk, request.COOKIES.get("csrftoken", "")]
    response = _conditional(request, [key, *own], make)
    patch_cache_control(response, private=True, no_cache=True)
    patch_vary_headers(response, ["Cookie"])
    return response


def _conditional(
    request: HttpRequest, parts: Sequence[object], make: Callable[[], HttpResponse]
) -> HttpResponse:
    etag = quote_etag(seal(parts)[:32])
    unchanged = get_conditional_response(request, etag=etag)
    response = unchanged or make()
    response.headers.setdefault("ETag", etag)
    return response
