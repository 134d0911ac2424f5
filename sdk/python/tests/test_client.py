"""The client: what it sends, when again, and how it fails."""

import base64
import json
import pickle
import socket
import threading
import unittest
from datetime import datetime, timedelta, timezone

from malote.client import Backoff, Event, Malote, MaloteError, NoAnswerError
from malote.client.retry import retry_after

from .scripted_server import Say, ScriptedServer, break_off, hang_up, problem

KEY = "key_0123456789abcdefghijkl"
PUBLISHED = Say(202, b'{"id":"evt_1","duplicate":false,"deliveries":1,"skipped":0}')


class ClientTestCase(unittest.TestCase):
    def serve(self, *script, **options):
        self.server = ScriptedServer(*script)
        self.addCleanup(self.server.close)
        self.pauses = []
        options.setdefault("retry", Backoff(sleep=self.pauses.append, random=lambda: 0.5))
        client = Malote(options.pop("url", self.server.url), KEY, **options)
        self.addCleanup(client.close)
        return client

    def bodies(self):
        return [json.loads(asked.body) for asked in self.server.asked]


class PublishTest(ClientTestCase):
    def test_what_is_sent(self):
        client = self.serve(PUBLISHED)
        raw = b'{ "b": 1, "a": 1.00, "big": 123456789012345678901234567890, "e": "\\u00eb" }'
        published = client.publish(
            "acme",
            "invoice.paid",
            data_json=raw,
            idempotency_key="invoice-42",
            coalesce_key="c",
            entity_version="7",
            external_id="x",
            occurred_at=datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc),
            endpoint_ids=["whe_1"],
        )
        self.assertEqual(published, {"id": "evt_1", "duplicate": False, "deliveries": 1, "skipped": 0})
        (asked,) = self.server.asked
        self.assertEqual((asked.method, asked.target), ("POST", "/v1/events"))
        self.assertEqual(asked.headers["Authorization"], f"Bearer {KEY}")
        self.assertEqual(asked.headers["Content-Type"], "application/json")
        self.assertRegex(asked.headers["User-Agent"], "^malote-python/")
        self.assertIn(b'"data":' + raw + b"}", asked.body)
        self.assertEqual(
            {name: value for name, value in json.loads(asked.body).items() if name != "data"},
            {
                "tenant": "acme",
                "type": "invoice.paid",
                "idempotency_key": "invoice-42",
                "coalesce_key": "c",
                "entity_version": "7",
                "external_id": "x",
                "occurred_at": "2026-01-02T03:04:05+00:00",
                "endpoint_ids": ["whe_1"],
            },
        )

    def test_other_kinds_of_content(self):
        client = self.serve(PUBLISHED, PUBLISHED, PUBLISHED)
        client.publish(None, "a.b", {"name": "Zoë"})
        client.publish(None, "a.b", None)
        client.publish(None, "a.b", body=b"\x00\xff", content_type="image/png")
        data, null, body = self.bodies()
        self.assertIn('"data":{"name":"Zoë"}'.encode(), self.server.asked[0].body)
        self.assertNotIn("tenant", data)
        self.assertIsNone(null["data"])
        self.assertEqual((base64.b64decode(body["body_base64"]), body["content_type"]), (b"\x00\xff", "image/png"))
        self.assertNotIn("data", body)
        both, typed, keyless = {"body": b""}, {"content_type": "a/b"}, {"idempotency_key": ""}
        for options in ({}, {"data": 1, **both}, {"data": 1, **typed}, {"data": 1, **keyless}):
            with self.subTest(options), self.assertRaises(ValueError):
                client.publish("acme", "a.b", **options)

    def test_a_repeat_is_the_same_request(self):
        unavailable = problem(503, "unavailable", ("Retry-After", "2"))
        client = self.serve(unavailable, hang_up, break_off, PUBLISHED)
        client.publish("acme", "a.b", {})
        self.assertEqual(len({asked.body for asked in self.server.asked}), 1)
        self.assertEqual(len(self.server.asked), 4)
        self.assertTrue(self.bodies()[0]["idempotency_key"])
        self.assertEqual(self.pauses, [2.0625, 0.375])  # losing a kept connection costs no try

    def test_keys_made_for_a_call_differ(self):
        client = self.serve(PUBLISHED, Say(202, b'{"data":[]}'))
        client.publish("acme", "a.b", 1)
        keyless = Event("acme", "a.b", 1)
        client.publish_batch([keyless, keyless, Event("acme", "a.b", 1, idempotency_key="k")])
        single, batch = self.bodies()
        keys = [single["idempotency_key"], *(event["idempotency_key"] for event in batch["events"])]
        self.assertEqual(len(set(keys)), 4)
        self.assertEqual(keys[3], "k")
        self.assertEqual(self.server.asked[1].target, "/v1/events/batch")
        self.assertNotIn("Idempotency-Key", self.server.asked[1].headers)


