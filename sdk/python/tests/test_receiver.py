"""The receiver's answers, which are those of the Go package."""

import io
import json
import threading
import unittest

from malote.webhook import HEX, BeingHandled, Memory, NotCommitted, Receiver, StatusError

from .samples import BODY, ID, NOW, OTHER, SECRET, headers, hex_headers


def receiver(handle=lambda message: None, **options):
    options.setdefault("observe", lambda answer: None)
    return Receiver(SECRET, handle, clock=lambda: NOW, **options)


class Faulty:
    """A store whose parts fail as told."""

    def __init__(self, claim=None, keep=None, release=None):
        self.errors = {"claim": claim, "keep": keep, "release": release}
        self.called = []

    def _call(self, name):
        self.called.append(name)
        if self.errors[name]:
            raise self.errors[name]

    def claim(self, message_id):
        self._call("claim")
        return self

    def keep(self):
        self._call("keep")

    def release(self):
        self._call("release")


class ReceiverTest(unittest.TestCase):
    def problem(self, answer, status, code, retry_after=None):
        self.assertEqual((answer.status, answer.code), (status, code))
        listed = dict(answer.headers)
        self.assertEqual(listed["Content-Type"], "application/problem+json")
        self.assertEqual(listed["Content-Length"], str(len(answer.body)))
        self.assertEqual(listed.get("Retry-After"), retry_after)
        body = json.loads(answer.body)
        self.assertEqual(list(body), ["type", "title", "status", "detail", "code"])
        self.assertEqual((body["type"], body["status"], body["code"]), ("about:blank", status, code))
        self.assertTrue(body["detail"])
        return body

    def test_each_once(self):
        handled = []
        receiving = receiver(handled.append)
        first = receiving.receive("POST", headers(), BODY)
        again = receiving.receive("POST", headers(at=NOW + 1), BODY)
        self.assertEqual((first.status, first.body), (200, b'{"id":"%s","duplicate":false}\n' % ID.encode()))
        self.assertEqual((again.status, again.body), (200, b'{"id":"%s","duplicate":true}\n' % ID.encode()))
        self.assertEqual(dict(first.headers)["Content-Type"], "application/json")
        self.assertEqual([message.body for message in handled], [BODY])
        self.assertEqual((first.outcome, again.outcome), ("handled", "duplicate"))

    def test_refusals(self):
        receiving = receiver(self.fail, max_body=100)
        body = self.problem(receiving.receive("GET", headers(), BODY), 405, "method_not_allowed")
        self.assertEqual(body["title"], "Method Not Allowed")
        self.problem(receiving.receive("POST", {}, BODY), 400, "missing_header")
        self.problem(receiving.receive("POST", {**headers(), "webhook-id": "a.b"}, BODY), 400, "malformed")
        self.problem(receiving.receive("POST", headers(secret=OTHER), BODY), 401, "bad_signature")
        self.problem(receiving.receive("POST", headers(at=NOW - 301), BODY), 401, "stale")
        self.problem(receiving.receive("POST", headers(at=NOW + 301), BODY), 401, "future")
        self.assertEqual(dict(receiving.receive("PUT", {}, BODY).headers)["Allow"], "POST")

    def test_the_largest_body(self):
        largest, larger = b"x" * 100, b"x" * 101
        receiving = receiver(max_body=100)
        for body in (largest, io.BytesIO(largest)):
            self.assertEqual(receiving.receive("POST", headers(largest), body).status, 200)
        stream = io.BytesIO(b"x" * 1000)
        body = self.problem(receiving.receive("POST", headers(larger), stream), 413, "body_too_large")
        self.assertEqual(body["title"], "Request Entity Too Large")
        self.assertLessEqual(stream.tell(), 101)
        announced = {**headers(larger), "content-length": "101"}
        stream = io.BytesIO(larger)
        self.problem(receiving.receive("POST", announced, stream), 413, "body_too_large")
        self.assertEqual(stream.tell(), 0)
        self.problem(receiving.receive("POST", headers(larger), larger), 413, "body_too_large")
        endless = {**headers(larger), "content-length": "9" * 5000}
        self.problem(receiving.receive("POST", endless, larger), 413, "body_too_large")

    def test_a_body_that_breaks_off(self):
        announced = {**headers(), "content-length": str(len(BODY) + 1)}
        self.problem(receiver(self.fail).receive("POST", announced, BODY), 400, "body_unreadable")

        class Broken:
            def read(self, size):
                raise ConnectionResetError

        answer = receiver(self.fail).receive("POST", headers(), Broken())
        self.problem(answer, 400, "body_unreadable")
        self.assertIsInstance(answer.error, ConnectionResetError)

    def test_headers_are_checked_before_the_body_is_read(self):
        class Unread:
            def read(self, size):
                raise AssertionError("the body was read")

        self.problem(receiver().receive("POST", {**headers(), "webhook-id": ""}, Unread()), 400, "missing_header")

    def test_a_body_of_text_is_a_mistake_of_the_program(self):
        with self.assertRaisesRegex(TypeError, "must be bytes"):
            receiver().receive("POST", headers(), BODY.decode())

    def test_a_handler_that_fails_is_asked_again(self):
        failing = [RuntimeError("secret detail"), StatusError(429, retry_after=1.2), StatusError(302), StatusError(599)]

        def handle(message):
            if failing:
                raise failing.pop(0)

        receiving = receiver(handle)
        answer = receiving.receive("POST", headers(), BODY)
        self.problem(answer, 500, "handler_failed")
        self.assertNotIn(b"secret detail", answer.body)
        self.assertIn("secret detail", str(answer.error))
        self.problem(receiving.receive("POST", headers(), BODY), 429, "handler_failed", "2")
        self.problem(receiving.receive("POST", headers(), BODY), 500, "handler_failed")
        self.assertEqual(self.problem(receiving.receive("POST", headers(), BODY), 599, "handler_failed")["title"], "")
        self.assertEqual(receiving.receive("POST", headers(), BODY).body.split(b",")[1], b'"duplicate":false}\n')

    def test_an_interrupted_handler_leaves_the_id_free(self):
        def handle(message):
            raise KeyboardInterrupt

        memory = Memory()
        with self.assertRaises(KeyboardInterrupt):
            receiver(handle, seen=memory).receive("POST", headers(), BODY)
        memory.claim(ID)

    def test_a_coroutine_that_nobody_awaits_is_no_success(self):
        async def handle(message):
            self.fail("it must not run")

        for function in (handle, lambda message: handle(message)):
            answer = receiver(function).receive("POST", headers(), BODY)
            self.problem(answer, 500, "handler_failed")
            self.assertRegex(str(answer.error), "receiver.asgi")

    def test_nobody_waits_for_another(self):
        inside, leave = threading.Event(), threading.Event()

        def handle(message):
            inside.set()
            self.assertTrue(leave.wait(30))

        receiving = receiver(handle)
        answers = []
        first = threading.Thread(target=lambda: answers.append(receiving.receive("POST", headers(), BODY)))
        first.start()
        try:
            self.assertTrue(inside.wait(30))
            busy = receiving.receive("POST", headers(), BODY)
        finally:
            leave.set()
            first.join(30)
        self.problem(busy, 503, "in_progress", "5")
        self.assertEqual((busy.outcome, answers[0].status), ("busy", 200))

    def test_a_store_that_fails(self):
        broken, mine = OSError("the store is down"), RuntimeError("mine")
        for store, raised, status, outcome, called in (
            (Faulty(claim=broken), None, 503, "failed", ["claim"]),
            (Faulty(claim=BeingHandled()), None, 503, "busy", ["claim"]),
            (Faulty(keep=broken), None, 200, "handled", ["claim", "keep"]),
            (Faulty(keep=NotCommitted()), None, 500, "failed", ["claim", "keep", "release"]),
            (Faulty(release=broken), mine, 500, "failed", ["claim", "release"]),
        ):
            with self.subTest(called=called, status=status):

                def handle(message):
                    if raised:
                        raise raised

                with self.assertLogs("malote.webhook") if store.errors["release"] else self.subTest():
                    answer = receiver(handle, seen=store).receive("POST", headers(), BODY)
                self.assertEqual((answer.status, answer.outcome, store.called), (status, outcome, called))
                self.assertIsNotNone(answer.error)

    def test_the_hex_scheme(self):
        receiving = receiver(scheme=HEX)
        self.assertEqual(receiving.receive("POST", hex_headers(), BODY).status, 200)
        self.problem(receiving.receive("POST", headers(), BODY), 401, "bad_signature")

    def test_without_an_observer_it_logs(self):
        def handle(message):
            raise RuntimeError("why")

        with self.assertLogs("malote.webhook", "WARNING") as logs:
            Receiver(SECRET, handle, clock=lambda: NOW).receive("POST", headers(secret=OTHER), BODY)
            Receiver(SECRET, handle, clock=lambda: NOW).receive("GET", headers(), BODY)
            Receiver(SECRET, handle, clock=lambda: NOW).receive("POST", headers(), BODY)
        self.assertRegex(logs.output[0], "refused, 401 bad_signature: no signature matches.*Advice: compare the secret")
        self.assertRegex(logs.output[1], "refused, 405 method_not_allowed")
        self.assertRegex(logs.output[2], f"(?s)webhook {ID}: failed, answered 500.*RuntimeError: why")
        self.assertNotIn("2432232314", "".join(logs.output))
        self.assertEqual([record.levelname for record in logs.records], ["WARNING", "WARNING", "ERROR"])

    def test_keep_needs_a_store_that_can(self):
        def handle(message):
            message.keep(None)

        answer = receiver(handle).receive("POST", headers(), BODY)
        self.problem(answer, 500, "handler_failed")
        self.assertRegex(str(answer.error), "PostgresSeen")
