"""Why nothing matched: what encoders do to a body is recognised."""

import json
import unittest

from malote.webhook import VerificationError, verify
from malote.webhook.reencoding import originals

from .samples import NOW, SECRET, headers

VALUE = {
    "name": "Zoë <b> & /path/",
    "emoji": "🏢",
    "line": "a\nb\u2028",
    "list": [1, 2.50, {}, []],
    "deep": {"a": [{"b": 1}]},
}


def diagnose(signed, arrived):
    try:
        verify(arrived, headers(signed), SECRET, now=NOW)
    except VerificationError as error:
        return error.diagnosis
    return "ok"


class ReencodedTest(unittest.TestCase):
    def test_what_encoders_do(self):
        compact = json.dumps(VALUE, separators=(",", ":"), ensure_ascii=False).encode()
        ascii_only = json.dumps(VALUE, separators=(",", ":")).encode()
        spaced = json.dumps(VALUE, ensure_ascii=False).encode()
        spaced_ascii = json.dumps(VALUE).encode()
        two, four = (json.dumps(VALUE, indent=n, ensure_ascii=False).encode() for n in (2, 4))
        html = compact
        for character in "<>&\u2028":
            html = html.replace(character.encode(), b"\\u%04x" % ord(character))
        slashes = ascii_only.replace(b"/", b"\\/")
        for signed in (compact, ascii_only, spaced, spaced_ascii, two, four, html, slashes):
            for arrived in (compact, ascii_only, spaced, two):
                if signed in (two, four) and arrived == ascii_only:
                    continue  # two changes at once, of which one is not tried with the other
                with self.subTest(signed=signed[:30], arrived=arrived[:30]):
                    self.assertEqual(diagnose(signed, arrived), "ok" if signed == arrived else "body_reencoded")

    def test_the_ends_of_a_body(self):
        for signed, arrived in (
            (b"a", b"a\n"),
            (b"a\n", b"a"),
            (b"a\r\n", b"a"),
            (b"\xef\xbb\xbfa", b"a"),
            (b"a", b"\xef\xbb\xbfa"),
            (b"a\r\nb", b"a\nb"),
            (b"a\nb", b"a\r\nb"),
        ):
            self.assertEqual(diagnose(signed, arrived), "body_reencoded")

    def test_what_is_not_json_is_no_trouble(self):
        for body in (b"", b"{", b"\xff\xfe{}", b'"\\ud800"', b'{"a": "\xff"}', b"NaN", b"1" * 10_000):
            self.assertEqual(diagnose(b"another", body), "wrong_secret")

    def test_a_large_body_is_not_searched(self):
        self.assertIsNone(diagnose(b"[1]", b"[1" + b" " * (16 << 10) + b"]"))

    def test_a_deep_one_does_not_grow(self):
        """Indenting 8,000 levels would make hundreds of megabytes of spaces."""
        for body in (b"[" * 8000 + b"]" * 8000, b'{"a":' * 900 + b"1" + b"}" * 900, b"[" * 60 + b"]" * 60):
            longest = max(len(original) for _, original in originals(body))
            self.assertLess(longest, 200 * len(body))
            self.assertEqual(diagnose(b"another", body), "wrong_secret")
