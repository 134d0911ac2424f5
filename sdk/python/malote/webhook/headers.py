"""Headers in whatever form a framework has them."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple, Union

_Name = Union[str, bytes]
_Value = Union[str, bytes, List[str], Tuple[str, ...]]
HeadersLike = Union["Headers", Mapping[str, Any], Iterable[Tuple[_Name, _Value]]]
"""A mapping, an object with items(), or (name, value) pairs; a value may be a list."""


class Headers:
    """A request's headers, by name in any case; a name may have several values."""

    __slots__ = ("_values",)

    def __init__(self, headers: HeadersLike) -> None:
        self._values: Dict[str, List[str]] = {}
        if isinstance(headers, Headers):
            self._values = headers._values
            return
        items = getattr(headers, "items", None)
        for name, value in headers if items is None else items():
            values = value if isinstance(value, (list, tuple)) else (value,)
            self._values.setdefault(_text(name).lower(), []).extend(map(_text, values))

    @classmethod
    def of_environ(cls, environ: Mapping[str, Any]) -> Headers:
        """The headers of a WSGI request."""
        headers = cls({})
        for name, value in environ.items():
            if name.startswith("HTTP_"):
                headers._values[name[5:].replace("_", "-").lower()] = [value]
            elif name in ("CONTENT_TYPE", "CONTENT_LENGTH") and value:
                headers._values[name.replace("_", "-").lower()] = [value]
        return headers

    def all(self, name: str) -> List[str]:
        return self._values.get(name.lower(), [])

    def get(self, name: str, default: str = "") -> str:
        """The first value, or the default."""
        return next(iter(self.all(name)), default)

    def content_length(self) -> Optional[int]:
        """None when the request does not say. More digits than anybody means are as
        good as fewer: too many."""
        text = self.get("content-length")
        return int(text.lstrip("0")[:18] or "0") if text.isascii() and text.isdigit() else None

    def items(self) -> List[Tuple[str, str]]:
        return [(name, value) for name, values in self._values.items() for value in values]

    def __repr__(self) -> str:
        return f"Headers({sorted(self._values)})"


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("latin-1")
    raise TypeError(f"a header is text, not {type(value).__name__}: pass the request's headers as they are")
