"""What the headers say, well-formed and in time but not yet verified.

Nothing of it may be acted on before a signature matches.
"""

from __future__ import annotations

import re
from typing import List, NamedTuple

from . import scheme as schemes
from .errors import FUTURE, MALFORMED, MISSING_HEADER, STALE, VerificationError
from .headers import Headers
from .signing import MAX_TIMESTAMP, valid_id

_SECONDS = re.compile(r"[0-9]{1,19}")  # a flood of leading zeros is kept out


class Envelope(NamedTuple):
    id: str
    seconds: int
    head: bytes  # what is signed before the body
    signatures: List[schemes.Signature]


class _Names(NamedTuple):
    """The three headers of one spelling."""

    id: str
    timestamp: str
    signature: str


_STANDARD = _Names("webhook-id", "webhook-timestamp", "webhook-signature")
# What Standard Webhooks was called before it was a standard; Svix, Clerk, Resend
# and others still send them.
_SVIX = _Names("svix-id", "svix-timestamp", "svix-signature")


def open_envelope(headers: Headers, scheme: str, tolerance: int, now: int) -> Envelope:
    """Reads and checks the headers alone, so that a request that cannot be
    accepted is refused before its body is read."""
    names = _names(headers, scheme)
    for name in names:
        if not "".join(headers.all(name)):
            raise VerificationError(MISSING_HEADER, header=name)
    message_id = _single(headers, names.id)
    if not valid_id(message_id):
        raise _malformed(names.id, "the id must be 1 to 256 printable ASCII characters, without space and full stop")
    timestamp = _single(headers, names.timestamp)
    seconds = _seconds(names.timestamp, timestamp)
    signatures = _signatures(headers, names.signature, scheme)
    _check_time(seconds, tolerance, now)
    return Envelope(message_id, seconds, schemes.signed_head(scheme, message_id, timestamp), signatures)


def _names(headers: Headers, scheme: str) -> _Names:
    """Chooses the spelling: the first that is complete, else the first of which
    anything is there, so that an error names the header that is missing."""
    if scheme == schemes.HEX:
        return _STANDARD
    standard, svix = (sum(1 for name in names if headers.get(name)) for names in (_STANDARD, _SVIX))
    return _SVIX if standard < 3 and (svix == 3 or (standard == 0 and svix > 0)) else _STANDARD


def _single(headers: Headers, name: str) -> str:
    """Refuses a header that is there twice: which one was signed, and which one
    others go by, would be anyone's guess."""
    values = headers.all(name)
    if len(values) != 1:
        raise _malformed(name, "it must be there exactly once")
    return values[0]


def _seconds(name: str, text: str) -> int:
    if not _SECONDS.fullmatch(text):
        raise _malformed(name, "it must be whole seconds since 1970, digits only")
    if int(text) >= MAX_TIMESTAMP:
        raise _malformed(name, "it must be seconds since 1970, and looks like milliseconds or less")
    return int(text)


def _signatures(headers: Headers, name: str, scheme: str) -> List[schemes.Signature]:
    try:
        signatures = schemes.read_signatures(scheme, headers.all(name))
    except schemes.TooMany:
        raise _malformed(name, f"it has more than {schemes.MAX_SIGNATURES} signatures") from None
    if not signatures:
        raise _malformed(name, "it has no v1=<hex>" if scheme == schemes.HEX else "it has no v1,<base64>")
    return signatures


def _check_time(seconds: int, tolerance: int, now: int) -> None:
    skew = now - seconds
    if skew > tolerance:
        raise VerificationError(STALE, skew_seconds=skew, tolerance=tolerance)
    if skew < -tolerance:
        raise VerificationError(FUTURE, skew_seconds=skew, tolerance=tolerance)


def _malformed(name: str, detail: str) -> VerificationError:
    return VerificationError(MALFORMED, header=name, detail=detail)
