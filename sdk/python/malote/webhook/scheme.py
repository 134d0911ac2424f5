"""How the signature header is written, and what it covers.

STANDARD is Standard Webhooks 1.0.0: a list of "v1,<base64>" (and "v1a,<base64>"
for ed25519 keys), separated by spaces, over the bytes id.timestamp.body.

HEX is the scheme of Malote's fair-queue policy: a list of "v1=<hex>", separated
by commas, over timestamp.body. It does not sign the id: whoever captures a
request can send it again under another one while its timestamp is accepted.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import Iterable, List, NamedTuple, Optional

from .secret import decode_base64

STANDARD = "standard"
HEX = "hex"

# Bounds the work that one request can ask for. Rotations need two or three.
MAX_SIGNATURES = 16

_SEPARATORS = {STANDARD: re.compile(r"[ \t]+"), HEX: re.compile(r"[ \t,]+")}
_PAIR = {STANDARD: ",", HEX: "="}


class Signature(NamedTuple):
    """One element of the signature header."""

    version: str
    text: str  # as sent
    sum: Optional[bytes]  # decoded; None when the text is not canonical in the scheme


class TooMany(Exception):
    """The header has more than MAX_SIGNATURES elements."""


def check_scheme(scheme: str) -> None:
    if scheme not in _PAIR:
        raise ValueError(f"unknown scheme {scheme!r}: use {STANDARD!r} or {HEX!r}")


def signed_head(scheme: str, message_id: str, timestamp: str) -> bytes:
    """What is signed before the body. The timestamp is the header's text."""
    head = f"{timestamp}." if scheme == HEX else f"{message_id}.{timestamp}."
    return head.encode("ascii")


def read_signatures(scheme: str, values: Iterable[str]) -> List[Signature]:
    """The header's values as one list.

    What is not of the form version and signature is left out, and so is nothing
    else: an unknown version must not hide a known one beside it.
    """
    elements = [element for value in values for element in _SEPARATORS[scheme].split(value) if element]
    if len(elements) > MAX_SIGNATURES:
        raise TooMany
    found = []
    for element in elements:
        version, pair, text = element.partition(_PAIR[scheme])
        if pair:
            found.append(Signature(version, text, _decode(scheme, text)))
    return found


def _decode(scheme: str, text: str) -> Optional[bytes]:
    if scheme == HEX:
        return decode_hex(text)
    raw = decode_base64(text)
    # Two texts for one signature would be none the less valid, but not sent by
    # anybody who follows the scheme.
    return raw if raw and base64.b64encode(raw).decode() == text else None


def decode_hex(text: str) -> Optional[bytes]:
    try:
        return binascii.unhexlify(text) or None
    except (binascii.Error, ValueError):  # ValueError: not ASCII
        return None
