"""Which addresses an outsider may have us call: https on a public address, and nothing else."""

import ipaddress
import re
from urllib.parse import urlsplit

LONGEST = 300
PORTS = (443, 8443)
_NAME = re.compile(
    r"(?=.{4,253}\Z)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?"
)
_PATH = re.compile(r"(?:/[A-Za-z0-9._~-]+)*/?")
# Names that no public resolver should know; what resolves is checked again by its address.
_INSIDE = (
    "localhost", "local", "localdomain", "internal", "intranet", "lan", "home", "corp", "private",
    "home.arpa", "in-addr.arpa", "ip6.arpa", "test", "example", "invalid", "onion", "alt",
)  # fmt: skip
# Addresses that count as public and are none: IPv4 within IPv6 (mapped, NAT64, 6to4, Teredo),
# former site-local ones, relays, and a cloud's metadata server on an address of its maker.
_NOT_PUBLIC = tuple(
    ipaddress.ip_network(one)
    for one in (
        "168.63.129.16/32", "192.88.99.0/24", "192.0.0.0/24", "198.18.0.0/15", "240.0.0.0/4",
        "64:ff9b::/96", "64:ff9b:1::/48", "2001::/23", "2001:db8::/32", "2002::/16",
        "3fff::/20", "5f00::/16", "fec0::/10",
    )
)  # fmt: skip
_GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")


class NotPublic(ValueError):
    """An address may not be called; the message says why, in one sentence."""


def check_url(url: str) -> tuple[str, int]:
    """Return host and port of a base URL that may be tried. Nothing is resolved.

    Raises NotPublic unless it is https, a whole host name (no number of any spelling), a port of
    PORTS, and a plain path: no account, no query, no fragment, no escape.
    """
    if not 1 <= len(url) <= LONGEST or not url.isascii() or not url.isprintable() or " " in url:
        raise NotPublic(f"The address has 1 to {LONGEST} printable characters without spaces.")
    if not url.startswith("https://") or "\\" in url or "@" in url:
        raise NotPublic("The address begins with https:// and holds no account.")
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or ""), (443 if parts.port is None else parts.port)
    except ValueError:
        raise NotPublic("The address is not one.") from None
    if parts.netloc not in (host, f"{host}:{port}"):
        raise NotPublic("The address names its server in small letters, and a port in digits.")
    if parts.query or parts.fragment or "?" in url or "#" in url:
        raise NotPublic("The address holds no question mark and no fragment.")
    if not _PATH.fullmatch(parts.path) or "/.." in parts.path or "/./" in parts.path:
        raise NotPublic("The path is plain: letters, digits, dots, hyphens, underscores.")
    if not _NAME.fullmatch(host):
        raise NotPublic("The server has a whole name of letters, digits and hyphens, no number.")
    if any(host == name or host.endswith(f".{name}") for name in _INSIDE):
        raise NotPublic("That name is not one of the public internet.")
    if port not in PORTS:
        raise NotPublic("The port is 443 or 8443.")
    return host, port


def is_public(address: str) -> bool:
    """Say whether `address`, as a resolver or a socket gives it, is one of the public internet."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False  # with a scope ("fe80::1%eth0"), or no address
    if isinstance(found, ipaddress.IPv6Address) and found not in _GLOBAL_UNICAST:
        return False
    if not found.is_global or found.is_multicast or found.is_reserved or found.is_unspecified:
        return False
    return not any(found.version == net.version and found in net for net in _NOT_PUBLIC)
