"""A Receiver as a WSGI application, alone or in front of another one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping, Optional

from .headers import Headers

if TYPE_CHECKING:
    from .receiver import Receiver

Application = Callable[[Any, Any], Iterable[bytes]]


def respond_wsgi(receiver: Receiver, environ: Mapping[str, Any], start_response: Any) -> Iterable[bytes]:
    headers = Headers.of_environ(environ)
    answer = receiver.receive(environ["REQUEST_METHOD"], headers, Input(environ, headers.content_length()))
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

    def __init__(self, environ: Mapping[str, Any], length: Optional[int]) -> None:
        self._stream = environ["wsgi.input"]
        terminated = environ.get("wsgi.input_terminated", False)
        self._left = length if length is not None or terminated else 0  # None: the server ends it
        self._withheld = self._left == 0 and "HTTP_TRANSFER_ENCODING" in environ

    def read(self, size: int) -> bytes:
        if self._withheld:
            raise OSError("the WSGI server does not hand over bodies without Content-Length")
        if self._left is not None:
            size = min(size, self._left)
        if size <= 0:
            return b""
        data: bytes = self._stream.read(size)
        if self._left is not None:
            self._left -= len(data)
        return data
