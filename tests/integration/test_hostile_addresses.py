"""Numbers in addresses that no row has and no column holds: every route that takes one."""

import uuid
from collections.abc import Iterator

import pytest
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.urls.converters import IntConverter, UUIDConverter

from tests import factories

pytestmark = pytest.mark.django_db
TOO_LARGE = 10**30


def numbered(patterns: list, space: str = "") -> Iterator[tuple[str, dict[str, object]]]:
    """Each route whose address holds a number, with what converts its parts."""
    for one in patterns:
        if isinstance(one, URLResolver) and one.namespace != "admin":
            yield from numbered(
                one.url_patterns, f"{space}{one.namespace}:" if one.namespace else space
            )
        elif isinstance(one, URLPattern):
            parts = one.pattern.converters
            if any(isinstance(part, IntConverter) for part in parts.values()):
                yield f"{space}{one.name}", parts


ROUTES = dict(numbered(get_resolver().url_patterns))


@pytest.mark.parametrize("method", ["get", "post", "put", "delete"])
def test_a_number_that_no_row_has_is_no_error_of_the_server(client_for, admin_user, method):
    bench = factories.small_benchmark(videos=1)
    factories.release(bench)
    client = client_for(admin_user, raise_request_exception=False)
    known = {"slug": bench.slug, "tag": "r1"}
    for name, parts in ROUTES.items():
        places = {
            place: TOO_LARGE
            if isinstance(part, IntConverter)
            else (uuid.uuid4() if isinstance(part, UUIDConverter) else known.get(place, "x"))
            for place, part in parts.items()
        }
        options = {} if method == "get" else {"data": {}, "content_type": "application/json"}
        answer = getattr(client, method)(reverse(name, kwargs=places), **options)
        assert answer.status_code < 500, (name, answer.status_code)
        # Letting go of an item that nobody holds changes nothing, whatever its number.
        assert answer.status_code >= 400 or name == "annotation:release", name
