"""An HTTP server that answers as told, and remembers what it was asked."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, List, NamedTuple, Tuple, Union


class Asked(NamedTuple):
    method: str
    target: str
    headers: Dict[str, str]
    body: bytes
    connection: Any  # who asked: kept connections have the same


class Say(NamedTuple):
    """An answer."""

    status: int = 200
    body: bytes = b"{}"
    headers: Tuple[Tuple[str, str], ...] = (("Content-Type", "application/json"),)


def problem(status: int, code: str, *headers: Tuple[str, str], **more: Any) -> Say:
    body = {"title": "T", "status": status, "code": code, "detail": f"About {code}.", **more}
    return Say(status, json.dumps(body).encode(), (("Content-Type", "application/problem+json"), *headers))


# An answer, or what is done to the handler in place of one.
Step = Union[Say, Callable[[BaseHTTPRequestHandler], None]]


class ScriptedServer:
    def __init__(self, *script: Step) -> None:
        self.script = list(script)
        self.asked: List[Asked] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True
            timeout = 30

            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                outer.asked.append(Asked(self.command, self.path, dict(self.headers), body, self.client_address))
                step = outer.script.pop(0)
                if not isinstance(step, Say):
                    step(self)
                    return
                self.send_response(step.status)
                for name, value in step.headers:
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(step.body)))
                self.end_headers()
                self.wfile.write(step.body)

            do_GET = do_POST = do_PATCH = do_DELETE = answer

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def hang_up(handler: BaseHTTPRequestHandler) -> None:
    handler.close_connection = True


def break_off(handler: BaseHTTPRequestHandler) -> None:
    """The answer ends before its end."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")
    handler.close_connection = True
