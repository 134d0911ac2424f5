"""What an event carries, however the caller gives it.

Three ways and exactly one of them: data, which is written as JSON; data_json,
which is JSON already and stays as it is, byte for byte; body, which is anything,
with its content type.
"""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any, Iterable, NamedTuple, Optional, Sequence, Union

from . import _jsontext


class _NotGiven:
    """None is a value: JSON's null."""

    def __repr__(self) -> str:
        return "NOT_GIVEN"


NOT_GIVEN: Any = _NotGiven()


class Payload(NamedTuple):
    json: Optional[bytes]  # the data; None: there is a body
    body: bytes
    content_type: Optional[str]  # of the body


def read(
    data: Any, data_json: Union[bytes, str, None], body: Optional[bytes], content_type: Optional[str]
) -> Payload:
    given = [data is not NOT_GIVEN, data_json is not None, body is not None]
    if sum(given) != 1:
        raise ValueError("give exactly one of data, data_json and body")
    if body is None and content_type is not None:
        raise ValueError("content_type goes with body only: data is JSON")
    if data_json is not None:
        if not isinstance(data_json, (bytes, bytearray, memoryview, str)):
            raise TypeError(f"data_json is JSON as bytes or str, not {type(data_json).__name__}: give that as data")
        return Payload(_jsontext.check(data_json), b"", None)
    if body is not None:
        if not isinstance(body, (bytes, bytearray, memoryview)):
            raise TypeError(f"body must be bytes, not {type(body).__name__}: encode it, or give JSON as data")
        return Payload(None, bytes(body), content_type)
    return Payload(_jsontext.write(data), b"", None)


def instant(value: Union[datetime, str]) -> str:
    """RFC 3339 in UTC, of a datetime that knows its time zone; text is it already."""
    if isinstance(value, str):
        return value
    if value.tzinfo is None:
        raise ValueError("the datetime has no time zone: use datetime.now(timezone.utc)")
    return value.astimezone(timezone.utc).isoformat()


def endpoint_ids(ids: Iterable[str]) -> Sequence[str]:
    if isinstance(ids, str):
        raise TypeError("endpoint_ids is a list of ids, not one text")
    return list(ids)
