"""A complete receiver, apart from how a framework hands over requests.

It caps the body, verifies it, runs a function once per webhook-id and answers so
that the sender retries exactly when it should.
"""

from __future__ import annotations

import dataclasses
import inspect
import logging
import time
from typing import Any, Callable, Iterable, Optional, Protocol, Union

from . import answer as answers
from .answer import Answer
from .asgi import AsgiApplication
from .envelope import Envelope
from .errors import VerificationError
from .headers import Headers, HeadersLike
from .memory import Memory
from .scheme import STANDARD
from .secret import Secrets
from .seen import AlreadyHandled, BeingHandled, Claim, NotCommitted, Seen
from .signing import Instant, read_body
from .verifying import DEFAULT_TOLERANCE, Message, Verifier
from .wsgi import respond_wsgi

DEFAULT_MAX_BODY = 1 << 20
"""The largest body that a Receiver reads, in bytes."""

_log = logging.getLogger("malote.webhook")


class Readable(Protocol):
    def read(self, size: int) -> bytes: ...


class _BrokenOff(Exception):
    """The body ended before its end."""


class Receiver:
    """Calls ``handle`` with every genuine webhook, once per webhook-id unless it
    raises, and answers

    - 200 {"id", "duplicate"} when handle returned, now or on an earlier request
      with the same id;
    - 500 when handle raised, or what a StatusError asks for. The id is free
      again, so that the sender's next attempt is handled anew;
    - 503 with Retry-After while another request with the same id is being
      handled, or when the store cannot tell. Nobody waits: a handler that takes
      long is why the sender asks again;
    - 401 for a signature that does not hold or a timestamp out of tolerance, 400
      for missing or unreadable headers or a broken-off body, 405 for anything
      but POST, 413 for a body over the limit.

    Errors are application/problem+json (RFC 9457) with the reason as "code". What
    handle raised stays on this side.

    ``wsgi`` and ``asgi`` are complete applications; ``receive`` is for frameworks
    that have their own way. The body is never decoded, even when it has a
    Content-Encoding: it was signed as it is. Work that outlasts the sender's
    patience (often 5 to 15 s) belongs in a queue of the receiver's own.

    ``seen`` is the store that repetitions are recognised by: a Memory unless
    given, which a restart forgets. ``observe`` is called with every Answer; by
    default refusals are logged as warnings, failures as errors.
    """

    def __init__(
        self,
        secrets: Secrets,
        handle: Callable[[Message], Any],
        *,
        scheme: str = STANDARD,
        tolerance: float = DEFAULT_TOLERANCE,
        max_body: int = DEFAULT_MAX_BODY,
        seen: Optional[Seen] = None,
        observe: Optional[Callable[[Answer], None]] = None,
        clock: Callable[[], Instant] = time.time,
    ) -> None:
        self._verifier = Verifier(secrets, scheme=scheme, tolerance=tolerance, clock=clock)
        self.handle = handle
        self.max_body = max_body
        self.seen: Seen = Memory() if seen is None else seen
        self._observe = observe or log_answer
        self.asgi = AsgiApplication(self)
        """The receiver as an ASGI application. handle may be a coroutine function;
        another one, and the store, run in threads."""

    def receive(self, method: str, headers: HeadersLike, body: Union[bytes, Readable]) -> Answer:
        """Does everything for one request. The body is its bytes, or a stream that
        ends where the body ends."""
        verified = self.verify(method, headers, body)
        if isinstance(verified, Answer):
            return self.observed(verified)
        return self.observed(self.handle_once(verified))

    def verify(self, method: str, headers: HeadersLike, body: Union[bytes, Readable]) -> Union[Message, Answer]:
        """The verified message, or the answer that refuses the request."""
        read = Headers(headers)
        envelope = self.open(method, read)
        if isinstance(envelope, Answer):
            return envelope
        collected = self.collect(read, _chunks(body, self.max_body))
        if isinstance(collected, Answer):
            return collected
        return self.check(envelope, read, collected)

    def open(self, method: str, headers: Headers) -> Union[Envelope, Answer]:
        """Checks what can be checked before the body is read."""
        if method != "POST":
            return answers.problem(405, "method_not_allowed")
        try:
            envelope = self._verifier.open(headers)
        except VerificationError as error:
            return answers.refused(error)
        if (headers.content_length() or 0) > self.max_body:
            return self.too_large()
        return envelope

    def collect(self, headers: Headers, chunks: Iterable[bytes]) -> Union[bytes, Answer]:
        """The whole body, unless it is too long or breaks off."""
        body = bytearray()
        try:
            for chunk in chunks:
                body += chunk
                if len(body) > self.max_body:
                    return self.too_large()
        except _BrokenOff as error:
            return self.broken_off(error.__cause__)
        if len(body) < (headers.content_length() or 0):
            return self.broken_off()
        return bytes(body)

    def check(self, envelope: Envelope, headers: Headers, body: bytes) -> Union[Message, Answer]:
        try:
            return self._verifier.check(envelope, headers, body)
        except VerificationError as error:
            return answers.refused(error)

    def handle_once(self, message: Message) -> Answer:
        """Claims the id, handles the message and settles the claim."""
        claim = self.claim(message)
        if isinstance(claim, Answer):
            return claim
        try:
            result = self.handle(dataclasses.replace(message, claim=claim))
            if inspect.iscoroutine(result):
                result.close()
                raise TypeError("handle returned a coroutine that nobody awaits: use receiver.asgi and an async def")
        except Exception as error:
            return self.give_up(message, claim, error)
        except BaseException:
            claim.release()  # the process is ending; nobody hears of an error any more
            raise
        return self.finish(message, claim)

    def claim(self, message: Message) -> Union[Claim, Answer]:
        try:
            return self.seen.claim(message.id)
        except AlreadyHandled:
            return answers.received(message, answers.DUPLICATE)
        except BeingHandled as error:
            code, outcome, failure = "in_progress", answers.BUSY, error  # type: str, str, Exception
        except Exception as error:
            code, outcome, failure = "store_unavailable", answers.FAILED, error
        return answers.problem(503, code, outcome, retry_after=answers.RETRY_SOON, message=message, error=failure)

    def finish(self, message: Message, claim: Claim) -> Answer:
        """After the handler returned."""
        try:
            claim.keep()
        except NotCommitted as error:
            return self.give_up(message, claim, error)
        except Exception as error:
            # The work is done: asking the sender for another attempt because it
            # could not be recorded would make certain that it is done twice.
            return answers.received(message, answers.HANDLED, error)
        return answers.received(message, answers.HANDLED)

    def give_up(self, message: Message, claim: Claim, error: Exception) -> Answer:
        """After the handler failed."""
        try:
            claim.release()
        except Exception as second:
            _log.error("webhook %s: its id could not be given back", message.id, exc_info=second)
        return answers.failed(message, error)

    def observed(self, answer: Answer) -> Answer:
        self._observe(answer)
        return answer

    def too_large(self) -> Answer:
        return answers.problem(413, "body_too_large")

    def broken_off(self, error: Optional[BaseException] = None) -> Answer:
        return answers.problem(400, "body_unreadable", error=error)

    def wsgi(self, environ: Any, start_response: Any) -> Iterable[bytes]:
        """The receiver as a WSGI application."""
        return respond_wsgi(self, environ, start_response)


def _chunks(body: Union[bytes, Readable], limit: int) -> Iterable[bytes]:
    """The body in parts, of which no more than the limit and one byte are read."""
    if not hasattr(body, "read"):
        yield read_body(body)
        return
    left = limit + 1
    while left > 0:
        try:
            chunk = body.read(min(left, 64 << 10))
        except Exception as error:  # servers have their own for a sender that hung up
            raise _BrokenOff from error
        if not chunk:
            return
        left -= len(chunk)
        yield chunk


def log_answer(answer: Answer) -> None:
    """The observer of a Receiver that was given none."""
    if answer.outcome == answers.REFUSED:
        why = f": {answer.error}" if answer.error else ""
        advice = getattr(answer.error, "advice", "")
        _log.warning("webhook refused, %d %s%s%s", answer.status, answer.code, why, advice and f". Advice: {advice}")
    elif answer.error is not None and answer.outcome != answers.BUSY:
        message_id = answer.message.id if answer.message else ""
        _log.error("webhook %s: %s, answered %d", message_id, answer.outcome, answer.status, exc_info=answer.error)
