"""A stand-in for model servers on loopback: Gemini's REST and OpenAI's chat completions.

In a test: `with ModelServer(Script(latency=0.1)) as server: ... server.url`. As a process of
its own: `python -m tests.standins.model_server --latency 0.5`, which prints its URL.
GET /_stats tells what was counted, PUT /_script changes the behaviour.
"""

import argparse
import asyncio
import json
import threading
from typing import Any

from tests.standins import gemini_batches, gemini_store, model_replies
from tests.standins.model_script import Counted, Fault, Script

REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 429: "Too Many", 503: "Overload"}
STATUS = {"redirect": 302, "rate_limit": 429, "overload": 503, "bad_request": 400, "auth": 401}
RPC_STATUS = {429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE", 400: "INVALID_ARGUMENT"}


class Connection(asyncio.Protocol):
    """One keep-alive HTTP/1.1 connection."""

    def __init__(self, server: "ModelServer") -> None:
        self.server = server
        self.buffer = bytearray()

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        end = self.buffer.find(b"\r\n\r\n")
        if end < 0:
            return
        first, *lines = self.buffer[:end].decode("latin-1").split("\r\n")
        headers = {
            key.lower(): value.strip() for key, _, value in (x.partition(":") for x in lines)
        }
        length = int(headers.get("content-length", 0))
        if len(self.buffer) < end + 4 + length:
            return
        body = bytes(self.buffer[end + 4 : end + 4 + length])
        del self.buffer[: end + 4 + length]
        method, path, _ = first.split(" ")
        self.answer(method, path, headers, body)

    def answer(self, method: str, path: str, headers: dict[str, str], body: bytes) -> None:
        counted = self.server.counted
        if path == "/_stats":
            self.send(200, counted.stats())
        elif path == "/_script":
            self.server.counted = Counted(Script.read(json.loads(body)))
            self.send(200, {})
        elif gemini_store.answers(self, method, path, headers, body) or gemini_batches.answers(
            self, method, path, body
        ):
            return
        elif method == "POST" and (":generateContent" in path or path.endswith("/completions")):
            self.ask(path, headers, json.loads(body))
        else:
            self.send(404, {"error": {"code": 404, "message": f"no {path}", "status": "NOT_FOUND"}})

    def ask(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> None:
        counted = self.server.counted
        prompt = model_replies.prompt_of(body)
        name = model_replies.item_of(prompt)
        fault = counted.note(name, prompt)
        counted.media.update(model_replies.media_of(body))
        key = headers.get("x-goog-api-key") or headers.get("authorization", "")
        counted.keys.add(key.removeprefix("Bearer "))
        counted.last_path, counted.last_body = path, body if len(body) < 50 else {}
        counted.peers[self.transport.get_extra_info("peername")[0]] += 1
        counted.in_flight += 1
        counted.most_in_flight = max(counted.most_in_flight, counted.in_flight)
        gemini = ":generateContent" in path
        if gemini and gemini_store.misses_file(counted, body):
            fault = Fault("file_gone")
        asyncio.get_running_loop().call_later(
            counted.delay(), self.reply, gemini, prompt, counted.version(), fault
        )

    def reply(self, gemini: bool, prompt: str, version: str, fault: Fault | None) -> None:
        self.server.counted.in_flight -= 1
        kind = fault.kind if fault else ""
        if kind == "file_gone":
            gone = "You do not have permission to access the File or it may not exist."
            self.send(403, {"error": {"code": 403, "message": gone, "status": "DENIED"}})
        elif kind in STATUS:
            self.fail(STATUS[kind], fault)
        elif kind == "drop":
            self.transport.abort()
        elif kind != "hang":
            make = model_replies.gemini_body if gemini else model_replies.openai_body
            text, options = reply_options(kind, prompt, gemini)
            payload = json.dumps(make(text, version, **options)).encode()
            self.send_bytes(200, payload[:40] if kind == "truncated_json" else payload)

    def fail(self, status: int, fault: Fault | None) -> None:
        error = {"code": status, "message": "stand-in", "status": RPC_STATUS.get(status, "ERROR")}
        extra = ""
        if fault and fault.retry_after is not None:
            extra = f"Retry-After: {fault.retry_after:g}\r\n"
        if status == 302:
            extra = "Location: /v1/chat/completions\r\n"
        self.send(status, {"error": error}, extra)

    def send(self, status: int, payload: dict[str, Any], extra: str = "") -> None:
        self.send_bytes(status, json.dumps(payload).encode(), extra)

    def send_bytes(self, status: int, payload: bytes, extra: str = "") -> None:
        extra += "".join(f"{k}: {v}\r\n" for k, v in self.server.counted.script.headers.items())
        head = (
            f"HTTP/1.1 {status} {REASONS.get(status, 'Other')}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(payload)}\r\n{extra}\r\n"
        )
        self.transport.write(head.encode("latin-1") + payload)


def reply_options(kind: str, prompt: str, gemini: bool) -> tuple[str, dict[str, Any]]:
    """The text and the way of ending of one reply."""
    if kind == "empty":
        return "", {}
    if kind == "safety":
        return "", {"finish": "SAFETY" if gemini else "content_filter"}
    if kind == "thinking":
        return "", {"finish": "MAX_TOKENS" if gemini else "length", "thoughts": 2048}
    if kind == "nonsense":
        return "I see shades of grey.", {}
    return model_replies.answer(prompt), {}


class ModelServer:
    """The server in a thread of this process."""

    def __init__(
        self, script: Script | None = None, *, port: int = 0, host: str = "127.0.0.1"
    ) -> None:
        self.counted = Counted(script or Script())
        self.jobs = gemini_batches.Jobs()
        self.host, self.port = host, port
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"

    def script(self, script: Script) -> None:
        """Change the behaviour and start counting anew."""
        self.counted = Counted(script)

    def __enter__(self) -> "ModelServer":
        self._thread.start()
        assert self._ready.wait(60), "nobody listens"
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(60)
        self._loop.close()

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._listen())
        self._ready.set()
        self._loop.run_forever()

    async def _listen(self) -> None:
        server = await self._loop.create_server(
            lambda: Connection(self), self.host, self.port, backlog=1024
        )
        self.port = server.sockets[0].getsockname()[1]

    def run_here(self) -> None:
        """Serve in this thread until the process is killed; print the URL first."""
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._listen())
        print(self.url, flush=True)
        self._loop.run_forever()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.5)
    chosen = parser.parse_args()
    ModelServer(Script(latency=chosen.latency), port=chosen.port).run_here()
