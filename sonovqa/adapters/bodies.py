"""Puts clips and stills into the body of a request."""

import base64
import json
import secrets
from collections.abc import Callable, Sequence
from itertools import chain, zip_longest
from typing import Any

from sonovqa.adapters.asking import Media


def with_media(
    make: Callable[[str], Any], media: Sequence[Media], *, url_safe: bool = False
) -> bytes:
    """Return as JSON what `make` makes of a text that stands for the base64 of the next medium.

    Media are put in behind the JSON encoder, which would look at each character of them and take
    longer over that than all else that a call costs.
    """
    mark = secrets.token_hex(16)  # no text that is asked can hold it
    pieces = json.dumps(make(mark), separators=(",", ":")).encode().split(mark.encode())
    encode = base64.urlsafe_b64encode if url_safe else base64.b64encode
    encoded = (encode(one.data) for one in media)
    return b"".join(chain.from_iterable(zip_longest(pieces, encoded, fillvalue=b"")))
