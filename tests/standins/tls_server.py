"""A small https server on loopback with a certificate of its own, and the context to trust it."""

import datetime
import http.server
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

Answer = Callable[[http.server.BaseHTTPRequestHandler, bytes], None]


@dataclass
class Standing:
    """The server: its port, the context that trusts it, and what was asked of it."""

    port: int
    context: ssl.SSLContext
    asked: list[str] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    headers: set[str] = field(default_factory=set)


def write_certificate(folder: Path, host: str) -> Path:
    """Write key and certificate of `host` into one file, good for a day."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / "server.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    path.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return path


@contextmanager
def tls_server(folder: Path, host: str, answer: Answer) -> Iterator[Standing]:
    """Serve `answer` for POSTs to `host`, on a free port of 127.0.0.1."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            standing.asked.append(self.path)
            standing.keys.add(self.headers.get("Authorization", "").removeprefix("Bearer "))
            standing.headers |= {name.lower() for name in self.headers}
            answer(self, body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    path = write_certificate(folder, host)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    trusting = ssl.create_default_context(cafile=str(path))
    standing = Standing(server.server_address[1], trusting)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield standing
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
