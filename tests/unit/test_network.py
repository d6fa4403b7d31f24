"""Proves that no test can reach another machine."""

import socket
import urllib.request

import pytest

from tests.network import NetworkUseForbidden


@pytest.mark.parametrize("address", ["192.0.2.1", "8.8.8.8", "10.0.0.1"])
def test_connections_to_other_machines_are_refused(address):
    with socket.socket() as probe, pytest.raises(NetworkUseForbidden):
        probe.connect((address, 80))
    with socket.socket() as probe, pytest.raises(NetworkUseForbidden):
        probe.connect_ex((address, 80))


def test_datagrams_to_other_machines_are_refused():
    with socket.socket(type=socket.SOCK_DGRAM) as probe, pytest.raises(NetworkUseForbidden):
        probe.sendto(b"x", ("192.0.2.1", 53))


def test_names_of_other_machines_are_not_looked_up():
    with pytest.raises(NetworkUseForbidden):
        urllib.request.urlopen("https://example.org/")


def test_loopback_is_open():
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()


def test_unix_sockets_are_open(tmp_path):
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        server.bind(str(tmp_path / "s"))
        server.listen()
        client.connect(str(tmp_path / "s"))
