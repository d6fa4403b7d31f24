"""Pages of the JSON API, followed by a cursor."""

import re
from typing import Any

from rest_framework.exceptions import NotFound
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request


class NewestFirst(CursorPagination):
    """A cursor is data from outside: its position has the form that it can have here, or there
    is no such page."""

    page_size = 50
    ordering: Any = "-id"
    position = re.compile(r"[0-9]{1,18}")

    def decode_cursor(self, request: Request) -> Cursor | None:
        """Return what the address says. Raises NotFound."""
        try:
            found = super().decode_cursor(request)
        except UnicodeError:
            raise NotFound(self.invalid_cursor_message) from None
        if (
            found
            and found.position is not None
            and not self.position.fullmatch(str(found.position))
        ):
            raise NotFound(self.invalid_cursor_message)
        return found


class ByName(NewestFirst):
    ordering = ("name", "id")
    position = re.compile(r"[^\x00\ud800-\udfff]{0,200}", re.DOTALL)


class InOrder(NewestFirst):
    page_size = 100
    ordering = ("position", "id")


class AsStored(NewestFirst):
    page_size = 100
    ordering = "id"


class LatestFirst(NewestFirst):
    """By time, where ids say nothing about the order."""

    ordering = "-created_at"
    position = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?\+00:00")
