"""A Receiver as a WSGI application, alone or in front of another one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping, Optional

from .headers import Headers

if TYPE_CHECKING:
    from .receiver import Receiver

Application = Callable[[Any, Any], Iterable[bytes]]


def respond_wsgi(receiver: Receiver, environ: Mapping[str, Any], start_response: Any) -> Iterable[bytes]:
    answer = receiver.receive(environ["REQUEST_METHOD"], Headers.of_environ(environ), Input(environ))
    start_response(answer.reason_line, answer.headers)
    return [answer.body]


def mount(application: Application, path: str, receiver: Receiver) -> Application:
    """The application, with the receiver at one path in front of it.

    The receiver sees requests as they arrive, before sessions, CSRF checks or
    anything else of the application has read the body.
    """

    def mounted(environ: Any, start_response: Any) -> Iterable[bytes]:
        inner = receiver.wsgi if environ.get("PATH_INFO") == path else application
        return inner(environ, start_response)

    return mounted


class Input:
    """The body of a request, which ends where the request says.

    WSGI servers may block beyond that. Without a length there is a body only if
    the server says that it ends the stream itself.
    """

    def __init__(self, environ: Mapping[str, Any]) -> None:
        self._stream = environ["wsgi.input"]
        length = environ.get("CONTENT_LENGTH") or ""
        self._left: Optional[int] = 0
        if length.isascii() and length.isdigit():
            self._left = int(length)
        elif environ.get("wsgi.input_terminated"):
            self._left = None
        elif environ.get("HTTP_TRANSFER_ENCODING"):
            raise_on_read = OSError("the WSGI server does not hand over bodies without Content-Length")
            self._stream, self._left = _Broken(raise_on_read), None

    def read(self, size: int) -> bytes:
        if self._left is not None:
            size = min(size, self._left)
        if size <= 0:
            return b""
        data: bytes = self._stream.read(size)
        if self._left is not None:
            self._left -= len(data)
        return data


class _Broken:
    def __init__(self, error: OSError) -> None:
        self._error = error

    def read(self, size: int) -> bytes:
        raise self._error
