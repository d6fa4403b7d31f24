"""Two machines that are none: network namespaces on a bridge of their own, with root alone.

Each has one address in `NET` and reaches this process at `HERE`, and nothing else.
"""

import asyncio
import contextlib
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NET = "10.203.77"
HERE = f"{NET}.1"
# Named by process: the kernel takes its time to forget those of an earlier one.
BRIDGE = f"sqb{os.getpid()}"
NAMES = tuple(f"sqm{os.getpid()}-{number}" for number in (1, 2))
ADDRESSES = tuple(f"{NET}.{number}" for number in (11, 12))


class NotAllowed(RuntimeError):
    """This machine lets nobody make network namespaces."""


def ip(*arguments: str) -> None:
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotAllowed(f"no network namespaces here: {done.stderr.strip()}")


@contextmanager
def two_machines() -> Iterator[tuple[str, ...]]:
    """Make both; yields the names for `ip netns exec`. Raises NotAllowed."""
    if shutil.which("ip") is None:
        raise NotAllowed("no network namespaces here: there is no program ip")
    try:
        ip("link", "add", BRIDGE, "type", "bridge")
        ip("address", "add", f"{HERE}/24", "dev", BRIDGE)
        ip("link", "set", BRIDGE, "up")
        for number, (name, address) in enumerate(zip(NAMES, ADDRESSES, strict=True)):
            ip("netns", "add", name)
            cable = f"sqv{os.getpid()}-{number}"
            ip("link", "add", cable, "type", "veth", "peer", "eth0", "netns", name)
            ip("link", "set", cable, "master", BRIDGE, "up")
            inside = ("netns", "exec", name, "ip")
            ip(*inside, "address", "add", f"{address}/24", "dev", "eth0")
            ip(*inside, "link", "set", "eth0", "up")
            ip(*inside, "link", "set", "lo", "up")
        yield NAMES
    finally:
        for name in NAMES:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)
        subprocess.run(["ip", "link", "del", BRIDGE], capture_output=True, check=False)


class Door:
    """Lets the machines reach a unix socket: TCP at `HERE`, in a thread of this process."""

    def __init__(self, socket: Path) -> None:
        self.socket, self.port = socket, 0
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)

    def __enter__(self) -> "Door":
        self._thread.start()
        assert self._ready.wait(60), "nobody listens"
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(60)

    async def _serve(self) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._pass, HERE, 0)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._over.wait()
        server.close()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inner_reader, inner_writer = await asyncio.open_unix_connection(str(self.socket))
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(_copy(reader, inner_writer), _copy(inner_reader, writer))


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()
