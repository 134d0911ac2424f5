"""Rules that hold for any input, tried on many. The seed is fixed and printed."""

import base64
import json
import sys
import unittest

from malote import _jsontext, outbox
from malote.client import Event
from malote.webhook import HEX, Secret, VerificationError, Verifier, sign, sign_hex, verify
from malote.webhook.reencoding import originals

from .samples import NOW, SEED, randomness

ROUNDS = 300
REASONS = {"missing_header", "malformed", "stale", "future", "bad_signature"}


def setUpModule():
    print(f"random tests: MALOTE_TEST_SEED={SEED}, {ROUNDS} rounds each", file=sys.stderr)


def any_bytes(random, most=200):
    return bytes(random.randrange(256) for _ in range(random.randrange(most)))


def any_id(random):
    allowed = [chr(c) for c in range(0x21, 0x7F) if chr(c) != "."]
    return "".join(random.choice(allowed) for _ in range(random.randint(1, 256)))


def any_json(random, depth=3):
    kind = random.randrange(7 if depth else 5)
    if kind == 5:
        return [any_json(random, depth - 1) for _ in range(random.randrange(4))]
    if kind == 6:
        return {any_text(random): any_json(random, depth - 1) for _ in range(random.randrange(4))}
    number = random.choice([random.randint(-(10**20), 10**20), random.random() * 1e9])
    return [None, random.random() < 0.5, number, 0, any_text(random)][kind]


def any_text(random):
    return "".join(random.choice('aé"\\/<&\n\u2028🏢\x01 ') for _ in range(random.randrange(8)))


class SignatureProperties(unittest.TestCase):
    def test_what_is_signed_verifies_and_nothing_else_does(self):
        random = randomness("signature")
        for _ in range(ROUNDS):
            body, message_id = any_bytes(random) + b"x", any_id(random)
            secret = Secret("symmetric", random.randbytes(32))
            standard, hexadecimal = Verifier(secret, clock=lambda: NOW), Verifier(secret, scheme=HEX, clock=lambda: NOW)
            changed = bytearray(body)
            changed[random.randrange(len(body))] ^= 1 << random.randrange(8)
            for verifier, signature in (
                (standard, sign(message_id, NOW, body, [Secret.generate(), secret])),
                (hexadecimal, sign_hex(NOW, body, [Secret.generate(), secret])),
            ):
                given = {"webhook-id": message_id, "webhook-timestamp": str(NOW), "webhook-signature": signature}
                self.assertEqual(verifier.verify(body, given).id, message_id)
                for wrong_body, wrong in (
                    (bytes(changed), given),
                    (body[:-1], given),
                    (body, {**given, "webhook-timestamp": str(NOW + 1)}),
                ):
                    with self.assertRaises(VerificationError) as caught:
                        verifier.verify(wrong_body, wrong)
                    self.assertEqual(caught.exception.reason, "bad_signature")

    def test_whatever_arrives_is_refused_with_a_reason(self):
        random = randomness("garbage")
        pieces = ["v1,", "v1a,", "v1=", " ", ",", "=", "AAAA", "é", "\x00", "\t", "1614265330", "msg_1", "9" * 30]
        names = ["webhook-id", "webhook-timestamp", "webhook-signature", "svix-id", "svix-timestamp", "svix-signature"]
        for _ in range(ROUNDS * 3):
            given = [
                (random.choice(names), "".join(random.choice(pieces) for _ in range(random.randrange(5))))
                for _ in range(random.randrange(8))
            ]
            scheme = random.choice(["standard", "hex"])
            with self.assertRaises(VerificationError) as caught:
                verify(any_bytes(random), given, Secret.generate(), scheme=scheme, now=NOW)
            self.assertIn(caught.exception.reason, REASONS)
            self.assertTrue(str(caught.exception) and caught.exception.advice)

    def test_secrets_survive_their_text(self):
        random = randomness("secrets")
        for _ in range(ROUNDS):
            raw = random.randbytes(random.randint(24, 64))
            text = base64.b64encode(raw).decode()
            urlsafe = "whsec_" + base64.urlsafe_b64encode(raw).decode()
            for written in (text, "whsec_" + text.rstrip("="), urlsafe, f' "v1,whsec_{text}" '):
                self.assertEqual(Secret.parse(written).key(), raw)
            self.assertEqual(Secret.parse(Secret("symmetric", raw).reveal()).key(), raw)


class BodyProperties(unittest.TestCase):
    def test_other_forms_of_json_mean_the_same(self):
        random = randomness("forms")
        for _ in range(ROUNDS):
            value = any_json(random)
            body = json.dumps(value, indent=random.choice([None, 1, 2]), ensure_ascii=random.random() < 0.5).encode()
            for what, original in originals(body):
                self.assertEqual(json.loads(original.decode("utf-8-sig")), value, what)

    def test_any_bytes_have_other_forms(self):
        random = randomness("any forms")
        for _ in range(ROUNDS):
            self.assertTrue(all(isinstance(original, bytes) for _, original in originals(any_bytes(random))))


class PublishProperties(unittest.TestCase):
    def test_data_json_is_kept_byte_for_byte(self):
        random = randomness("data_json")
        for _ in range(ROUNDS):
            value = any_json(random)
            text = json.dumps(value, indent=random.choice([None, 3]), ensure_ascii=random.random() < 0.5).encode()
            event = Event("acme", "invoice.paid", data_json=text, external_id=any_text(random) or None)
            written = event.encode()
            self.assertTrue(written.endswith(b',"data":' + text + b"}"))
            self.assertEqual(json.loads(written)["data"], value)
            self.assertEqual(outbox.statement("acme", "a.b", data_json=text).parameters[2].encode(), text)

    def test_what_is_not_one_value_is_refused(self):
        random = randomness("not json")
        refused = 0
        for _ in range(ROUNDS):
            text = bytearray(json.dumps(any_json(random)).encode())
            text[random.randrange(len(text))] = random.choice(b'{}[]",:x\xff\x01')
            try:
                json.loads(text.decode("utf-8"))
            except ValueError:
                refused += 1
                with self.assertRaises(ValueError):
                    Event("acme", "a.b", data_json=bytes(text)).encode()
            else:
                self.assertEqual(_jsontext.check(bytes(text)), text)
        self.assertGreater(refused, ROUNDS // 4)
        more = [b'1,"tenant":"other"', b"{}{}", b"", b" ", b"NaN", b"-Infinity", b"\xef\xbb\xbf{}", b"[" * 100_000]
        for text in more:
            with self.assertRaises(ValueError):
                Event("acme", "a.b", data_json=text).encode()
