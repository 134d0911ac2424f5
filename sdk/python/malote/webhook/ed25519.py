"""ed25519, by the package cryptography where that is installed.

The standard library has none, and one written in Python would be slow and no
safer. Without the package, v1a signatures are not supported: they are ignored
beside v1 ones, and a receiver that has nothing but ed25519 keys is refused.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from .errors import SigningError

SEED_SIZE = 32
PUBLIC_SIZE = 32
PRIVATE_SIZE = 64  # seed and public half, as other implementations write it


@lru_cache(maxsize=None)
def _library() -> Any:
    """The library's module, or None. Loaded at the first key: it takes a while."""
    try:
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError:
        return None
    return ed25519


def available() -> bool:
    return _library() is not None


def _required() -> Any:
    if not available():
        raise SigningError("ed25519_unavailable")
    return _library()


def public_half(seed: bytes) -> bytes:
    public = _required().Ed25519PrivateKey.from_private_bytes(seed).public_key()

    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    raw: bytes = public.public_bytes(Encoding.Raw, PublicFormat.Raw)
    return raw


def sign(seed: bytes, message: bytes) -> bytes:
    signature: bytes = _required().Ed25519PrivateKey.from_private_bytes(seed).sign(message)
    return signature


def verify(public: bytes, message: bytes, signature: bytes) -> bool:
    from cryptography.exceptions import InvalidSignature

    try:
        _required().Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):  # ValueError: the key is no point of the curve
        return False
    return True
