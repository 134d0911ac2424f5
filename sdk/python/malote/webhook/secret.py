"""Secrets: reading, making and never showing them."""

from __future__ import annotations

import base64
import binascii
import os
from typing import Iterable, List, Optional, Tuple, Union

from . import ed25519
from .errors import SecretError, SigningError

SYMMETRIC = "symmetric"  # whsec_: signs and verifies with HMAC-SHA256
PRIVATE = "ed25519_private"  # whsk_: signs and verifies with ed25519
PUBLIC = "ed25519_public"  # whpk_: only verifies

_PREFIXES = {SYMMETRIC: "whsec_", PRIVATE: "whsk_", PUBLIC: "whpk_"}

# The lengths a symmetric secret may have, in bytes after decoding.
MIN_SECRET_BYTES = 24
MAX_SECRET_BYTES = 64  # HMAC-SHA256 would only hash a longer key down to 32
MIN_FOREIGN_SECRET_BYTES = 16  # 128 bits, what an HMAC key needs at least


class Secret:
    """A key for signing or verifying webhooks.

    It never shows itself: printed or formatted it is a placeholder, and
    ``reveal()`` is the only way to its value.
    """

    __slots__ = ("kind", "foreign", "_raw", "_public")

    def __init__(self, kind: str, raw: bytes, *, public: bytes = b"", foreign: bool = False) -> None:
        self.kind = kind
        self.foreign = foreign
        """Made by another sender's rules: it only verifies."""
        self._raw = raw
        self._public = public

    @classmethod
    def parse(cls, text: str) -> Secret:
        """Reads a secret as people paste it.

        That is whsec_ and standard base64, and also without the prefix, without
        padding, in quotes, with white space around it, with a doubled prefix, or
        with the "v1," of the signature header in front. After a prefix base64
        may be URL-safe. ed25519 keys are whsk_ (seed, or seed and public half)
        and whpk_. A symmetric secret has 24 to 64 bytes. Raises SecretError.
        """
        return _parse(text, MIN_SECRET_BYTES, foreign=False)

    @classmethod
    def parse_foreign(cls, text: str) -> Secret:
        """Reads a secret that another party's sender issued: from 16 bytes on.

        The result only verifies, so that nobody's own secrets become that short.
        """
        return _parse(text, MIN_FOREIGN_SECRET_BYTES, foreign=True)

    @classmethod
    def generate(cls) -> Secret:
        """Makes a symmetric secret of 32 random bytes."""
        return cls(SYMMETRIC, os.urandom(32))

    @classmethod
    def generate_key_pair(cls) -> Tuple[Secret, Secret]:
        """Makes an ed25519 key: the private half signs, the public one verifies."""
        private = _private_secret(os.urandom(ed25519.SEED_SIZE), b"")
        return private, private.public()

    def public(self) -> Secret:
        """The public half of an ed25519 key, to be given to receivers."""
        if self.kind == SYMMETRIC:
            raise SigningError("cannot_sign")
        return Secret(PUBLIC, b"", public=self.public_key())

    def reveal(self) -> str:
        """The secret itself, prefix and base64. Show it once; never log it."""
        raw = {SYMMETRIC: self._raw, PRIVATE: self._raw + self._public, PUBLIC: self._public}[self.kind]
        return _PREFIXES[self.kind] + base64.b64encode(raw).decode()

    def key(self) -> bytes:
        """The bytes that sign: the HMAC key, or the seed of a private key."""
        return self._raw

    def public_key(self) -> bytes:
        """The 32 bytes that check v1a signatures."""
        return self._public or ed25519.public_half(self._raw)

    def version(self) -> str:
        """Which signatures it can check."""
        return "v1" if self.kind == SYMMETRIC else "v1a"

    def usable(self) -> bool:
        """Whether this machine can check with it."""
        return self.kind == SYMMETRIC or ed25519.available()

    def undecoded(self) -> List[bytes]:
        """What senders that do not decode a secret take for its key."""
        if self.kind != SYMMETRIC:
            return []
        text = self.reveal()
        return [text.encode(), text[len(_PREFIXES[SYMMETRIC]) :].encode()]

    def __repr__(self) -> str:
        return _PREFIXES[self.kind] + "[redacted]"


