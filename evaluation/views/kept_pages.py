"""Public pages as a process last rendered them, for visitors who are signed out.

A page is kept under a key made of all that it shows, read anew for every request: what has changed
has another key, so nothing that is kept can be out of date, and nothing has to be dropped. The one
thing in it that is the visitor's own, the token of its forms, is cut out and put in anew.
"""

import re
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token

MOST = 32 * 1_048_576  # bytes, of one process
TOKEN = re.compile(rb'(?<=name="csrfmiddlewaretoken" value=")[A-Za-z0-9]+(?=")')


@dataclass(frozen=True)
class Kept:
    """A page in the parts between which the form token stands."""

    parts: tuple[bytes, ...]
    content_type: str

    @property
    def size(self) -> int:
        return sum(len(part) for part in self.parts)

    def answer(self, request: HttpRequest) -> HttpResponse:
        token = get_token(request).encode() if len(self.parts) > 1 else b""
        return HttpResponse(token.join(self.parts), content_type=self.content_type)


_pages: OrderedDict[str, Kept] = OrderedDict()
_lock = Lock()
_making = [Lock() for _ in range(16)]  # what many ask for at once is made once; by key


def find(key: str) -> Kept | None:
    """Return the page that is kept under `key`."""
    with _lock:
        found = _pages.get(key)
        if found:
            _pages.move_to_end(key)
    return found


def kept_page(
    request: HttpRequest,
    key: str,
    make: Callable[[], HttpResponse],
    holds: Callable[[], bool] = lambda: True,
) -> HttpResponse:
    """Return the page under `key`, made where it is not kept. Call it for visitors who are
    signed out alone; `key` tells all that the page shows but the token of its forms.

    Where `make` reads the database once more, `holds` says afterwards that the key is still the
    right one; else the page is shown and not kept.
    """
    with _making[hash(key) % len(_making)]:
        found = find(key)
        if found:
            return found.answer(request)
        response = make()
        # A nonce in a page would be another one each time; cookies, other statuses are not kept.
        plain = not response.cookies and not hasattr(request, "_csp_nonce")
        if response.status_code == 200 and plain and holds():
            _keep(key, Kept(tuple(TOKEN.split(response.content)), response["Content-Type"]))
        return response


def _keep(key: str, page: Kept) -> None:
    with _lock:
        _pages[key] = page
        total = sum(one.size for one in _pages.values())
        while total > MOST:
            total -= _pages.popitem(last=False)[1].size
