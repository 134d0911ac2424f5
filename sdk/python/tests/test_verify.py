"""verify(): what it accepts headers and bodies in, and how it refuses."""

import pickle
import unittest
from datetime import datetime, timezone
from unittest import mock

from malote.webhook import HEX, Secret, SigningError, VerificationError, Verifier, ed25519, verify

from .samples import BODY, ID, NOW, OTHER, SECRET, headers, hex_headers


def check(given, body=BODY, secrets=SECRET, **options):
    return verify(body, given, secrets, now=NOW, **options)


class MessageTest(unittest.TestCase):
    def test_what_it_says(self):
        given = {**headers(), "webhook-attempt": "3", "webhook-trigger": "replay"}
        message = check(given)
        self.assertEqual(message.id, ID)
        self.assertEqual(message.timestamp, datetime(2021, 2, 25, 15, 2, 10, tzinfo=timezone.utc))
        self.assertEqual((message.attempt, message.trigger, message.secret), (3, "replay", 0))
        self.assertEqual(message.body, BODY)
        self.assertEqual(message.json(), {"test": 2432232314})
        self.assertEqual(message.headers.get("Webhook-ID"), ID)
        for attempt in ("", "0", "-1", "two", "٣", "9" * 5000):
            self.assertIsNone(check({**given, "webhook-attempt": attempt}).attempt)

    def test_it_does_not_print_the_body(self):
        self.assertNotIn("2432232314", repr(check(headers())))

    def test_any_form_of_headers(self):
        given = headers()
        for form in (
            given,
            {name.upper(): value for name, value in given.items()},
            list(given.items()),
            [(name.encode(), value.encode()) for name, value in given.items()],
            {name: [value] for name, value in given.items()},
        ):
            self.assertEqual(check(form).id, ID)
        split = [*given.items(), ("webhook-signature", "v1,AAAA")]
        self.assertEqual(check(split).id, ID)
        for name in ("webhook-id", "webhook-timestamp"):
            with self.assertRaises(VerificationError) as caught:
                check([*given.items(), (name, given[name])])
            self.assertEqual((caught.exception.reason, caught.exception.header), ("malformed", name))

    def test_the_names_of_before_the_standard(self):
        svix = {name.replace("webhook", "svix"): value for name, value in headers().items()}
        self.assertEqual(check(svix).id, ID)
        self.assertEqual(check({**svix, "webhook-id": "other"}).id, ID)  # the complete one counts
        for part, missing in (
            ({"webhook-id": ID, "svix-timestamp": str(NOW)}, "webhook-timestamp"),
            ({"svix-timestamp": str(NOW)}, "svix-id"),
        ):
            with self.assertRaises(VerificationError) as caught:
                check(part)
            self.assertEqual(caught.exception.header, missing)

    def test_any_form_of_bytes_and_nothing_else(self):
        for body in (BODY, bytearray(BODY), memoryview(BODY)):
            self.assertEqual(check(headers(), body).body, BODY)
        for body in (BODY.decode(), {"test": 2432232314}, None):
            with self.assertRaisesRegex(TypeError, "request.get_data"):
                check(headers(), body)

    def test_any_form_of_now(self):
        for now in (NOW, NOW + 0.999, datetime.fromtimestamp(NOW, timezone.utc)):
            self.assertEqual(verify(BODY, headers(), SECRET, now=now).id, ID)
        with self.assertRaisesRegex(ValueError, "time zone"):
            verify(BODY, headers(), SECRET, now=datetime(2021, 2, 25))
        with self.assertRaises(VerificationError) as caught:
            verify(BODY, headers(), SECRET)
        self.assertEqual(caught.exception.reason, "stale")


class RefusalTest(unittest.TestCase):
    def test_the_edges_of_the_tolerance(self):
        for tolerance, skew, reason in (
            (300, 300, None),
            (300, -300, None),
            (300, 301, "stale"),
            (300, -301, "future"),
            (60, 61, "stale"),
            (0, 0, None),
            (0, -1, "future"),
        ):
            with self.subTest(tolerance=tolerance, skew=skew):
                given = headers(at=NOW - skew)
                if reason is None:
                    check(given, tolerance=tolerance)
                    continue
                with self.assertRaises(VerificationError) as caught:
                    check(given, tolerance=tolerance)
                self.assertEqual(caught.exception.reason, reason)
                self.assertEqual((caught.exception.skew_seconds, caught.exception.tolerance), (skew, tolerance))
                self.assertIn("compare the clocks", str(caught.exception))

    def test_neither_body_nor_secret_is_told(self):
        for given in ({}, headers(secret=OTHER), headers(at=NOW - 999), headers(b"another")):
            with self.assertRaises(VerificationError) as caught:
                check(given)
            told = f"{caught.exception} {caught.exception!r} {caught.exception.advice} {vars(caught.exception)}"
            self.assertNotIn("2432232314", told)
            self.assertNotIn("MfKQ9r8", told)

    def test_it_survives_pickling(self):
        for raised in (VerificationError("stale", skew_seconds=301, tolerance=300), SigningError("bad_id")):
            again = pickle.loads(pickle.dumps(raised))
            self.assertEqual((type(again), str(again), vars(again)), (type(raised), str(raised), vars(raised)))

    def test_the_id_is_not_signed_in_the_hex_scheme(self):
        check(hex_headers(), scheme=HEX)
        self.assertEqual(check({**hex_headers(), "webhook-id": "other"}, scheme=HEX).id, "other")

    def test_what_cannot_be_a_verifier(self):
        for secrets, reason in (([], "no_secret"), ((), "no_secret")):
            with self.assertRaises(SigningError) as caught:
                Verifier(secrets)
            self.assertEqual(caught.exception.reason, reason)
        public = "whpk_" + "A" * 43
        with self.assertRaises(SigningError) as caught:
            Verifier(public, scheme=HEX)
        self.assertEqual(caught.exception.reason, "not_symmetric")
        with self.assertRaisesRegex(ValueError, "md5"):
            Verifier(SECRET, scheme="md5")
        with self.assertRaisesRegex(ValueError, "negative"):
            Verifier(SECRET, tolerance=-1)
        with self.assertRaisesRegex(TypeError, "bytes"):
            Verifier(SECRET.encode())


class WithoutCryptographyTest(unittest.TestCase):
    """What a machine without the package says; it may be this one."""

    PUBLIC = "whpk_" + "A" * 43 + "="

    def setUp(self):
        patch = mock.patch.object(ed25519, "_library", lambda: None)
        patch.start()
        self.addCleanup(patch.stop)

    def test_alone_it_is_refused(self):
        with self.assertRaisesRegex(SigningError, "cryptography.*pip install"):
            Verifier(self.PUBLIC)

    def test_beside_others_it_is_ignored(self):
        given = headers()
        given["webhook-signature"] = "v1a," + "A" * 86 + "== " + given["webhook-signature"]
        self.assertEqual(check(given, secrets=[self.PUBLIC, SECRET]).secret, 1)
        given["webhook-signature"] = "v1a," + "A" * 86 + "=="
        with self.assertRaises(VerificationError) as caught:
            check(given, secrets=[self.PUBLIC, SECRET])
        self.assertEqual(caught.exception.diagnosis, "unusable_version")
        self.assertRegex(caught.exception.advice, "v1a signatures were ignored.*pip install")

    def test_it_does_not_sign(self):
        private = Secret.parse("whsk_" + "A" * 43 + "=")
        with self.assertRaisesRegex(SigningError, "cryptography"):
            headers(secret=private)
        with self.assertRaisesRegex(SigningError, "cryptography"):
            Secret.generate_key_pair()
