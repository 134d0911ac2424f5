"""The bodies that a sender may have signed if a body is what is left of it after
something on the way parsed it and wrote it anew.

Key order and numbers cannot be brought back and are not tried. It works on text,
never on parsed values, and knows nothing of signatures.
"""

from __future__ import annotations

import re
from typing import Iterator, List, Match, Tuple

from .._jsontext import is_json

_BOM = b"\xef\xbb\xbf"

_STRING = rb'"[^"\\]*(?:\\.[^"\\]*)*"'
_SPACES = re.compile(rb"(" + _STRING + rb")|[ \t\r\n]+")
_MARKS = re.compile(rb"(" + _STRING + rb")|([,:])")
_TOKENS = re.compile(_STRING + rb"|[{}\[\],:]|[^\"{}\[\],:]+")
_ESCAPES = re.compile(
    rb"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\(.)", re.DOTALL
)

def originals(body: bytes) -> Iterator[Tuple[str, bytes]]:
    """Each candidate with what would have been done to it."""
    lines = body.replace(b"\r\n", b"\n")
    yield "a line break was added at its end", body.rstrip(b"\r\n")
    yield "the line break at its end was removed", body + b"\n"
    yield "the line break at its end was removed", body + b"\r\n"
    yield "a byte order mark was added", body[len(_BOM) :] if body.startswith(_BOM) else body
    yield "the byte order mark was removed", _BOM + body
    yield "line breaks became CR LF", lines
    yield "line breaks lost their CR", lines.replace(b"\n", b"\r\n")
    if is_json(body):
        yield from _original_json(body)


def _original_json(body: bytes) -> Iterator[Tuple[str, bytes]]:
    """Varies white space and escapes, the two things in which encoders differ most."""
    white = "white space in the JSON changed"
    compact = _SPACES.sub(rb"\1", body)
    tokens = _TOKENS.findall(compact)
    if _is_indentable(tokens, len(body)):
        yield white, _indent(tokens, b"  ")
        yield white, _indent(tokens, b"    ")
    spaced = _MARKS.sub(lambda m: m[1] or m[2] + b" ", compact)
    for what, text in (("escapes in the JSON changed", body), (white, compact), (white, spaced)):
        plain = _ESCAPES.sub(_unescape, text)
        ascii_only = _escape_non_ascii(plain)
        yield what, text
        yield what, plain
        yield what, ascii_only
        yield what, _escape_html(plain)
        yield what, ascii_only.replace(b"/", b"\\/")


def _is_indentable(tokens: List[bytes], length: int) -> bool:
    """Whether indenting by four makes a text no more than eight times as long.

    Depth costs by its square: a forged body of nothing but brackets would take
    seconds, and no sender ever indented it.
    """
    size, depth = length, 0
    for token in tokens:
        if token in (b"{", b"["):
            depth += 1
        elif token in (b"}", b"]"):
            depth -= 1
        elif token != b",":
            continue
        size += 1 + 4 * depth
    return size <= 8 * length + 4096


def _indent(tokens: List[bytes], step: bytes) -> bytes:
    out: List[bytes] = []
    depth = 0
    for i, token in enumerate(tokens):
        empty = i > 0 and tokens[i - 1] in (b"{", b"[")
        if token in (b"}", b"]"):
            depth -= 1
            if not empty:
                out.append(b"\n" + step * depth)
        elif empty:
            out.append(b"\n" + step * depth)
        out.append(token)
        if token in (b"{", b"["):
            depth += 1
        elif token == b",":
            out.append(b"\n" + step * depth)
        elif token == b":":
            out.append(b" ")
    return b"".join(out)


def _unescape(escape: Match[bytes]) -> bytes:
    """Replaces an escape that JSON does not require by what it stands for."""
    high, low, single, other = escape.groups()
    if high:
        code = 0x10000 + ((int(high, 16) - 0xD800) << 10) + (int(low, 16) - 0xDC00)
    elif single:
        code = int(single, 16)
    else:
        return b"/" if other == b"/" else escape[0]
    if code < 0x20 or code in (0x22, 0x5C) or 0xD800 <= code < 0xE000:
        return escape[0]
    return chr(code).encode()


_NON_ASCII = re.compile("[^\x00-\x7f\udc80-\udcff]")


def _escape_non_ascii(text: bytes) -> bytes:
    # Bytes that are not UTF-8 become single surrogates, and those bytes again.
    decoded = text.decode("utf-8", "surrogateescape")
    return _NON_ASCII.sub(_escape_character, decoded).encode("utf-8", "surrogateescape")


def _escape_character(character: Match[str]) -> str:
    units = character[0].encode("utf-16-be")
    return "".join("\\u" + units[i : i + 2].hex() for i in range(0, len(units), 2))


def _escape_html(text: bytes) -> bytes:
    for character in "<>&\u2028\u2029":
        text = text.replace(character.encode(), f"\\u{ord(character):04x}".encode())
    return text