Secrets = Union[str, Secret, Iterable[Union[str, Secret]]]
"""One secret or several, as text or parsed; the current one first."""


def read_secrets(secrets: Secrets) -> Tuple[Secret, ...]:
    """The secrets given in any form, parsed. Raises SecretError."""
    given = [secrets] if isinstance(secrets, (str, bytes, Secret)) else list(secrets)
    if not given:
        raise SigningError("no_secret")
    return tuple(secret if isinstance(secret, Secret) else Secret.parse(secret) for secret in given)


def _parse(text: str, minimum: int, foreign: bool) -> Secret:
    if not isinstance(text, str):
        raise TypeError(f"a secret is a str such as whsec_…, not {type(text).__name__}: decode it first")
    kind, encoded = _split(text)
    raw = _decode(encoded)
    if kind == PRIVATE:
        if len(raw) not in (ed25519.SEED_SIZE, ed25519.PRIVATE_SIZE):
            raise SecretError("secret_bad_key_length", length=len(raw))
        return _private_secret(raw[: ed25519.SEED_SIZE], raw[ed25519.SEED_SIZE :])
    if kind == PUBLIC:
        if len(raw) != ed25519.PUBLIC_SIZE:
            raise SecretError("secret_bad_key_length", length=len(raw))
        return Secret(PUBLIC, b"", public=raw)
    if len(raw) < minimum:
        raise SecretError("secret_too_short", length=len(raw), limit=minimum)
    if len(raw) > MAX_SECRET_BYTES:
        raise SecretError("secret_too_long", length=len(raw), limit=MAX_SECRET_BYTES)
    return Secret(SYMMETRIC, raw, foreign=foreign)


def _private_secret(seed: bytes, public: bytes) -> Secret:
    if ed25519.available():
        computed = ed25519.public_half(seed)
        # Signing with a public half that does not belong to the seed gives the
        # seed away to whoever sees two signatures.
        if public not in (b"", computed):
            raise SecretError("secret_key_mismatch", length=len(seed) + len(public))
        public = computed
    return Secret(PRIVATE, seed, public=public)


def _split(text: str) -> Tuple[str, str]:
    """Takes off what surrounds the base64 of a pasted secret."""
    text = _unquote(text.strip())
    for version in ("v1,", "v1a,"):
        text = _without(text, version).strip()
    if not text:
        raise SecretError("secret_empty")
    for kind, prefix in _PREFIXES.items():
        rest = text
        # A form that adds the prefix to a secret that has it makes two.
        while rest.startswith(prefix):
            rest = rest[len(prefix) :]
        if rest == text:
            continue
        if not rest:
            raise SecretError("secret_empty")
        # A prefix in the wrong place is URL-safe base64 itself, and would give
        # a wrong key.
        if rest.startswith(tuple(_PREFIXES.values())):
            raise SecretError("secret_unknown_prefix")
        return kind, rest
    # These characters are URL-safe base64, but without a known prefix they are
    # more likely those of another kind of key or of a UUID.
    if "_" in text or "-" in text:
        raise SecretError("secret_unknown_prefix")
    return SYMMETRIC, text


def _without(text: str, prefix: str) -> str:
    return text[len(prefix) :] if text.startswith(prefix) else text


def _unquote(text: str) -> str:
    for quote in ('"', "'", "`"):
        if len(text) >= 2 and text[0] == text[-1] == quote:
            return text[1:-1].strip()
    return text


def _decode(encoded: str) -> bytes:
    urlsafe = "-" in encoded or "_" in encoded
    text = encoded.rstrip("=")
    raw: Optional[bytes] = None
    if not (urlsafe and ("+" in text or "/" in text)):
        raw = decode_base64(text.replace("-", "+").replace("_", "/") + "=" * (-len(text) % 4))
    if raw is None:
        raise SecretError("secret_not_base64")
    return raw


def decode_base64(text: str) -> Optional[bytes]:
    """Standard base64 with padding; None: it is none."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):  # ValueError: not ASCII
        return None