class RetryTest(ClientTestCase):
    def test_what_is_not_repeated(self):
        for call in (
            lambda client: client.replay("whd_1"),
            lambda client: client.replay_many(["whd_1"]),
            lambda client: client.update_endpoint("whe_1", description="x"),
            lambda client: client.delete_endpoint("whe_1"),
            lambda client: client.enable_endpoint("whe_1"),
        ):
            client = self.serve(hang_up)
            with self.assertRaises(NoAnswerError) as caught:
                call(client)
            self.assertTrue(caught.exception.sent)
            self.assertEqual((len(self.server.asked), self.pauses), (1, []))

    def test_what_creates_has_a_key(self):
        client = self.serve(hang_up, Say(201), hang_up, Say(201), hang_up, Say(201))
        client.create_endpoint("acme", "https://example.com", event_types=["a.*"])
        client.rotate_secret("whe_1", overlap="48h")
        client.create_tenant("acme", idempotency_key="mine")
        keys = [asked.headers["Idempotency-Key"] for asked in self.server.asked]
        self.assertEqual(keys[0], keys[1])
        self.assertEqual(keys[2], keys[3])
        self.assertNotEqual(keys[0], keys[2])
        self.assertEqual(keys[4:], ["mine", "mine"])
        self.assertEqual(self.bodies()[0], {"tenant": "acme", "url": "https://example.com", "event_types": ["a.*"]})

    def test_it_gives_up_in_the_end(self):
        client = self.serve(*[problem(502, "x")] * 5)
        with self.assertRaises(MaloteError) as caught:
            client.get_event("evt_1")
        self.assertEqual(caught.exception.status, 502)
        self.assertEqual(self.pauses, [0.1875, 0.375, 0.75, 1.5])

    def test_what_a_repeat_does_not_change_is_not_repeated(self):
        for status in (400, 401, 404, 409, 413, 422, 500):
            client = self.serve(problem(status, "code"))
            with self.assertRaises(MaloteError):
                client.publish("acme", "a.b", 1)
            self.assertEqual(self.pauses, [])

    def test_a_long_wait_is_the_callers(self):
        client = self.serve(problem(429, "busy", ("Retry-After", "31")))
        with self.assertRaises(MaloteError) as caught:
            client.publish("acme", "a.b", 1)
        self.assertEqual((caught.exception.retry_after, self.pauses), (31, []))

    def test_a_server_that_is_not_there(self):
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            client = self.serve(url=f"http://127.0.0.1:{unused.getsockname()[1]}")
            with self.assertRaises(NoAnswerError) as caught:
                client.replay("whd_1")
        self.assertFalse(caught.exception.sent)
        self.assertEqual(len(self.pauses), 4)  # nothing was sent, so nothing can happen twice
        self.assertIn("Refused", str(caught.exception))

    def test_an_answer_that_does_not_come(self):
        leave = threading.Event()
        self.addCleanup(leave.set)

        def hold(handler):
            leave.wait(30)
            hang_up(handler)

        client = self.serve(hold, timeout=0.05, retry=Backoff(tries=1))
        with self.assertRaisesRegex(NoAnswerError, "no whole answer within 0.05 s"):
            client.get_event("evt_1")

    def test_a_kept_connection_that_was_closed_costs_no_try(self):
        def answer_and_close(handler):
            handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
            handler.close_connection = True  # without having said so

        client = self.serve(answer_and_close, Say(), Say(), Say())
        client.get_event("evt_1")
        client.get_event("evt_1")
        client.get_event("evt_1")
        client.replay("whd_1")
        connections = [asked.connection for asked in self.server.asked]
        self.assertEqual(self.pauses, [])
        self.assertEqual(connections[1], connections[2])
        self.assertNotEqual(connections[2], connections[3])  # what is sent once gets a new one

    def test_retry_after(self):
        now = datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc)
        for header, seconds in (
            ("2", 2),
            ("0", 0),
            ("9" * 30, 86400),
            ("", 0),
            ("-1", 0),
            ("1.5", 0),
            ("soon", 0),
            ("Fri, 02 Jan 2026 03:05:05 GMT", 60),
            ("Fri, 02 Jan 2026 03:00:00 GMT", 0),
            ((now + timedelta(days=9)).strftime("%a, %d %b %Y %H:%M:%S GMT"), 86400),
        ):
            self.assertEqual(retry_after(header, now), seconds, header)

    def test_jitter_stays_within_its_bounds(self):
        error = MaloteError(503, "unavailable", "", "")
        for tries in range(1, 12):
            low, high = (Backoff(tries=99, random=lambda r=r: r).pause(tries, error) for r in (0.0, 1.0))
            self.assertEqual(high, 2 * low)
            self.assertEqual(high, min(0.25 * 2 ** (tries - 1), 30))


