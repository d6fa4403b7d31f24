"""A stand-in for a server of video files on loopback: Range, HEAD, redirects, stale addresses.

`with MediaServer(folder) as server: server.url` serves the files of a folder and counts what
was asked for. `refuse` answers the next requests with a status; `redirect_to` sends them on.
"""

import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from annotation.domain.byte_ranges import ByteRange, read_range

CHUNK = 16 * 1024  # bytes


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "Server"

    def do_HEAD(self) -> None:
        self.answer(with_body=False)

    def do_GET(self) -> None:
        self.answer(with_body=True)

    def answer(self, *, with_body: bool) -> None:
        told = self.server.told
        told.asked.append((self.command, self.path, self.headers.get("Range", "")))
        if told.redirect_to:
            return self.empty(302, {"Location": told.redirect_to})
        time.sleep(told.latency)
        if told.refuse and (status := told.refuse.pop(0)):
            return self.empty(status, {})
        path = told.folder / self.path.split("?")[0].lstrip("/")
        if not path.is_file():
            return self.empty(404, {})
        size = path.stat().st_size
        part = read_range(self.headers.get("Range", ""), size) if told.ranges else None
        whole = part or ByteRange(0, size - 1)
        self.send_response(206 if part else 200)
        self.send_header("Content-Type", told.content_type)
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(whole.length))
        if part:
            self.send_header("Content-Range", f"bytes {part.first}-{part.last}/{size}")
        self.end_headers()
        if with_body:
            self.give(path, whole)
        return None

    def give(self, path: Path, part: ByteRange) -> None:
        told, left = self.server.told, part.length
        if told.break_off:
            left = told.break_off.pop(0)
            self.close_connection = True
        with path.open("rb") as handle:
            handle.seek(part.first)
            while content := handle.read(min(CHUNK, left)):
                self.wfile.write(content)
                told.count(len(content))
                left -= len(content)
                if told.rate:
                    time.sleep(len(content) / told.rate)

    def empty(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": "0"}.items():
            self.send_header(name, value)
        self.end_headers()

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # ffmpeg hangs up once it has what it wants

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Keep quiet."""


class Server(ThreadingHTTPServer):
    daemon_threads = True
    told: "MediaServer"


class MediaServer:
    """Serves the files of `folder`; `asked` holds (method, path, Range) of every request."""

    def __init__(self, folder: Path, content_type: str = "video/mp4") -> None:
        self.folder = folder
        self.content_type = content_type
        self.asked: list[tuple[str, str, str]] = []
        self.refuse: list[int] = []
        self.break_off: list[int] = []
        self.ranges = True
        self.latency = 0.0  # seconds before an answer
        self.rate = 0.0  # bytes a second of one connection; 0: as fast as it goes
        self.sent = 0
        self._counting = threading.Lock()
        self.redirect_to = ""
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.told = self
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def refuse_after(self, requests: int, status: int) -> None:
        """Answer the request after the next `requests` ones with `status`."""
        self.refuse = [0] * requests + [status]

    def count(self, length: int) -> None:
        with self._counting:
            self.sent += length

    def __enter__(self) -> "MediaServer":
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.server.shutdown()
        self.server.server_close()
