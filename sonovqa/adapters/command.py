"""A model that is a program: it reads JSON lines and writes JSON lines.

One line goes in for each call: `id`, `model`, `system`, `user`, `media` (each with `mime` and
either `path` or, for a still, `base64`), `fps`, `max_output_tokens`, `temperature`, `seed`.
One line comes back: the same `id`, and `text` (with `tokens_in`, `tokens_out`, `model_version`,
`finish` where known) or `error`. Replies may come in any order.

The program runs without a shell, in a folder and a process group of its own, with none of our
secrets in its environment. It is started with the first call, and again after it has died.
"""

import asyncio
import base64
import contextlib
import json
import os
import shutil
import signal
import tempfile
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sonovqa.adapters import errors
from sonovqa.adapters.asking import Media, Reply, Request

PASSED_ON = (
    *("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "VIRTUAL_ENV"),
    *("CUDA_VISIBLE_DEVICES", "HF_HOME", "OMP_NUM_THREADS"),
)
LONGEST_LINE = 1_000_000  # bytes of one reply
TAIL = 2_000  # bytes of stderr that are kept
GRACE = 3.0  # seconds between the polite signal and the kill
TOKENS_MOST = 10_000_000


class CommandModel:
    """A `sonovqa.adapters.asking.Model`. Made and used in one event loop."""

    def __init__(self, arguments: Sequence[str], *, timeout: float) -> None:
        self._arguments, self._timeout = list(arguments), timeout
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._last_id = 0
        self._starting = asyncio.Lock()
        self._child: asyncio.subprocess.Process | None = None
        self._readers: list[asyncio.Task[None]] = []
        self._folder = ""
        self._replied_at = 0.0
        self._is_alive = False
        self._stderr: deque[bytes] = deque()

    async def ask(self, request: Request) -> Reply:
        """Ask once. Raises a ModelError."""
        began = time.monotonic()
        self._last_id += 1
        number = self._last_id
        try:
            async with asyncio.timeout(self._timeout):
                child = await self._running()
                ready = asyncio.get_running_loop().create_future()
                self._waiting[number] = ready
                await _send(child, _line(number, request))
                found = await ready
        except TimeoutError:
            if self._replied_at < began:  # nobody was answered meanwhile: it hangs
                async with self._starting:
                    await self._end()
            raise errors.TimedOut(f"no reply within {self._timeout:g} s{self._tail()}") from None
        except OSError as error:
            raise errors.Unreachable(f"{type(error).__name__}{self._tail()}") from None
        finally:
            self._waiting.pop(number, None)
        return _reply(found, time.monotonic() - began)

    async def close(self) -> None:
        """End the program and all that it has started."""
        await self._end()

    async def _running(self) -> asyncio.subprocess.Process:
        async with self._starting:
            if self._child is not None and self._is_alive:
                return self._child
            await self._end()
            self._folder = tempfile.mkdtemp(prefix="sonovqa-model-")
            try:
                self._child = await asyncio.create_subprocess_exec(
                    *self._arguments,
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=asyncio.subprocess.PIPE,
                    limit=LONGEST_LINE,
                    cwd=self._folder,
                    env={name: os.environ[name] for name in PASSED_ON if name in os.environ},
                    start_new_session=True,
                )
            except OSError as error:
                reason = f"the program cannot be started: {error.strerror}"
                raise errors.NotConnected(reason) from None
            self._stderr.clear()
            self._is_alive = True
            self._readers = [
                asyncio.create_task(self._read(self._child)),
                asyncio.create_task(self._listen(self._child)),
            ]
            return self._child

    async def _read(self, child: asyncio.subprocess.Process) -> None:
        """Hand each reply to the call that waits for it."""
        assert child.stdout is not None  # noqa: S101 (it is a pipe)
        trouble: errors.ModelError = errors.Unreachable("the program ended")
        while True:
            try:
                line = await child.stdout.readline()
            except ValueError:
                trouble = errors.Unparsable(f"a line of more than {LONGEST_LINE} bytes")
                break
            if not line:
                break
            found = _read_line(line)
            self._replied_at = time.monotonic() if found else self._replied_at
            ready = self._waiting.pop(found.get("id", 0), None) if found else None
            if found is not None and ready is not None and not ready.done():
                ready.set_result(found)
        self._is_alive = False  # who comes from here on starts it again
        _kill(child, signal.SIGKILL)
        left = list(self._waiting.values())
        self._waiting.clear()
        await asyncio.sleep(0)  # what it said last on stderr
        for ready in left:
            if not ready.done():
                ready.set_exception(type(trouble)(trouble.message + self._tail()))

    async def _listen(self, child: asyncio.subprocess.Process) -> None:
        """Keep the end of stderr, and let the program never wait for us to read it."""
        assert child.stderr is not None  # noqa: S101 (it is a pipe)
        size = 0
        while chunk := await child.stderr.read(4096):
            self._stderr.append(chunk)
            size += len(chunk)
            while size - len(self._stderr[0]) >= TAIL:
                size -= len(self._stderr.popleft())

    def _tail(self) -> str:
        text = b"".join(self._stderr)[-TAIL:].decode("utf-8", "replace").strip()
        return f"; it said: {text[-300:]}" if text else ""

    async def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            await _stop(child)
        for reader in self._readers:
            reader.cancel()
        await asyncio.gather(*self._readers, return_exceptions=True)
        self._readers = []
        for ready in self._waiting.values():
            if not ready.done():
                ready.set_exception(errors.Unreachable(f"the program was ended{self._tail()}"))
        self._waiting.clear()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = ""


async def _stop(child: asyncio.subprocess.Process) -> None:
    _kill(child, signal.SIGTERM)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(GRACE):
            await child.wait()
    _kill(child, signal.SIGKILL)
    await child.wait()


def _kill(child: asyncio.subprocess.Process, number: signal.Signals) -> None:
    """Signal the program's group: it and whatever it has started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, number)


async def _send(child: asyncio.subprocess.Process, line: bytes) -> None:
    assert child.stdin is not None  # noqa: S101 (it is a pipe)
    child.stdin.write(line)
    await child.stdin.drain()


def _line(number: int, request: Request) -> bytes:
    asked = {
        "id": number,
        "model": request.model,
        "system": request.system,
        "user": request.user,
        "media": [_shown(media) for media in request.media],
        "fps": request.media[0].fps if request.media else None,
        "max_output_tokens": request.max_output_tokens,
        "temperature": request.temperature,
        "seed": request.seed,
        "schema": request.schema,
    }
    return json.dumps(asked).encode() + b"\n"


def _shown(media: Media) -> dict[str, Any]:
    if media.path is not None:
        return {"mime": media.mime, "path": str(Path(media.path).resolve())}
    return {"mime": media.mime, "base64": base64.b64encode(media.data).decode("ascii")}


def _read_line(line: bytes) -> dict[str, Any] | None:
    """Return the object of a line; None for anything else that a program may print."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    is_reply = isinstance(found, dict) and type(found.get("id")) is int
    return found if is_reply else None


def _reply(found: dict[str, Any], latency: float) -> Reply:
    if (said := found.get("error")) is not None:
        raise errors.BadRequest(f"the program says: {str(said)[:300]}")
    text = found.get("text")
    if not isinstance(text, str):
        raise errors.Unparsable("the program's line has no text")
    reply = Reply(
        text=text,
        tokens_in=_count(found.get("tokens_in")),
        tokens_out=_count(found.get("tokens_out")),
        latency=latency,
        model_version=_words(found.get("model_version")),
        finish=_words(found.get("finish")),
    )
    if not text.strip():
        if reply.finish == "length":
            raise errors.TruncatedReply("the output limit was used up without text", reply=reply)
        raise errors.EmptyReply("no text", reply=reply)
    return reply


def _count(value: Any) -> int:
    return value if type(value) is int and 0 <= value <= TOKENS_MOST else 0


def _words(value: Any) -> str:
    return value[:200] if isinstance(value, str) else ""
