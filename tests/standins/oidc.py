"""A stand-in for a hospital's OpenID Connect issuer: plain HTTP on loopback, real signatures.

It serves discovery, authorization (it signs `person` in at once and sends them back), token, keys
and user info. As the real ones do, it demands the registered address to come back to, the client's
secret, a code that is used once, and the PKCE verifier. `faults` makes it misbehave:

- "signature": the id token is signed by a key that is not published;
- "none", "hs256": the id token is unsigned, or signed with the public key as a secret;
- "nonce", "audience", "issuer", "expired", "no-exp", "azp": that claim is wrong;
- "config-issuer": discovery names another issuer; "plain-http": an endpoint elsewhere without TLS;
- "moved": the keys are told to be at another address; "broken": the token answer is no JSON;
- "other-userinfo": the user info is of somebody else; "bad-kid": no such key.
"""

import base64
import hashlib
import hmac
import json
import secrets
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

CLIENT, SECRET = "sonovqa", "the client's secret canary"
PERSON = {
    "sub": "subject-1",
    "email": "ada@hospital.example",
    "email_verified": True,
    "preferred_username": "ada",
    "given_name": "Ada",
    "family_name": "Lovelace",
}
PUBLISHED = rsa.generate_private_key(public_exponent=65537, key_size=2048)
STRANGE = rsa.generate_private_key(public_exponent=65537, key_size=2048)


def b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


@dataclass
class Issuer:
    """Use as a context manager."""

    person: dict[str, Any] = field(default_factory=lambda: dict(PERSON))
    faults: set[str] = field(default_factory=set)
    id_token_has_mail: bool = True
    asked: list[dict[str, str]] = field(default_factory=list)  # authorization requests
    codes: dict[str, dict[str, str]] = field(default_factory=dict)

    def __enter__(self) -> Self:
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                stand_in.get(self)

            def do_POST(self) -> None:
                stand_in.post(self)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.server.shutdown()
        self.server.server_close()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    def get(self, request: BaseHTTPRequestHandler) -> None:
        parts = urlsplit(request.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if parts.path == "/.well-known/openid-configuration":
            send(request, self.discovery())
        elif parts.path == "/authorize":
            self.authorize(request, query)
        elif parts.path == "/keys" and "moved" in self.faults:
            redirect(request, f"{self.address}/other-keys")
        elif parts.path in ("/keys", "/other-keys"):
            send(request, {"keys": [self.published_key()]})
        elif parts.path == "/userinfo":
            told = self.person | ({"sub": "other"} if "other-userinfo" in self.faults else {})
            send(request, told)
        else:
            request.send_error(404)

    def post(self, request: BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers["Content-Length"])).decode()
        form = {name: values[0] for name, values in parse_qs(body).items()}
        code = self.codes.pop(form.get("code", ""), None)
        challenge = b64(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        if (
            code is None
            or (form.get("client_id"), form.get("client_secret")) != (CLIENT, SECRET)
            or form.get("redirect_uri") != code["redirect_uri"]
            or challenge != code["code_challenge"]
        ):
            send(request, {"error": "invalid_grant"}, status=400)
        elif "broken" in self.faults:
            send(request, "<html>gateway", status=200)
        else:
            token = {"access_token": "access canary", "token_type": "Bearer"}
            send(request, token | {"id_token": self.id_token(code["nonce"])})

    def discovery(self) -> dict[str, Any]:
        here = self.address
        elsewhere = "http://keys.example" if "plain-http" in self.faults else here
        return {
            "issuer": "https://other.example" if "config-issuer" in self.faults else here,
            "authorization_endpoint": f"{here}/authorize",
            "token_endpoint": f"{here}/token",
            "jwks_uri": f"{elsewhere}/keys",
            "userinfo_endpoint": f"{here}/userinfo",
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
        }

    def authorize(self, request: BaseHTTPRequestHandler, query: dict[str, str]) -> None:
        self.asked.append(query)
        back = query.get("redirect_uri", "")
        wanted = query.get("client_id") == CLIENT and query.get("response_type") == "code"
        if not wanted or query.get("code_challenge_method") != "S256" or not query.get("nonce"):
            request.send_error(400)
            return
        code = secrets.token_urlsafe(16)
        self.codes[code] = query
        redirect(request, f"{back}?{urlencode({'code': code, 'state': query['state']})}")

    def id_token(self, nonce: str) -> str:
        now = int(time.time())
        mail = {} if self.id_token_has_mail else {"email", "email_verified"}
        claims = {name: value for name, value in self.person.items() if name not in mail}
        claims |= {"iss": self.address, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": nonce}
        wrong = {
            "nonce": {"nonce": "another"},
            "audience": {"aud": "somebody else"},
            "issuer": {"iss": "https://other.example"},
            "expired": {"exp": now - 60},
            "azp": {"azp": "somebody else"},
        }
        for fault in self.faults & wrong.keys():
            claims |= wrong[fault]
        if "no-exp" in self.faults:
            del claims["exp"]
        return self.signed(claims)

    def signed(self, claims: dict[str, Any]) -> str:
        headers = {"kid": "unknown" if "bad-kid" in self.faults else "key-1"}
        if "none" in self.faults:
            return jwt.encode(claims, None, algorithm="none", headers=headers)
        if "hs256" in self.faults:  # by hand: the library refuses to sign with a public key
            head = b64(json.dumps({"alg": "HS256", "typ": "JWT"} | headers).encode())
            text = f"{head}.{b64(json.dumps(claims).encode())}"
            public = PUBLISHED.public_key().public_bytes(
                serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
            )
            return f"{text}.{b64(hmac.digest(public, text.encode(), 'sha256'))}"
        key = STRANGE if "signature" in self.faults else PUBLISHED
        return jwt.encode(claims, key, algorithm="RS256", headers=headers)

    def published_key(self) -> dict[str, Any]:
        key = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(PUBLISHED.public_key()))
        return key | {"kid": "key-1", "use": "sig", "alg": "RS256"}


def use(issuer: Issuer, settings: Any) -> None:
    """Set this site up to sign people in through `issuer`, as *St. Ada*."""
    settings.OIDC_ISSUER, settings.OIDC_NAME = issuer.address, "St. Ada"
    settings.OIDC_LOOPBACK_ALLOWED = True
    app = {"provider_id": "hospital", "name": "St. Ada", "client_id": CLIENT}
    app |= {"secret": SECRET, "settings": {"server_url": issuer.address}}
    provider = settings.SOCIALACCOUNT_PROVIDERS["openid_connect"] | {"APPS": [app]}
    settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": provider}


def send(request: BaseHTTPRequestHandler, value: Any, *, status: int = 200) -> None:
    body = json.dumps(value).encode() if not isinstance(value, str) else value.encode()
    request.send_response(status)
    request.send_header("Content-Type", "application/json")
    request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    request.wfile.write(body)


def redirect(request: BaseHTTPRequestHandler, target: str) -> None:
    request.send_response(302)
    request.send_header("Location", target)
    request.send_header("Content-Length", "0")
    request.end_headers()
