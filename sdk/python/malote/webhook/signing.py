"""Signing, and the one comparison that verifying comes down to."""

from __future__ import annotations

import base64
import hashlib
import hmac
import math
import time
from datetime import datetime
from typing import Dict, Iterable, List, Optional, Tuple, Union

from . import ed25519, scheme as schemes
from .errors import SigningError
from .secret import PUBLIC, SYMMETRIC, Secret, Secrets, read_secrets

HEADER_ID = "webhook-id"
HEADER_TIMESTAMP = "webhook-timestamp"  # seconds since 1970, of this attempt
HEADER_SIGNATURE = "webhook-signature"
HEADER_ATTEMPT = "webhook-attempt"  # 1, 2, …
HEADER_TRIGGER = "webhook-trigger"  # schedule, replay, test or recover

# The longest id that is signed or accepted; it bounds what a store of seen ids
# has to keep.
MAX_ID_BYTES = 256

# The first second that cannot be meant: of today's milliseconds taken for
# seconds, and of anything after the year 5138.
MAX_TIMESTAMP = 100_000_000_000

Instant = Union[int, float, datetime]
"""Seconds since 1970, or a datetime that knows its time zone."""


def sign(message_id: str, timestamp: Instant, body: bytes, secrets: Secrets) -> str:
    """The value of webhook-signature, as Standard Webhooks 1.0.0 has it.

    Every secret signs, in the order given: the current one first and, during a
    rotation, every other live one after it. The timestamp is that of this
    attempt; the id stays the same on every attempt. Raises SigningError.
    """
    if not valid_id(message_id):
        raise SigningError("bad_id")
    head, keys = _prepare(schemes.STANDARD, message_id, timestamp, secrets)
    signatures = []
    for key in keys:
        if key.kind == SYMMETRIC:
            signature = digest(key.key(), head, read_body(body))
        else:
            signature = ed25519.sign(key.key(), head + read_body(body))
        signatures.append(f"{key.version()},{base64.b64encode(signature).decode()}")
    return " ".join(signatures)


def sign_hex(timestamp: Instant, body: bytes, secrets: Secrets) -> str:
    """The value of webhook-signature in the scheme HEX. Raises SigningError.

    The HMAC key is the secret's raw bytes, just as in sign().
    """
    head, keys = _prepare(schemes.HEX, "", timestamp, secrets)
    return ",".join("v1=" + digest(key.key(), head, read_body(body)).hex() for key in keys)


def signed_headers(
    message_id: str,
    body: bytes,
    secrets: Secrets,
    *,
    timestamp: Optional[Instant] = None,
    scheme: str = schemes.STANDARD,
) -> Dict[str, str]:
    """The three headers of a webhook; the timestamp is now unless given."""
    schemes.check_scheme(scheme)
    if not valid_id(message_id):
        raise SigningError("bad_id")
    seconds = to_seconds(time.time() if timestamp is None else timestamp)
    hexadecimal = scheme == schemes.HEX
    return {
        HEADER_ID: message_id,
        HEADER_TIMESTAMP: str(seconds),
        HEADER_SIGNATURE: sign_hex(seconds, body, secrets) if hexadecimal else sign(message_id, seconds, body, secrets),
    }


def _prepare(scheme: str, message_id: str, timestamp: Instant, secrets: Secrets) -> Tuple[bytes, Tuple[Secret, ...]]:
    seconds = to_seconds(timestamp)
    if not 0 < seconds < MAX_TIMESTAMP:
        raise SigningError("bad_timestamp")
    keys = read_secrets(secrets)
    check_secrets(scheme, keys)
    if any(key.kind == PUBLIC or key.foreign for key in keys):
        raise SigningError("cannot_sign")
    if not all(key.usable() for key in keys):
        raise SigningError("ed25519_unavailable")
    return schemes.signed_head(scheme, message_id, str(seconds)), keys


def check_secrets(scheme: str, secrets: Iterable[Secret]) -> None:
    """Whether every secret fits the scheme."""
    if scheme == schemes.HEX and any(secret.kind != SYMMETRIC for secret in secrets):
        raise SigningError("not_symmetric")


def matches(secret: Secret, head: bytes, body: bytes, signatures: List[schemes.Signature]) -> bool:
    """Whether the secret made any of the signatures.

    Comparisons take the same time wherever the bytes differ.
    """
    if not can_check(secret, signatures):
        return False
    sums = [s.sum for s in signatures if s.version == secret.version() and s.sum]
    if secret.kind == SYMMETRIC:
        return mac_matches(secret.key(), head, body, sums)
    return any(ed25519.verify(secret.public_key(), head + body, s) for s in sums)


def mac_matches(key: bytes, head: bytes, body: bytes, sums: List[bytes]) -> bool:
    right = digest(key, head, body)
    return any(hmac.compare_digest(right, s) for s in sums)


def can_check(secret: Secret, signatures: List[schemes.Signature]) -> bool:
    """Whether any signature is of the secret's version, and this machine can check it."""
    return secret.usable() and any(s.version == secret.version() for s in signatures)


def digest(key: bytes, head: bytes, body: bytes) -> bytes:
    mac = hmac.new(key, head, hashlib.sha256)
    mac.update(body)
    return mac.digest()


def valid_id(message_id: str) -> bool:
    """Also keeps an id from breaking out of the header it is sent in."""
    return 0 < len(message_id) <= MAX_ID_BYTES and all(" " < c < "\x7f" and c != "." for c in message_id)


def to_seconds(instant: Instant) -> int:
    """Whole seconds since 1970, as the header has no others."""
    if isinstance(instant, datetime):
        if instant.tzinfo is None:
            raise ValueError("the datetime has no time zone: use datetime.now(timezone.utc)")
        instant = instant.timestamp()
    return math.floor(instant)


def read_body(body: bytes) -> bytes:
    """The body's bytes. Whatever is not bytes is not what was sent."""
    if isinstance(body, bytes):
        return body
    if isinstance(body, (bytearray, memoryview)):
        return bytes(body)
    raise TypeError(
        f"the body must be bytes, not {type(body).__name__}: take them as they arrived, with request.get_data() in "
        "Flask, request.body in Django, await request.body() in Starlette and FastAPI, and parse them afterwards"
    )
