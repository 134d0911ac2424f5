"""Verifying: the headers, then the signature, then if need be the diagnosis."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any, Callable, Optional

from . import scheme as schemes
from .diagnosis import diagnose
from .envelope import Envelope, open_envelope
from .errors import SigningError
from .headers import Headers, HeadersLike
from .secret import Secrets, read_secrets
from .seen import Claim
from .signing import HEADER_ATTEMPT, HEADER_TRIGGER, Instant, check_secrets, matches, read_body, to_seconds

DEFAULT_TOLERANCE = 300
"""How many seconds a timestamp may be from now, in either direction."""

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


@dataclass(frozen=True)
class Message:
    """A webhook whose signature held."""

    id: str
    """The webhook-id: the same on every attempt and resend of one event, and so
    the key to recognise a repetition by. The scheme HEX does not sign it."""
    timestamp: datetime
    """When this attempt was signed; not the time of the event."""
    body: bytes = field(repr=False)
    """Exactly what was signed."""
    headers: Headers = field(repr=False)
    """The request's. Only id, timestamp and body are signed."""
    secret: int = 0
    """The place of the first matching secret. With the current one first, a
    rotated one can go once its place no longer turns up here."""
    attempt: Optional[int] = None
    """Counts from 1; None when the sender does not say. Not signed."""
    trigger: str = ""
    """Why the attempt was made, "schedule" for example. Not signed."""
    claim: Optional[Claim] = field(default=None, repr=False, compare=False)
    """A receiver's right to handle it; see keep()."""

    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    def keep(self, cursor: Any) -> None:
        """Records it as handled, within the transaction of the cursor.

        Call it in the transaction that does the work: with the commit both are
        done, and without it neither. Needs a store that can, such as
        PostgresSeen in the same database. Raises ClaimLost when another request
        has taken over meanwhile: let the transaction roll back.
        """
        keep_in = getattr(self.claim, "keep_in", None)
        if keep_in is None:
            raise TypeError("the receiver's store takes no part in transactions: give it seen=PostgresSeen(…)")
        keep_in(cursor)


class Verifier:
    """Checks webhooks against one or several secrets. Immutable and thread-safe.

    During a rotation give both secrets. Without the package cryptography,
    ed25519 keys (v1a signatures) are ignored beside others, and refused alone.
    Raises SecretError, SigningError or ValueError when it cannot be built.
    """

    def __init__(
        self,
        secrets: Secrets,
        *,
        scheme: str = schemes.STANDARD,
        tolerance: float = DEFAULT_TOLERANCE,
        clock: Callable[[], Instant] = time.time,
    ) -> None:
        schemes.check_scheme(scheme)
        if tolerance < 0:
            raise ValueError(f"the tolerance {tolerance} is negative: give seconds")
        self._secrets = read_secrets(secrets)
        check_secrets(scheme, self._secrets)
        if not any(secret.usable() for secret in self._secrets):
            raise SigningError("ed25519_unavailable")
        self._scheme = scheme
        self._tolerance = int(tolerance)
        self._clock = clock

    def verify(self, body: bytes, headers: HeadersLike) -> Message:
        """Returns what a genuine webhook says; raises VerificationError for others.

        The body must be the bytes exactly as they arrived. It remembers nothing:
        recognising a repeated id is for the caller (Receiver does).
        """
        read = Headers(headers)
        checked = read_body(body)
        return self.check(self.open(read), read, checked)

    def open(self, headers: Headers) -> Envelope:
        """The first half of verify, before the body is there."""
        return open_envelope(headers, self._scheme, self._tolerance, to_seconds(self._clock()))

    def check(self, envelope: Envelope, headers: Headers, body: bytes) -> Message:
        """The second half of verify."""
        for place, secret in enumerate(self._secrets):
            if matches(secret, envelope.head, body, envelope.signatures):
                break
        else:
            raise diagnose(self._secrets, envelope, body)
        attempt = headers.get(HEADER_ATTEMPT)
        counted = attempt.isascii() and attempt.isdigit() and len(attempt) < 10 and int(attempt) > 0
        return Message(
            id=envelope.id,
            timestamp=_EPOCH + timedelta(seconds=envelope.seconds),
            body=body,
            headers=headers,
            secret=place,
            attempt=int(attempt) if counted else None,
            trigger=headers.get(HEADER_TRIGGER),
        )


def verify(
    body: bytes,
    headers: HeadersLike,
    secrets: Secrets,
    *,
    scheme: str = schemes.STANDARD,
    tolerance: float = DEFAULT_TOLERANCE,
    now: Optional[Instant] = None,
) -> Message:
    """Verifies one webhook; see Verifier, which is what to keep for many."""
    instant = time.time() if now is None else now
    return Verifier(secrets, scheme=scheme, tolerance=tolerance, clock=lambda: instant).verify(body, headers)
