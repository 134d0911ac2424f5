"""A Malote of the tests' own, with its private PostgreSQL, and a receiver for it."""

from __future__ import annotations

import atexit
import contextlib
import os
import queue
import secrets
import shutil
import signal
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import Any, Callable, Dict, Iterator
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

DEADLINE = 60.0  # seconds, for whatever a test waits for


def binary() -> str:
    """MALOTE_BIN, or bin/malote of the repository if it is built."""
    named = os.environ.get("MALOTE_BIN")
    path = Path(named) if named else Path(__file__).resolve().parents[3] / "bin" / "malote"
    if path.is_file():
        return str(path.resolve())
    if named or os.environ.get("MALOTE_TEST_ALL"):
        raise RuntimeError(f"there is no malote at {path}: make build, or set MALOTE_BIN")
    raise unittest.SkipTest(f"there is no malote at {path}: make build, or set MALOTE_BIN")


@contextlib.contextmanager
def malote(**environment: str) -> Iterator[Dict[str, str]]:
    """A running Malote: its url and an admin key."""
    program = binary()
    # Under /tmp and open to all: as root, PostgreSQL runs as the user postgres.
    directory = tempfile.mkdtemp(prefix="malote-sdk-", dir="/tmp")
    os.chmod(directory, 0o755)
    key = secrets.token_hex(20)
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    try:
        with open(os.path.join(directory, "log"), "w+", encoding="utf-8") as log:
            process = subprocess.Popen(
                [program, "serve", "--data-dir", directory + "/data", "--listen", "127.0.0.1:0"]
                + ["--allow-destinations", "127.0.0.0/8", "--drain-timeout", "2s"],
                env={**kept, "MALOTE_ADMIN_KEY": key, **environment},
                cwd=directory,
                stdout=subprocess.PIPE,
                stderr=log,
                encoding="utf-8",
            )
            # An interrupt keeps unittest from its cleanups, and a signal must be one.
            atexit.register(_stop, process, directory)
            signal.signal(signal.SIGTERM, signal.default_int_handler)
            try:
                yield {"url": _address(process, log), "key": key}
            finally:
                _stop(process, directory)
                atexit.unregister(_stop)
    except BaseException:
        shutil.rmtree(directory, ignore_errors=True)  # also when it could not be started
        raise


def _address(process: "subprocess.Popen[str]", log: Any) -> str:
    """What it says once it is ready."""
    giving_up = threading.Timer(DEADLINE, process.kill)
    giving_up.start()
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("Malote is ready at "):
                return line.split()[4]
    finally:
        giving_up.cancel()
    log.seek(0)
    raise RuntimeError(f"malote did not start:\n{log.read()}")


def _stop(process: "subprocess.Popen[str]", directory: str) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(DEADLINE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()
    shutil.rmtree(directory, ignore_errors=True)


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextlib.contextmanager
def serving(application: Callable[..., Any]) -> Iterator[str]:
    """The application on a port of its own; its address."""
    server = make_server("127.0.0.1", 0, application, server_class=_Server, handler_class=_Quiet)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def next_of(incoming: "queue.Queue[Any]") -> Any:
    try:
        return incoming.get(timeout=DEADLINE)
    except queue.Empty:
        raise AssertionError(f"nothing arrived within {DEADLINE:g} s") from None
