"""Finds out why nothing matched, by trying what senders and the machinery in
front of receivers are known to get wrong.

What it tells is no help to a forger: every answer but the last needs a signature
that the secret made.
"""

from __future__ import annotations

import base64
import binascii
from typing import List, Optional, Sequence

from .envelope import Envelope
from .errors import (
    BAD_SIGNATURE,
    BODY_REENCODED,
    SECRET_NOT_DECODED,
    SIGNATURE_ENCODING,
    UNUSABLE_VERSION,
    WRONG_SECRET,
    SigningError,
    VerificationError,
)
from .reencoding import originals
from .scheme import Signature, decode_hex
from .secret import Secret, decode_base64
from .signing import can_check, mac_matches, matches

# Bound what a forged request can cost: finding the cause encodes and hashes a
# body about twenty times.
MAX_BODY = 16 << 10
MAX_SIGNATURES = 3


def diagnose(secrets: Sequence[Secret], envelope: Envelope, body: bytes) -> VerificationError:
    head, signatures = envelope.head, envelope.signatures
    if not any(can_check(secret, signatures) for secret in secrets):
        advice = _missing_library(secrets, signatures)
        return VerificationError(BAD_SIGNATURE, diagnosis=UNUSABLE_VERSION, advice=advice)
    if len(body) > MAX_BODY:
        return VerificationError(BAD_SIGNATURE)
    few = signatures[:MAX_SIGNATURES]
    others = _other_encodings(few)
    if any(matches(secret, head, body, others) for secret in secrets):
        return VerificationError(BAD_SIGNATURE, diagnosis=SIGNATURE_ENCODING)
    sums = [s.sum for s in few if s.version == "v1" and s.sum]
    if any(mac_matches(key, head, body, sums) for secret in secrets for key in secret.undecoded()):
        return VerificationError(BAD_SIGNATURE, diagnosis=SECRET_NOT_DECODED)
    for what, original in originals(body):
        if any(matches(secret, head, original, few) for secret in secrets):
            return VerificationError(BAD_SIGNATURE, diagnosis=BODY_REENCODED, detail=what)
    return VerificationError(BAD_SIGNATURE, diagnosis=WRONG_SECRET)


def _missing_library(secrets: Sequence[Secret], signatures: List[Signature]) -> str:
    """Advice for those who have the key and the signature, and not the package."""
    versions = {s.version for s in signatures}
    if any(not secret.usable() and secret.version() in versions for secret in secrets):
        return "v1a signatures were ignored. " + str(SigningError("ed25519_unavailable"))
    return ""


def _other_encodings(signatures: List[Signature]) -> List[Signature]:
    """Reads each signature in every way that is not the scheme's."""
    found = []
    for signature in signatures:
        text = signature.text.rstrip("=")
        padding = "=" * (-len(text) % 4)
        for raw in (decode_hex(text), decode_base64(text + padding), _decode_urlsafe(text + padding)):
            if raw:
                found.append(signature._replace(sum=raw))
    return found


def _decode_urlsafe(text: str) -> Optional[bytes]:
    try:
        return base64.urlsafe_b64decode(text)
    except (binascii.Error, ValueError):
        return None
