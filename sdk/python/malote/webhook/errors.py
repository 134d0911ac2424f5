"""What verifying, signing and reading secrets can fail with.

Reasons and diagnoses are stable strings, the same as in Malote's Go package. No
error holds a body, a secret or a character of one.
"""

from __future__ import annotations

from typing import Dict, Optional

from .._errors import PortableError

# Why a webhook is refused, in the order of the checks.
MISSING_HEADER = "missing_header"  # a header is absent or empty
MALFORMED = "malformed"  # a header cannot be read
STALE = "stale"  # the timestamp is older than the tolerance
FUTURE = "future"  # the timestamp is ahead by more than the tolerance
BAD_SIGNATURE = "bad_signature"  # no signature matches any secret

# What a BAD_SIGNATURE is due to, as far as it can be found out by trying what
# the sender may have done instead.
UNUSABLE_VERSION = "unusable_version"  # no signature of a kind the secrets can check
SIGNATURE_ENCODING = "signature_encoding"  # right, but written otherwise
SECRET_NOT_DECODED = "secret_not_decoded"  # the secret's text was used as the key
BODY_REENCODED = "body_reencoded"  # the same content in other bytes
WRONG_SECRET = "wrong_secret"  # none of these: another secret, or another body

_CAUSES: Dict[Optional[str], str] = {
    UNUSABLE_VERSION: "none is of a version that this receiver's secrets can check (v1 for whsec_, v1a for whpk_)",
    SIGNATURE_ENCODING: "it is right but in the wrong encoding; the scheme's own is required",
    SECRET_NOT_DECODED: "the sender used the secret's text as the key; "
    "the key is what follows whsec_ after base64 decoding",
    BODY_REENCODED: "the body was re-encoded after signing ({detail}); verify the bytes exactly as they arrived",
    WRONG_SECRET: "another secret signed, or the body was changed after signing",
    None: "the body is too large to look for the cause",
}

_ADVICE: Dict[Optional[str], str] = {
    MISSING_HEADER: "pass on all of the request's headers; if they are there, the sender must send webhook-id, "
    "webhook-timestamp and webhook-signature",
    MALFORMED: "look at what the sender puts into the header, and at proxies that change headers",
    STALE: "compare the clocks; the sender must sign every attempt with its own time, "
    "and nothing may hold requests back",
    FUTURE: "compare the clocks of sender and receiver",
    UNUSABLE_VERSION: "give the verifier the secret that the sender signs with",
    SIGNATURE_ENCODING: "the sender must write signatures as the scheme says: base64 after v1, or hex after v1=",
    SECRET_NOT_DECODED: "the sender must base64-decode what follows whsec_ and use those bytes as the key",
    BODY_REENCODED: "verify the raw bytes: request.get_data() in Flask, request.body in Django, "
    "await request.body() in Starlette and FastAPI; not parsed JSON that was written again",
    WRONG_SECRET: "compare the secret with the endpoint's; during a rotation give both",
    None: "compare the secret with the endpoint's, and verify the raw bytes of the body",
}


class WebhookError(PortableError):
    """The base of this package's errors."""


class VerificationError(WebhookError):
    """A webhook is not genuine, or not in time. Do not act on it.

    ``reason`` says which rule it broke. ``str()`` says what is wrong and may be
    shown to the sender; ``advice`` says what the receiver can do about it.
    """

    def __init__(
        self,
        reason: str,
        *,
        header: str = "",
        skew_seconds: int = 0,
        tolerance: int = 0,
        diagnosis: Optional[str] = None,
        detail: str = "",
        advice: str = "",
    ) -> None:
        self.reason = reason
        self.header = header
        """The header at fault, of MISSING_HEADER and MALFORMED."""
        self.skew_seconds = skew_seconds
        """Now minus the timestamp, of STALE (positive) and FUTURE (negative)."""
        self.tolerance = tolerance
        """How many seconds were allowed, of STALE and FUTURE."""
        self.diagnosis = diagnosis
        """Why no signature matched, of BAD_SIGNATURE; None: the body is over 16 KiB."""
        self.detail = detail
        """What exactly, of MALFORMED and BODY_REENCODED."""
        self.advice = advice or _ADVICE[diagnosis if reason == BAD_SIGNATURE else reason]
        super().__init__(self._sentence())

    def _sentence(self) -> str:
        if self.reason == MISSING_HEADER:
            return f"the header {self.header} is missing: send webhook-id, webhook-timestamp and webhook-signature"
        if self.reason == MALFORMED:
            return f"the header {self.header} cannot be read: {self.detail}"
        if self.reason == STALE:
            return (
                f"the timestamp is {self.skew_seconds} s old and may be {self.tolerance} s: "
                "sign every attempt with its own time, and compare the clocks"
            )
        if self.reason == FUTURE:
            return (
                f"the timestamp is {-self.skew_seconds} s ahead and may be {self.tolerance} s: "
                "compare the clocks of sender and receiver"
            )
        return "no signature matches: " + _CAUSES[self.diagnosis].format(detail=self.detail)


_SIGNING = {
    "no_secret": "no secret: give at least one",
    "cannot_sign": "the secret only verifies: sign with a whsec_ secret of at least 24 bytes or a whsk_ key",
    "not_symmetric": "the scheme takes symmetric secrets only: use one that begins with whsec_",
    "bad_id": "the id must be 1 to 256 printable ASCII characters, without space and full stop",
    "bad_timestamp": "the timestamp must be after 1970 and before 5138: give the time of this attempt",
    "ed25519_unavailable": "ed25519 keys (v1a signatures) need the package cryptography, which is not installed: "
    "pip install 'malote[ed25519]', or use a whsec_ secret",
}


class SigningError(WebhookError, ValueError):
    """Signing, or building a Verifier, was asked for what cannot be done.

    ``reason`` is no_secret, cannot_sign, not_symmetric, bad_id, bad_timestamp or
    ed25519_unavailable.
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(_SIGNING[reason])


_SECRET = {
    "secret_empty": "the secret is empty: paste the whole secret, from whsec_ to its end",
    "secret_unknown_prefix": "the secret has none of the prefixes whsec_, whsk_ and whpk_: "
    "paste the webhook secret, not another kind of key",
    "secret_not_base64": "the secret is not base64: paste it in one piece, from its prefix to its end",
    "secret_too_short": "the secret has {length} bytes and needs at least {limit}: have a new one generated",
    "secret_too_long": "the secret has {length} bytes and may have at most {limit}: have a new one generated",
    "secret_bad_key_length": "the key has {length} bytes: an ed25519 public key (whpk_) has 32, "
    "a private key (whsk_) 32 or 64",
    "secret_key_mismatch": "the two halves of the private key do not belong together: export the key pair again",
}


class SecretError(WebhookError, ValueError):
    """A text is not a secret. ``reason`` says why, as a stable code."""

    def __init__(self, reason: str, *, length: int = 0, limit: int = 0) -> None:
        self.reason = reason
        self.length = length
        """How many bytes the text decoded to; 0 when it did not decode."""
        self.limit = limit
        """The limit that was missed, of secret_too_short and secret_too_long."""
        super().__init__(_SECRET[reason].format(length=length, limit=limit))
