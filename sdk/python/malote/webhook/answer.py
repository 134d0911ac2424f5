"""What the sender gets: the same answers as those of Malote's Go receiver."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import List, Optional, Tuple

from .errors import MALFORMED, MISSING_HEADER, VerificationError
from .verifying import Message

# What became of a request.
HANDLED = "handled"
DUPLICATE = "duplicate"  # handled on an earlier request
BUSY = "busy"  # being handled by another request
FAILED = "failed"  # the handler or the store failed
REFUSED = "refused"  # not a genuine webhook in time

# How many seconds a sender should wait for another request to finish.
RETRY_SOON = 5

# The codes of problems besides the reasons of a VerificationError, which brings
# its own sentence.
_DETAILS = {
    "method_not_allowed": "send webhooks with POST",
    "body_too_large": "the body is larger than this receiver accepts",
    "body_unreadable": "the body broke off: send as many bytes as Content-Length says",
    "in_progress": "an earlier request with this webhook-id is still being handled: send it again later",
    "store_unavailable": "the receiver cannot tell whether it has seen this webhook-id: send it again later",
    "handler_failed": "the receiver could not handle the webhook",
}

# What Python 3.13 calls otherwise.
_TITLES = {413: "Request Entity Too Large"}


class StatusError(Exception):
    """Raised by a handler, chooses the answer: 429 or 503 with a wait when it
    cannot keep up, 410 when it wants no more.

    The status is one from 400 to 599; anything else becomes 500. retry_after are
    seconds. The message is for the log and is not shown to the sender.
    """

    def __init__(self, status: int, message: str = "", *, retry_after: float = 0) -> None:
        self.status = status
        self.retry_after = retry_after
        super().__init__(message or f"answering {status}")


@dataclass(frozen=True)
class Answer:
    """An HTTP answer, and for the receiver's own log how it came about."""

    status: int
    headers: List[Tuple[str, str]]
    body: bytes
    outcome: str
    code: str = ""
    """The stable code of a problem."""
    message: Optional[Message] = field(default=None, repr=False)
    """None when the request was refused."""
    error: Optional[BaseException] = None
    """Why. With HANDLED it means that the store could not record it, so that a
    repetition may be handled again."""

    @property
    def reason_line(self) -> str:
        """The status as WSGI wants it."""
        return f"{self.status} {_title(self.status)}".strip()


def received(message: Message, outcome: str, error: Optional[BaseException] = None) -> Answer:
    body = _encode({"id": message.id, "duplicate": outcome == DUPLICATE})
    return Answer(200, _headers("application/json", body), body, outcome, "", message, error)


def problem(
    status: int,
    code: str,
    outcome: str = REFUSED,
    *,
    detail: str = "",
    retry_after: float = 0,
    message: Optional[Message] = None,
    error: Optional[BaseException] = None,
) -> Answer:
    """RFC 9457's object with the stable code that Malote adds everywhere."""
    body = _encode(
        {
            "type": "about:blank",
            "title": _title(status),
            "status": status,
            "detail": detail or _DETAILS[code],
            "code": code,
        }
    )
    headers = _headers("application/problem+json", body)
    if retry_after > 0:
        headers.append(("Retry-After", str(math.ceil(retry_after))))
    if status == 405:
        headers.append(("Allow", "POST"))
    return Answer(status, headers, body, outcome, code, message, error)


def refused(error: VerificationError) -> Answer:
    status = 400 if error.reason in (MISSING_HEADER, MALFORMED) else 401
    return problem(status, error.reason, detail=str(error), error=error)


def failed(message: Message, error: Exception) -> Answer:
    status, retry_after = 500, 0.0
    if isinstance(error, StatusError):
        status = error.status if 400 <= error.status <= 599 else 500
        retry_after = error.retry_after
    return problem(status, "handler_failed", FAILED, retry_after=retry_after, message=message, error=error)


def _headers(content_type: str, body: bytes) -> List[Tuple[str, str]]:
    return [("Content-Type", content_type), ("Content-Length", str(len(body)))]


def _encode(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def _title(status: int) -> str:
    try:
        return _TITLES.get(status) or HTTPStatus(status).phrase
    except ValueError:
        return ""
