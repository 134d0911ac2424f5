"""Requests to the API, with their key, their tries and their errors."""

from __future__ import annotations

import json
import ssl
import uuid
from datetime import datetime, timezone
from typing import Any, Callable, Dict, Iterator, Mapping, Optional, TypeVar
from urllib.parse import quote, urlencode

from .. import __version__, _jsontext
from .connections import Connections, RawAnswer
from .errors import UNUSABLE_ANSWER, MaloteError, NoAnswerError, error_of
from .retry import Backoff, retry_after

# How long a try waits at least where a receiver or a backlog says how long the
# work lasts. Malote gives up a little sooner itself.
LONG_TIMEOUT = 370.0

_MOST_ANSWER = 64 << 20

_Self = TypeVar("_Self", bound="Caller")


class Caller:
    """Sends requests. What has no method of its own, call() reaches."""

    def __init__(
        self,
        url: str,
        key: str,
        *,
        timeout: float = 30.0,
        retry: Optional[Backoff] = None,
        user_agent: str = f"malote-python/{__version__}",
        context: Optional[ssl.SSLContext] = None,
    ) -> None:
        if not key or not all("!" <= c <= "~" for c in key):
            raise ValueError("the key must be printable ASCII without spaces: give the API key as it was shown")
        if timeout <= 0:
            raise ValueError("the timeout must be more than 0 seconds")
        self._key = key
        self._timeout = timeout
        self._retry = retry or Backoff()
        self._user_agent = user_agent
        self._connections = Connections(url, context)

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(key='[hidden]')"

    def close(self) -> None:
        """Closes idle connections. The client may be used again afterwards."""
        self._connections.close()

    def call(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        body: Any = None,
        idempotency_key: Optional[str] = None,
        repeatable: bool = False,
        timeout: Optional[float] = None,
    ) -> Any:
        """Sends one request and returns its answer's JSON, None where it has none.

        ``body`` is written as JSON, or sent as it is if it is bytes. A GET, and
        whatever has an idempotency_key or is said to be repeatable, is sent again
        when no answer came or it was 429, 502, 503 or 504. Raises MaloteError.
        """
        answer = self.exchange(
            method,
            path,
            query=query,
            body=body,
            idempotency_key=idempotency_key,
            repeatable=repeatable,
            timeout=timeout,
        )
        if not answer.body:
            return None
        try:
            return json.loads(answer.body)
        except (ValueError, RecursionError) as error:
            raise MaloteError(answer.status, UNUSABLE_ANSWER, "", "the answer to a success is not JSON") from error

    def exchange(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        body: Any = None,
        idempotency_key: Optional[str] = None,
        repeatable: bool = False,
        timeout: Optional[float] = None,
    ) -> RawAnswer:
        """call(), with the answer as it came."""
        repeatable = repeatable or method == "GET" or idempotency_key is not None
        headers = {"Authorization": f"Bearer {self._key}", "User-Agent": self._user_agent}
        if idempotency_key is not None:
            headers["Idempotency-Key"] = idempotency_key
        content = _encoded(body, headers)
        target = path + _query(query)
        tries = 0
        while True:
            tries += 1
            try:
                answer = self._connections.send(
                    method,
                    target,
                    headers,
                    content,
                    timeout=timeout or self._timeout,
                    repeatable=repeatable,
                    limit=_MOST_ANSWER,
                )
                if 200 <= answer.status < 300:
                    return _whole(answer)
                error = self._error(answer)
            except NoAnswerError as raised:
                error = raised
            never_sent = isinstance(error, NoAnswerError) and not error.sent
            pause = self._retry.pause(tries, error) if repeatable or never_sent else None
            if pause is None:
                raise error
            self._retry.sleep(pause)

    def _error(self, answer: RawAnswer) -> MaloteError:
        headers = answer.headers
        wait = retry_after(headers.get("Retry-After", ""), datetime.now(timezone.utc))
        return error_of(
            answer.status, headers.get("Content-Type", ""), headers.get("Location", ""), answer.body, wait, self._hide
        )

    def _hide(self, text: str) -> str:
        """Whatever stands between may echo the request, and with it the key."""
        return text.replace(self._key, "[hidden]")


def _encoded(body: Any, headers: Dict[str, str]) -> Optional[bytes]:
    if body is None:
        return None
    headers["Content-Type"] = "application/json"
    return body if isinstance(body, bytes) else _jsontext.write(body)


def _query(query: Optional[Mapping[str, Any]]) -> str:
    given = {name: value for name, value in (query or {}).items() if value is not None}
    return "?" + urlencode(given) if given else ""


def _whole(answer: RawAnswer) -> RawAnswer:
    if not answer.whole:
        raise MaloteError(answer.status, UNUSABLE_ANSWER, "", f"the answer is over the limit of {_MOST_ANSWER} bytes")
    return answer


def path(*parts: str) -> str:
    """Parts of a path, each escaped."""
    for part in parts:
        if part in ("", ".", ".."):
            raise ValueError(f"{part!r} is no id")
    return "/v1/" + "/".join(quote(part, safe="") for part in parts)


def once(idempotency_key: Optional[str]) -> str:
    """The caller's key, or one that is good for this call."""
    if idempotency_key == "":
        raise ValueError("the idempotency key is empty: leave it out to have one made")
    return idempotency_key or str(uuid.uuid4())


def given(**members: Any) -> Dict[str, Any]:
    """The members that are not None."""
    return {name: value for name, value in members.items() if value is not None}


def every(page: Callable[[Optional[str]], Any]) -> Iterator[Any]:
    """The rows of all pages of a list, fetched as they are needed."""
    cursor: Optional[str] = None
    while True:
        answer = page(cursor)
        yield from answer["data"]
        cursor = answer["next_cursor"]
        if cursor is None:
            return
