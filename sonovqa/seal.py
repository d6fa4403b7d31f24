"""Secrets that have to be read again are sealed where they are stored.

The seal is Fernet (AES-128-CBC and HMAC-SHA-256) under SONOVQA_SEAL_KEY, or under a key that the
installation makes for itself.
"""

import base64
import hashlib

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings

from sonovqa import secret_store


class SealBroken(Exception):
    """What is stored was sealed with another key, or changed since."""


def seal(secret: str) -> str:
    """Return `secret` as text that only this installation can open."""
    return fernet().encrypt(secret.encode()).decode("ascii")


def unseal(sealed: str) -> str:
    """Return what was sealed. Raises SealBroken."""
    try:
        return fernet().decrypt(sealed.encode()).decode()
    except InvalidToken:
        raise SealBroken from None


def fernet() -> Fernet:
    secret = settings.SEAL_KEY or secret_store.read_or_make(settings.VAR / "seal_key")
    digest = hashlib.sha256(secret.encode()).digest()
    return Fernet(base64.urlsafe_b64encode(digest))
