"""Keeps the tests on this machine: sockets may reach loopback and unix sockets, no more."""

import ipaddress
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class NetworkUseForbidden(RuntimeError):
    """A test tried to reach another machine. No OSError, so that no retry hides it."""


def is_local(host: object) -> bool:
    """Say whether `host` (a name or an address) is this machine."""
    if isinstance(host, bytes):
        host = host.decode("ascii", "replace")
    if host in (None, "", "localhost", "testserver"):
        return True
    try:
        address = ipaddress.ip_address(str(host).split("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def check_address(family: int, address: Any) -> None:
    """Raise NetworkUseForbidden where `address` is of another machine."""
    if family in (socket.AF_INET, socket.AF_INET6) and not is_local(address[0]):
        raise NetworkUseForbidden(f"a test tried to reach {address!r}")


def guarded(real: Callable[..., Any], place: int) -> Callable[..., Any]:
    def call(self: socket.socket, *args: Any) -> Any:
        check_address(self.family, args[place])
        return real(self, *args)

    return call


@contextmanager
def only_this_machine() -> Iterator[None]:
    """Refuse connections and name look-ups of other machines while the context lasts."""
    real_look_up = socket.getaddrinfo

    def look_up(host: Any, *args: Any, **options: Any) -> Any:
        if not is_local(host):
            raise NetworkUseForbidden(f"a test tried to look up {host!r}")
        return real_look_up(host, *args, **options)

    places = {"connect": 0, "connect_ex": 0, "sendto": -1}
    own = {name: socket.socket.__dict__.get(name) for name in places}
    for name, place in places.items():
        setattr(socket.socket, name, guarded(getattr(socket.socket, name), place))
    socket.getaddrinfo = look_up
    try:
        yield
    finally:
        socket.getaddrinfo = real_look_up
        for name, method in own.items():
            if method is None:
                delattr(socket.socket, name)
            else:
                setattr(socket.socket, name, method)
