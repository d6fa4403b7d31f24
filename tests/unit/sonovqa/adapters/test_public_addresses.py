"""Addresses that outsiders give: what is refused before anything is resolved, and what after."""

import pytest

from sonovqa.adapters.public_addresses import NotPublic, check_url, is_public

GOOD = (
    "https://api.lab-of-echo.org/v1",
    "https://models.example-hospital.edu",
    "https://a.b.c.d.uni.ac.uk:8443/openai/v1/",
    "https://xn--bcher-kva.ch/v1",
)
HOSTILE = (
    # another scheme, or none
    "", " ", "http://api.lab.org/v1", "HTTPS://api.lab.org", "ftp://api.lab.org", "//api.lab.org",
    "api.lab.org/v1", "https:api.lab.org", "https:/api.lab.org", "https:///api.lab.org",
    "file:///etc/passwd", "gopher://api.lab.org", "data:text/plain,x", "javascript:alert(1)",
    "unix:///var/run/docker.sock", "https+unix://x.org", "jar:https://x.org!/", "dict://x.org",
    # loopback and private numbers in every spelling
    "https://127.0.0.1", "https://127.1", "https://127.0.1", "https://2130706433",
    "https://0x7f000001", "https://0x7f.0.0.1", "https://0177.0.0.1", "https://017700000001",
    "https://0", "https://0.0.0.0", "https://10.0.0.1", "https://172.16.0.1", "https://192.168.1.1",
    "https://169.254.169.254/latest/meta-data", "https://100.64.0.1", "https://100.100.100.200",
    "https://8.8.8.8", "https://224.0.0.1", "https://255.255.255.255", "https://1.2.3.4.",
    "https://[::1]", "https://[::]", "https://[::ffff:127.0.0.1]", "https://[::ffff:7f00:1]",
    "https://[64:ff9b::7f00:1]", "https://[fe80::1%25eth0]", "https://[fd00:ec2::254]",
    "https://[2001:4860:4860::8888]", "https://[::127.0.0.1]", "https://[2002:7f00:1::]",
    # names of the inside
    "https://localhost", "https://localhost.", "https://LOCALHOST", "https://a.localhost",
    "https://metadata.google.internal", "https://printer.local", "https://redis", "https://db.lan",
    "https://x.home.arpa", "https://x.test", "https://x.onion", "https://api.lab.org.",
    # accounts, ports, escapes, fragments
    "https://user@api.lab.org", "https://user:key@api.lab.org", "https://api.lab.org@127.0.0.1",
    "https://127.0.0.1@api.lab.org", "https://api.lab.org:22", "https://api.lab.org:0",
    "https://api.lab.org:6379", "https://api.lab.org:80", "https://api.lab.org:99999",
    "https://api.lab.org:", "https://api.lab.org:443x", "https://api.lab.org:0443",
    "https://api.lab.org:-1", "https://api.lab.org?x=1", "https://api.lab.org/v1?key=1",
    "https://api.lab.org/v1#x", "https://api.lab.org#@127.0.0.1", "https://api.lab.org/%2e%2e/",
    "https://api.lab.org/../admin", "https://api.lab.org/./x", "https://api.lab.org//x",
    "https://api.lab.org\\@127.0.0.1", "https://api.lab.org/v1;x", "https://api.lab.org/{x}",
    # signs that parsers read differently
    "https://api.lab.org\t", "https://api.lab.org\n", "https://api.lab.org\r\nHost: x",
    "https://api.lab.org\x00.evil.org", "https://api .lab.org", "https://\u2460\u2461\u2466.0.0.1",
    "https://127。0。0。1", "https://ｌocalhost.org", "https://api.lab。org", "https://bücher.ch",
    "https://-a.org", "https://a-.org", "https://a..org", "https://.org", "https://a.org..",
    "https://a_b.org", "https://API.lab.org", "https://[api.lab.org]", "https://[::1",
    "https://" + "a" * 64 + ".org", "https://" + "a." * 200 + "org", "https://a.org/" + "x" * 400,
    "https://a.1", "https://1.2.3.0x4", "https://xn--.0x7f",
)  # fmt: skip


def test_there_are_sixty_forms_at_least() -> None:
    assert len(set(HOSTILE)) >= 100


@pytest.mark.parametrize("url", GOOD)
def test_a_plain_address_may_be_tried(url: str) -> None:
    host, port = check_url(url)
    assert host in url and port in (443, 8443)


@pytest.mark.parametrize("url", HOSTILE, ids=ascii)
def test_a_hostile_address_is_refused_before_it_is_resolved(url: str) -> None:
    with pytest.raises(NotPublic):
        check_url(url)


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "1.1.1.1", "93.184.216.34", "2001:4860:4860::8888", "2606:4700::1111"]
)
def test_public_addresses_are_called(address: str) -> None:
    assert is_public(address)


NUMBERS = """
127.0.0.1 127.255.255.254 0.0.0.0 10.1.2.3 172.31.0.1 192.168.0.1 169.254.169.254
169.254.170.2 100.64.0.1 100.127.255.255 100.100.100.200 168.63.129.16 192.0.0.1 192.0.2.1
192.88.99.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1
255.255.255.255 :: ::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::7f00:1 64:ff9b::7f00:1
64:ff9b:1::1 100::1 2001::1 2001:db8::1 2002:7f00:1::1 fc00::1 fd00:ec2::254 fe80::1
fe80::1%eth0 fec0::1 ff02::1 3fff::1 5f00::1 localhost 127.1 0x7f000001 2130706433
"""


@pytest.mark.parametrize("address", ["", *NUMBERS.split()])
def test_other_addresses_are_not(address: str) -> None:
    assert not is_public(address)