class ErrorTest(ClientTestCase):
    def failure(self, answer):
        client = self.serve(answer, retry=Backoff(tries=1))
        with self.assertRaises(MaloteError) as caught:
            client.publish("acme", "a.b", 1)
        self.assertNotIn(KEY, f"{caught.exception} {vars(caught.exception)} {client!r}")
        return caught.exception

    def test_a_problem(self):
        errors = [{"field": "type", "detail": "is missing"}]
        error = self.failure(problem(400, "invalid_request", errors=errors, index=3, request_id="req_1"))
        self.assertEqual((error.status, error.code, error.title), (400, "invalid_request", "T"))
        self.assertEqual((error.detail, error.errors, error.index), ("About invalid_request.", errors, 3))
        self.assertEqual(
            str(error), "invalid_request (400): About invalid_request. type: is missing (request_id req_1)"
        )

    def test_it_survives_pickling(self):
        for raised in (self.failure(problem(409, "x", index=1)), NoAnswerError("why", sent=False)):
            again = pickle.loads(pickle.dumps(raised))
            self.assertEqual((type(again), str(again), vars(again)), (type(raised), str(raised), vars(raised)))

    def test_an_echoed_key_is_hidden_and_lines_stay_lines(self):
        error = self.failure(problem(400, "x", detail=f"bad\nBearer {KEY}", errors="nonsense", index="nonsense"))
        self.assertEqual(str(error), "x (400): bad Bearer [hidden]")

    def test_no_redirect_is_followed(self):
        error = self.failure(Say(307, b"", (("Location", "http://elsewhere.example/v1/events"),)))
        self.assertEqual((error.status, error.code), (307, "redirected"))
        self.assertIn("elsewhere.example", error.detail)
        self.assertEqual(len(self.server.asked), 1)

    def test_what_is_not_malotes(self):
        html, problem_json = (("Content-Type", "text/html"),), (("Content-Type", "application/problem+json"),)
        self.assertEqual(self.failure(Say(404, b"<h1>", html)).code, "not_malote")
        self.assertEqual(self.failure(Say(404, b"[1]", problem_json)).code, "not_malote")
        self.assertEqual(self.failure(Say(200, b"<h1>", html)).code, "unusable_answer")

    def test_what_makes_no_client(self):
        for url in ("malote.example.com", "ftp://a", "https://u:p@a", "http://a/?x=1", "http://a:notaport", "http://"):
            with self.subTest(url), self.assertRaises(ValueError):
                Malote(url, KEY)
        for key in ("", "a b", "a\r\nX: y", "é"):
            with self.subTest(key), self.assertRaises(ValueError):
                Malote("http://a", key)
        with self.assertRaises(ValueError):
            Malote("http://a", KEY, timeout=0)


class ListTest(ClientTestCase):
    def test_pages(self):
        first = Say(200, b'{"data":[{"id":"evt_1"}],"next_cursor":"n=1&","complete_until":"x"}')
        last = Say(200, b'{"data":[{"id":"evt_2"}],"next_cursor":null,"complete_until":"y"}')
        client = self.serve(first, last)
        since = datetime(2026, 1, 2, tzinfo=timezone.utc)
        self.assertEqual([event["id"] for event in client.iter_events("acme", since=since)], ["evt_1", "evt_2"])
        query = "tenant=acme&since=2026-01-02T00%3A00%3A00%2B00%3A00&limit=250"
        self.assertEqual(
            [asked.target for asked in self.server.asked],
            [f"/v1/events?{query}", f"/v1/events?{query}&cursor=n%3D1%26"],
        )

    def test_paths_are_escaped(self):
        client = self.serve(Say(), Say())
        for value in ("", ".", ".."):
            with self.assertRaises(ValueError):
                client.get_event(value)
        client.get_event("../x?y#z")
        with Malote(self.server.url + "/prefix/", KEY) as prefixed:
            prefixed.get_event("evt_1")
        self.assertEqual(
            [asked.target for asked in self.server.asked], ["/v1/events/..%2Fx%3Fy%23z", "/prefix/v1/events/evt_1"]
        )

    def test_an_empty_answer(self):
        client = self.serve(Say(204, b""), Say())
        self.assertIsNone(client.delete_endpoint("whe_1"))
        client.get_endpoint("whe_1")


class SharedTest(ClientTestCase):
    def test_many_threads_share_it(self):
        client = self.serve(*[Say(200, b"x" * 70_000)] * 64)
        failures = []

        def read():
            for _ in range(8):
                body, _ = client.get_event_body("evt_1")
                if body != b"x" * 70_000:
                    failures.append(body)

        threads = [threading.Thread(target=read) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        self.assertEqual((failures, len(self.server.asked)), ([], 64))
