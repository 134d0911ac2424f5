"""Secrets: as people paste them, and never shown."""

import base64
import unittest

from malote.webhook import Secret, SecretError, SigningError, sign, sign_hex, signed_headers, verify

from .samples import BODY, ID, NOW, SECRET, needs

KEY = base64.b64decode(SECRET[len("whsec_") :])


def encoded(raw):
    return base64.b64encode(raw).decode()


class SecretTest(unittest.TestCase):
    def test_as_people_paste_it(self):
        text = SECRET[len("whsec_") :]
        urlsafe = bytes([0xFB, 0xFF]) * 16
        for pasted, key in (
            (SECRET, KEY),
            (text, KEY),
            (f'  "{SECRET}"\n', KEY),
            (f"'{SECRET}'", KEY),
            (f"whsec_{SECRET}", KEY),
            (f"v1,{SECRET}", KEY),
            ("whsec_" + encoded(KEY + b"x").rstrip("="), KEY + b"x"),
            ("whsec_" + base64.urlsafe_b64encode(urlsafe).decode(), urlsafe),
        ):
            with self.subTest(pasted):
                self.assertEqual(Secret.parse(pasted).key(), key)

    def test_what_is_none(self):
        for text, reason in (
            ("", "secret_empty"),
            ("whsec_", "secret_empty"),
            ('""', "secret_empty"),
            ("sk_live_abcdefabcdefabcdefabcdefabcdef", "secret_unknown_prefix"),
            ("whsec_whpk_" + "A" * 40, "secret_unknown_prefix"),
            ("3f2504e0-4f89-11d3-9a0c-0305e82c3301", "secret_unknown_prefix"),
            (f"{SECRET} {SECRET}", "secret_not_base64"),
            (SECRET[:20] + "\n" + SECRET[20:], "secret_not_base64"),
            (SECRET + "!", "secret_not_base64"),
            (SECRET + "é", "secret_not_base64"),
            ("whsec_" + "-" * 16 + "/" * 16, "secret_not_base64"),
            ("whsec_" + encoded(b"x" * 23), "secret_too_short"),
            ("whsec_" + encoded(b"x" * 65), "secret_too_long"),
            ("whpk_" + encoded(b"x" * 31), "secret_bad_key_length"),
            ("whsk_" + encoded(b"x" * 33), "secret_bad_key_length"),
        ):
            with self.subTest(text):
                with self.assertRaises(SecretError) as caught:
                    Secret.parse(text)
                self.assertEqual(caught.exception.reason, reason)
                self.assertNotIn("xxx", str(caught.exception))
        with self.assertRaisesRegex(TypeError, "NoneType"):
            Secret.parse(None)

    def test_it_never_shows_itself(self):
        secret = Secret.parse(SECRET)
        for shown in (str(secret), repr(secret), f"{secret}", "%s" % secret, repr([secret])):
            self.assertIn("whsec_[redacted]", shown)
            self.assertNotIn("MfKQ", shown)
        self.assertEqual(secret.reveal(), SECRET)

    def test_foreign_ones_only_verify(self):
        short = Secret.parse_foreign("whsec_" + encoded(b"0123456789abcdef"))
        signed = Secret("symmetric", b"0123456789abcdef")
        given = signed_headers(ID, BODY, signed, timestamp=NOW)
        self.assertEqual(verify(BODY, given, short, now=NOW).id, ID)
        with self.assertRaises(SigningError) as caught:
            sign(ID, NOW, BODY, short)
        self.assertEqual(caught.exception.reason, "cannot_sign")
        with self.assertRaises(SecretError):
            Secret.parse_foreign("whsec_" + encoded(b"x" * 15))

    def test_generated_ones_differ(self):
        first, second = Secret.generate(), Secret.generate()
        self.assertEqual(len(first.key()), 32)
        self.assertNotEqual(first.reveal(), second.reveal())
        self.assertEqual(Secret.parse(first.reveal()).key(), first.key())


class SignTest(unittest.TestCase):
    def test_the_published_vectors(self):
        self.assertEqual(sign(ID, NOW, BODY, SECRET), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        both = sign(ID, NOW, BODY, [SECRET, SECRET])
        self.assertEqual(both, " ".join([sign(ID, NOW, BODY, SECRET)] * 2))
        self.assertRegex(sign_hex(NOW, BODY, [SECRET, SECRET]), "^v1=[0-9a-f]{64},v1=[0-9a-f]{64}$")

    def test_what_is_not_signed(self):
        for arguments, reason in (
            (("", NOW, BODY, SECRET), "bad_id"),
            (("a.b", NOW, BODY, SECRET), "bad_id"),
            (("a b", NOW, BODY, SECRET), "bad_id"),
            (("é", NOW, BODY, SECRET), "bad_id"),
            (("a" * 257, NOW, BODY, SECRET), "bad_id"),
            ((ID, 0, BODY, SECRET), "bad_timestamp"),
            ((ID, NOW * 1000, BODY, SECRET), "bad_timestamp"),
            ((ID, NOW, BODY, []), "no_secret"),
            ((ID, NOW, BODY, "whpk_" + "A" * 43), "cannot_sign"),
        ):
            with self.subTest(reason):
                with self.assertRaises(SigningError) as caught:
                    sign(*arguments)
                self.assertEqual(caught.exception.reason, reason)
        with self.assertRaisesRegex(TypeError, "must be bytes"):
            sign(ID, NOW, BODY.decode(), SECRET)
        with self.assertRaises(SigningError):
            sign_hex(NOW, BODY, "whpk_" + "A" * 43)

    def test_ed25519(self):
        needs("cryptography")
        private, public = Secret.generate_key_pair()
        given = signed_headers(ID, BODY, [SECRET, private], timestamp=NOW)
        self.assertEqual(verify(BODY, given, public, now=NOW).id, ID)
        self.assertEqual(verify(BODY, given, Secret.parse(private.reveal()), now=NOW).id, ID)
        self.assertEqual(Secret.parse(public.reveal()).public_key(), private.public_key())
        seed = base64.b64decode(private.reveal()[len("whsk_") :])[:32]
        with self.assertRaises(SecretError) as caught:
            Secret.parse("whsk_" + encoded(seed + b"x" * 32))
        self.assertEqual(caught.exception.reason, "secret_key_mismatch")
