"""What several tests send: the example of Standard Webhooks, signed at will."""

from __future__ import annotations

import importlib
import json
import os
import random
import unittest
from pathlib import Path
from typing import Any, Dict, List

from malote.webhook import Secret, sign, sign_hex

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER = Secret.generate()
ID = "msg_p5jXN8AQM9LWM0D4loKWxJek"
NOW = 1614265330
BODY = b'{"test": 2432232314}'

SEED = int(os.environ.get("MALOTE_TEST_SEED", "20260104"))


def needs(module: str) -> None:
    """For what tests need beyond the standard library: without it they are skipped,
    but where MALOTE_TEST_ALL says that all must run, as make test-python does."""
    try:
        importlib.import_module(module)
    except ImportError:
        if os.environ.get("MALOTE_TEST_ALL"):
            raise
        raise unittest.SkipTest(f"the package {module} is not installed") from None


def randomness(name: str) -> random.Random:
    """The same numbers in every run; another MALOTE_TEST_SEED gives others."""
    return random.Random(f"{SEED} {name}")


def headers(body: bytes = BODY, *, message_id: str = ID, at: int = NOW, secret: Any = SECRET) -> Dict[str, str]:
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(at),
        "webhook-signature": sign(message_id, at, body, secret),
    }


def hex_headers(body: bytes = BODY, *, message_id: str = ID, at: int = NOW, secret: Any = SECRET) -> Dict[str, str]:
    return {**headers(body, message_id=message_id, at=at), "webhook-signature": sign_hex(at, body, secret)}


def vectors() -> List[Dict[str, Any]]:
    """sdk/testdata/standard-webhooks.json, which every language passes."""
    path = Path(__file__).resolve().parents[2] / "testdata" / "standard-webhooks.json"
    read: List[Dict[str, Any]] = json.loads(path.read_text("utf-8"))
    return read
