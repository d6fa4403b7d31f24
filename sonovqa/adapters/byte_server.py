"""Reads parts of a file on a web server, byte range by byte range, and nothing more of it."""

import re
import ssl
from functools import cache
from types import TracebackType
from urllib.parse import urljoin, urlsplit

import httpx2 as httpx

from annotation.domain.byte_ranges import ByteRange
from sonovqa.adapters.ffmpeg_program import UnreadableInputError

TIMEOUT = 20.0  # seconds without a byte
TRIES = 3  # of a part whose connection breaks off
REDIRECTS = 3
CONTENT_RANGE = re.compile(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18})")


@cache
def _trusted() -> ssl.SSLContext:
    """Return the certificates that are trusted; reading them takes a tenth of a second."""
    return ssl.create_default_context()


class PartRefusedError(UnreadableInputError):
    """The server refuses a part of the file, or cannot be reached.

    `status` is 0 where no answer came; 401, 403, 404 and 410 say that the address is stale.
    """

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class FileChangedError(PartRefusedError):
    """The file on the server is another one than before."""


class NoPartsError(UnreadableInputError):
    """The server gives the whole file or nothing."""


class ByteServer:
    """A file at `url`; `size` in bytes is known once a part was read. `hosts` are the endings
    of hosts that the server may send us on to."""

    def __init__(self, url: str, headers: dict[str, str], *, hosts: tuple[str, ...] = ()) -> None:
        self._url, self._hosts = url, hosts
        self._client = httpx.Client(
            headers=headers, timeout=TIMEOUT, follow_redirects=False, verify=_trusted()
        )
        self.size = 0

    def __enter__(self) -> "ByteServer":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._client.close()

    def read(self, wanted: ByteRange) -> bytes:
        """Return the bytes `wanted`, fewer where the file ends before.

        Raises PartRefusedError, NoPartsError. A connection that breaks off is taken up again
        where it broke.
        """
        got = bytearray()
        for _ in range(TRIES):
            try:
                self._read_on(wanted, got)
            except httpx.HTTPError:
                continue
            return bytes(got)
        raise PartRefusedError("The server of the video broke off.")

    def _read_on(self, wanted: ByteRange, got: bytearray) -> None:
        first = wanted.first + len(got)
        if first > wanted.last:
            return
        for _ in range(REDIRECTS + 1):
            asked = {"Range": f"bytes={first}-{wanted.last}", "Accept-Encoding": "identity"}
            with self._client.stream("GET", self._url, headers=asked) as answer:
                if answer.is_redirect:
                    self._url = self._sent_on(answer.headers.get("Location", ""))
                    continue
                last = self._check(answer, first, wanted.last)
                for part in answer.iter_raw():
                    got += part
                    if wanted.first + len(got) > last + 1:
                        raise NoPartsError("The server of the video sends more than asked for.")
                return
        raise PartRefusedError("The server of the video sends us round in circles.")

    def _check(self, answer: httpx.Response, first: int, last: int) -> int:
        """Return the last byte that the answer brings."""
        if answer.status_code == 200:
            raise NoPartsError("The server of the video gives no parts.")
        if answer.status_code != 206:
            raise PartRefusedError(
                f"The server of the video answered {answer.status_code}.", answer.status_code
            )
        stated = CONTENT_RANGE.fullmatch(answer.headers.get("Content-Range", ""))
        if not stated or int(stated[1]) != first or int(stated[2]) > last:
            raise NoPartsError("The server of the video gives other parts than asked for.")
        size = int(stated[3])
        if self.size and size != self.size:
            raise FileChangedError("The file on the server is another one now.")
        self.size = size
        return int(stated[2])

    def _sent_on(self, location: str) -> str:
        here, there = urlsplit(self._url), urlsplit(urljoin(self._url, location))
        host = there.hostname or ""
        if there.scheme != here.scheme or not self._hosts or not host.endswith(self._hosts):
            raise PartRefusedError("The server of the video sends us to a host not allowed.")
        return there.geturl()
