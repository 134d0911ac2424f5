"""JSON as text: written once, and checked without being changed.

Event data is kept byte for byte, so text that a caller brings is only looked at:
whether it is one JSON value, which is also what keeps it from becoming more than
one member of the object it is put into.
"""

from __future__ import annotations

import json
from typing import Any, Union


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _keep(text: str) -> str:
    return text  # a number of any length; Python's int refuses long ones


_DECODER = json.JSONDecoder(parse_constant=_refuse, parse_int=_keep, parse_float=_keep)
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def is_json(text: bytes) -> bool:
    try:
        _DECODER.decode(text.decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError):
        return False
    return True


def write(value: Any) -> bytes:
    """The value as compact JSON in UTF-8; NaN and infinities are refused."""
    try:
        return _ENCODER.encode(value).encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("the data has half of a surrogate pair, which UTF-8 cannot hold: correct the text") from None


def check(text: Union[bytes, str]) -> bytes:
    """The text's bytes, unchanged, if they are one JSON value in UTF-8."""
    raw = text.encode("utf-8") if isinstance(text, str) else bytes(text)
    try:
        _DECODER.decode(raw.decode("utf-8"))
    except RecursionError:
        raise ValueError("data_json is nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"data_json is not JSON: {error}") from None
    return raw
