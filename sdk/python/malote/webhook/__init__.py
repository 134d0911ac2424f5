"""Signs, verifies and receives webhooks.

It speaks two signature schemes, both over HMAC-SHA256 and both with any number of
live secrets: Standard Webhooks 1.0.0, and the hex scheme of Malote's fair-queue
policy. A Receiver is complete; verify() is for those who need only that::

    receiver = Receiver(os.environ["WEBHOOK_SECRET"], handle)   # receiver.wsgi, receiver.asgi
    message = verify(body, headers, secrets)                    # or VerificationError

The body must be the bytes as they arrived: one that was parsed and written again
is another body. The rules, reasons and answers are those of Malote's Go package
webhook. The package depends on the standard library alone, opens no connection
and never logs a body or a secret.
"""

from .answer import Answer, StatusError
from .errors import SecretError, SigningError, VerificationError, WebhookError
from .headers import Headers
from .memory import Memory
from .postgres import PostgresSeen
from .receiver import DEFAULT_MAX_BODY, Receiver
from .scheme import HEX, STANDARD
from .secret import Secret
from .seen import AlreadyHandled, BeingHandled, Claim, ClaimLost, NotCommitted, Seen
from .signing import sign, sign_hex, signed_headers
from .verifying import DEFAULT_TOLERANCE, Message, Verifier, verify
from .wsgi import mount

__all__ = [
    "Answer",
    "AlreadyHandled",
    "BeingHandled",
    "Claim",
    "ClaimLost",
    "DEFAULT_MAX_BODY",
    "DEFAULT_TOLERANCE",
    "HEX",
    "Headers",
    "Memory",
    "Message",
    "NotCommitted",
    "PostgresSeen",
    "Receiver",
    "STANDARD",
    "Secret",
    "SecretError",
    "Seen",
    "SigningError",
    "StatusError",
    "VerificationError",
    "Verifier",
    "WebhookError",
    "mount",
    "sign",
    "sign_hex",
    "signed_headers",
    "verify",
]
