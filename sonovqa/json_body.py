"""Reads the JSON bodies that strangers send: bounded before parsing, strict while parsing."""

from collections.abc import Mapping
from typing import IO, Any

from django.core.exceptions import RequestDataTooBig
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

from annotation.domain.strict_json import BadJson, Limits, parse_json

SIZE = 1_048_576  # bytes; the largest that we know, an edit with all its options, has 60,000
DEPTH = 8  # levels; the deepest body that we know has three
NODES = 5_000  # values; the largest that we know has a few dozen


class StrictJson(JSONParser):
    """In the place of DRF's parser, which knows no depth and takes NUL and a key twice."""

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,  # noqa: ARG002 DRF hands it over
        parser_context: Mapping[str, Any] | None = None,  # noqa: ARG002
    ) -> Any:
        """Return the value of a body.

        Raises RequestDataTooBig (413), which Django knows for forms alone, and ParseError (400)
        for what `parse_json` refuses.
        """
        data = stream.read(SIZE + 1)
        if len(data) > SIZE:
            raise RequestDataTooBig
        try:
            return parse_json(data, name="body", limits=Limits(SIZE, DEPTH, NODES))
        except BadJson as error:
            raise ParseError(str(error)) from None
