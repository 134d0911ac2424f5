"""The vectors that the Go package and every SDK pass."""

import base64
import unittest

from malote.webhook import Secret, SigningError, VerificationError, ed25519, verify

from .samples import vectors


class VectorsTest(unittest.TestCase):
    def test_all(self):
        listed = vectors()
        self.assertGreaterEqual(len(listed), 92)
        for vector in listed:
            with self.subTest(vector["name"]):
                self.check(vector)

    def check(self, vector):
        parse = Secret.parse_foreign if vector.get("foreign") else Secret.parse
        secrets = [parse(text) for text in vector["secrets"]]
        if not any(secret.usable() for secret in secrets):
            self.assertFalse(ed25519.available())
            with self.assertRaisesRegex(SigningError, "cryptography"):
                self.verify(vector, secrets)
        elif vector["ok"]:
            self.assertIsNone(vector["reason"])
            message = self.verify(vector, secrets)
            self.assertEqual(message.secret, vector.get("secret", 0))
            self.assertEqual(message.body, base64.b64decode(vector["body_base64"]))
        else:
            with self.assertRaises(VerificationError) as caught:
                self.verify(vector, secrets)
            refused = caught.exception
            self.assertEqual(refused.reason, vector["reason"])
            self.assertEqual(refused.header, vector.get("header", ""))
            self.assertEqual(refused.skew_seconds, vector.get("skew_seconds", 0))
            if "diagnosis" in vector:
                self.assertEqual(refused.diagnosis, vector["diagnosis"])
            self.assertTrue(refused.advice)

    def verify(self, vector, secrets):
        return verify(
            base64.b64decode(vector["body_base64"]),
            vector["headers"],
            secrets,
            scheme=vector.get("scheme", "standard"),
            tolerance=vector.get("tolerance", 300),
            now=vector["now"],
        )
