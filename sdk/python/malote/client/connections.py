"""One try of one request over HTTP, on connections that are kept for the next.

It follows no redirect and reads no answer beyond a limit. It knows nothing of
keys, JSON or retries.
"""

from __future__ import annotations

import http.client
import os
import socket
import ssl
import threading
import time
from typing import Dict, List, NamedTuple, Optional, Tuple
from urllib.parse import urlsplit

from .errors import NoAnswerError

# How many idle connections are kept, and for how many seconds: servers and what
# is between close them sooner or later.
_MOST_IDLE = 8
_LONGEST_IDLE = 30.0

_PIECE = 1 << 20

_TIMEOUTS = (TimeoutError, socket.timeout)  # one and the same from Python 3.10 on


class RawAnswer(NamedTuple):
    status: int
    headers: http.client.HTTPMessage
    body: bytes
    whole: bool  # False: it is longer than was to be read


class Connections:
    """Connections to one server. Thread-safe, and safe to use after a fork."""

    def __init__(self, url: str, context: Optional[ssl.SSLContext]) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("the address must be like https://malote.example.com")
        if parts.username is not None or parts.query or parts.fragment:
            raise ValueError("the address must have no user, query or fragment: give the key as key")
        self.prefix = parts.path.rstrip("/")
        self._host, self._port = parts.hostname, parts.port
        self._context: Optional[ssl.SSLContext] = None
        if parts.scheme == "https":
            self._context = context or ssl.create_default_context()
        self._lock = threading.Lock()
        self._owner = os.getpid()
        self._idle: List[Tuple[http.client.HTTPConnection, float]] = []

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection, _ in idle:
            connection.close()

    def send(
        self,
        method: str,
        target: str,
        headers: Dict[str, str],
        body: Optional[bytes],
        *,
        timeout: float,
        repeatable: bool,
        limit: int,
    ) -> RawAnswer:
        """Sends a request and reads its answer. Raises NoAnswerError."""
        while True:
            # On a kept connection, a request can be lost without anybody's fault.
            connection = self._take() if repeatable else None
            kept = connection is not None
            deadline = time.monotonic() + timeout
            try:
                if connection is None:
                    connection = self._connect(timeout)
                return self._exchange(connection, method, target, headers, body, deadline, limit)
            except NoAnswerError:
                raise
            except (OSError, http.client.HTTPException) as error:
                if connection is not None:
                    connection.close()
                if kept and not isinstance(error, _TIMEOUTS):
                    continue
                what = f"no whole answer within {timeout:g} s" if isinstance(error, _TIMEOUTS) else _named(error)
                raise NoAnswerError(what, sent=True) from error
            except BaseException:  # nobody will read what may still come
                if connection is not None:
                    connection.close()
                raise

    def _connect(self, timeout: float) -> http.client.HTTPConnection:
        connection: http.client.HTTPConnection
        if self._context is not None:
            connection = http.client.HTTPSConnection(self._host, self._port, timeout=timeout, context=self._context)
        else:
            connection = http.client.HTTPConnection(self._host, self._port, timeout=timeout)
        try:
            connection.connect()
        except OSError as error:
            connection.close()
            passing = not isinstance(error, ssl.SSLCertVerificationError)
            raise NoAnswerError(f"cannot connect: {_named(error)}", sent=False, temporary=passing) from error
        return connection

    def _exchange(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        target: str,
        headers: Dict[str, str],
        body: Optional[bytes],
        deadline: float,
        limit: int,
    ) -> RawAnswer:
        _wait_until(connection, deadline)
        connection.request(method, self.prefix + target, body, headers)
        response = connection.getresponse()
        content = bytearray()
        while len(content) <= limit:
            _wait_until(connection, deadline)
            piece = response.read(min(_PIECE, limit + 1 - len(content)))
            if not piece:
                break
            content += piece
        if response.length:  # not all came that was announced, or was read
            connection.close()
            if len(content) <= limit:
                raise http.client.IncompleteRead(bytes(content), response.length)
        elif response.isclosed() and not response.will_close:
            self._keep(connection)
        else:
            connection.close()
        return RawAnswer(response.status, response.headers, bytes(content[:limit]), len(content) <= limit)

    def _take(self) -> Optional[http.client.HTTPConnection]:
        with self._lock:
            if self._owner != os.getpid():  # the others are the parent's
                self._owner, self._idle = os.getpid(), []
            while self._idle:
                connection, since = self._idle.pop()
                if time.monotonic() - since < _LONGEST_IDLE:
                    return connection
                connection.close()
        return None

    def _keep(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            if len(self._idle) < _MOST_IDLE:
                self._idle.append((connection, time.monotonic()))
                return
        connection.close()


def _wait_until(connection: http.client.HTTPConnection, deadline: float) -> None:
    """Bounds the next wait by what is left of the time."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    if connection.sock is not None:  # None once the whole answer has come
        connection.sock.settimeout(left)


def _named(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".rstrip(": ")
