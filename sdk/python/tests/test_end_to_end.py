"""With a running Malote: published through the SDK, received by the SDK."""

import contextlib
import json
import queue
import subprocess
import threading
import time
import unittest
from datetime import datetime, timedelta, timezone

from malote import outbox
from malote.client import Event, Malote, MaloteError
from malote.webhook import Receiver, StatusError

from .database import DatabaseTestCase
from .malote_server import DEADLINE, binary, malote, next_of, serving


class Shop:
    """A tenant whose one endpoint is the SDK's receiver, behind its WSGI side."""

    def __init__(self, client, tenant, stack, **endpoint):
        self.client, self.tenant = client, tenant
        self.handled = queue.Queue()  # messages, each once
        self.answers = queue.Queue()  # of every request
        self.failures = []  # raised in turn before anything is handled
        self.secrets = []
        client.create_tenant(tenant)
        address = stack.enter_context(serving(self._application))
        self.endpoint = client.create_endpoint(tenant, address + "/hooks", **endpoint)
        self.trust(self.endpoint["secret"])

    def trust(self, *secrets):
        self.receiver = Receiver(secrets, self._handle, observe=self.answers.put)

    def _application(self, environ, start_response):
        return self.receiver.wsgi(environ, start_response)

    def _handle(self, message):
        if self.failures:
            raise self.failures.pop(0)
        self.handled.put(message)

    def delivery(self, event_id, state):
        """The event's delivery, once it is in the state."""
        deadline = time.monotonic() + DEADLINE
        while True:
            (delivery,) = self.client.list_deliveries(self.tenant, event=event_id)["data"]
            if delivery["state"] == state:
                return self.client.get_delivery(delivery["id"])
            if time.monotonic() > deadline:
                raise AssertionError(f"the delivery is {delivery['state']} and not {state}")
            threading.Event().wait(0.02)


class EndToEndTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stack = contextlib.ExitStack()
        cls.addClassCleanup(cls.stack.close)
        cls.client = cls.stack.enter_context(Malote(**cls.stack.enter_context(malote())))

    def shop(self, tenant, **endpoint):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        return Shop(self.client, tenant, stack, **endpoint)

    def test_from_publish_to_delivery(self):
        shop = self.shop("acme", event_types=["invoice.*"])
        raw = b'{ "b": 1.00, "a": 123456789012345678901234567890, "e": "\\u00eb" }'
        published = self.client.publish(
            "acme", "invoice.paid", data_json=raw, external_id="invoice-42", idempotency_key="invoice-42-paid"
        )
        self.assertEqual((published["duplicate"], published["deliveries"]), (False, 1))
        message = next_of(shop.handled)
        self.assertEqual(message.id, published["id"])
        self.assertIn(b'"data":' + raw, message.body)
        self.assertEqual(message.json()["type"], "invoice.paid")
        self.assertEqual((message.attempt, message.trigger), (1, "schedule"))
        self.assertLess(abs(datetime.now(timezone.utc) - message.timestamp), timedelta(minutes=4))
        delivery = shop.delivery(published["id"], "delivered")
        self.assertEqual([attempt["response_status"] for attempt in delivery["attempts"]], [200])

        again = self.client.publish(
            "acme", "invoice.paid", data_json=raw, external_id="invoice-42", idempotency_key="invoice-42-paid"
        )
        self.assertEqual((again["id"], again["duplicate"]), (published["id"], True))
        self.assertEqual(self.client.get_event(published["id"])["external_id"], "invoice-42")
        body, content_type = self.client.get_event_body(published["id"])
        self.assertEqual((body, content_type), (message.body, "application/json"))
        self.assertEqual(self.client.get_endpoint(shop.endpoint["id"])["pending"], 0)

    def test_a_replay_is_handled_no_second_time(self):
        shop = self.shop("again")
        published = self.client.publish("again", "invoice.paid", {"invoice": 43})
        next_of(shop.handled)
        self.assertEqual(next_of(shop.answers).outcome, "handled")
        delivery = shop.delivery(published["id"], "delivered")
        preview = self.client.replay_many([delivery["id"]], preview=True)
        self.assertEqual((preview["replayed"], preview["data"][0]["refusal"]), (False, None))
        self.assertEqual(self.client.replay(delivery["id"])["event_id"], published["id"])
        repeated = next_of(shop.answers)
        self.assertEqual((repeated.outcome, repeated.message.trigger), ("duplicate", "replay"))
        self.assertEqual(repeated.message.id, published["id"])
        self.assertEqual(shop.delivery(published["id"], "delivered")["attempt_count"], 2)
        self.assertTrue(shop.handled.empty())

    def test_what_failed_is_replayed_and_handled(self):
        shop = self.shop("failing")
        shop.failures.append(StatusError(410, "no more of these"))
        published = self.client.publish("failing", "invoice.paid", {"invoice": 44})
        dead = shop.delivery(published["id"], "dead")
        self.assertEqual((dead["dead_reason"], dead["attempts"][0]["response_status"]), ("gone", 410))
        self.assertEqual(self.client.get_endpoint(shop.endpoint["id"])["status"], "disabled_by_system")
        with self.assertRaises(MaloteError) as caught:
            self.client.replay(dead["id"])
        self.assertEqual((caught.exception.status, caught.exception.code), (409, "webhook_delivery_not_replayable"))
        self.assertEqual(self.client.enable_endpoint(shop.endpoint["id"])["status"], "active")
        self.assertTrue(self.client.replay_many([dead["id"]])["replayed"])
        self.assertEqual(next_of(shop.handled).id, published["id"])

    def test_a_batch_and_bytes(self):
        shop = self.shop("batch")
        events = [Event("batch", "a.b", number, idempotency_key=f"batch-{number}") for number in range(20)]
        events.append(Event("batch", "a.b", body=b"\x00\xff\r\n", content_type="application/octet-stream"))
        results = self.client.publish_batch(events)
        arrived = {message.id: message for message in (next_of(shop.handled) for _ in events)}
        self.assertEqual(sorted(arrived), sorted(result["id"] for result in results))
        last = arrived[results[-1]["id"]]
        self.assertEqual((last.body, last.headers.get("content-type")), (b"\x00\xff\r\n", "application/octet-stream"))
        self.assertEqual([arrived[result["id"]].json()["data"] for result in results[:-1]], list(range(20)))

        listed = list(self.client.iter_events("batch", since=datetime.now(timezone.utc) - timedelta(hours=1)))
        self.assertEqual([event["id"] for event in listed], sorted(result["id"] for result in results))
        page = self.client.list_events("batch", limit=5)
        self.assertEqual((len(page["data"]), bool(page["next_cursor"])), (5, True))
        self.assertEqual(len(list(self.client.iter_deliveries("batch", endpoint=shop.endpoint["id"]))), len(events))

        wrong = [Event("batch", "a.b", 1), Event("batch", "not a type", 1)]
        with self.assertRaises(MaloteError) as caught:
            self.client.publish_batch(wrong)
        self.assertEqual((caught.exception.code, caught.exception.index), ("invalid_request", 1))

    def test_a_rotated_secret(self):
        shop = self.shop("rotated")
        added = self.client.rotate_secret(shop.endpoint["id"], overlap="1h")
        self.client.publish("rotated", "a.b", 1)
        self.assertEqual(next_of(shop.handled).secret, 0)
        shop.trust(added["value"], shop.endpoint["secret"])
        self.client.publish("rotated", "a.b", 2)
        self.assertEqual(next_of(shop.handled).secret, 0)
        shop.trust(added["value"])
        self.client.publish("rotated", "a.b", 3)
        self.assertEqual(next_of(shop.handled).json()["data"], 3)

    def test_endpoints(self):
        shop = self.shop("managed")
        endpoint_id = shop.endpoint["id"]
        self.assertEqual(self.client.update_endpoint(endpoint_id, description="ours")["description"], "ours")
        self.assertEqual([listed["id"] for listed in self.client.iter_endpoints("managed")], [endpoint_id])
        self.assertEqual(self.client.list_endpoints("managed", counts=True)["data"][0]["pending"], 0)
        self.assertEqual(self.client.disable_endpoint(endpoint_id)["status"], "disabled_by_user")
        self.assertEqual(self.client.publish("managed", "a.b", 1)["skipped"], 1)
        self.client.delete_endpoint(endpoint_id)
        with self.assertRaises(MaloteError) as caught:
            self.client.get_endpoint(endpoint_id)
        self.assertEqual((caught.exception.status, caught.exception.code), (404, "not_found"))
        self.assertEqual(self.client.get_tenant("managed")["id"], "managed")

    def test_failures(self):
        for failing, status, code in (
            (lambda: self.client.publish("nobody", "a.b", 1), 404, "unknown_tenant"),
            (lambda: self.client.create_tenant("no spaces"), 400, "invalid_request"),
            (lambda: self.client.create_endpoint("nobody", "http://10.0.0.1/"), 422, "url_not_allowed"),
            (lambda: self.client.call("GET", "/v1/nothing"), 404, "unknown_route"),
        ):
            with self.assertRaises(MaloteError) as caught:
                failing()
            self.assertEqual((caught.exception.status, caught.exception.code), (status, code), caught.exception)
            self.assertTrue(caught.exception.detail)


class OutboxEndToEndTest(DatabaseTestCase):
    """An application's own database, with its outbox."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        install = [binary(), "outbox", "install"]
        subprocess.run(install, env={"MALOTE_DSN": cls.dsn}, check=True, capture_output=True, timeout=DEADLINE)
        connection = cls.connect()
        with connection, connection.cursor() as cursor:
            cursor.execute("CREATE TABLE invoices (number integer PRIMARY KEY)")
        connection.close()
        cls.stack = contextlib.ExitStack()
        cls.addClassCleanup(cls.stack.close)
        running = cls.stack.enter_context(malote(MALOTE_OUTBOX="shop=" + cls.dsn))
        cls.shop = Shop(cls.stack.enter_context(Malote(**running)), "acme", cls.stack)

    def test_published_with_the_transaction(self):
        raw = b'{ "number": 1.00, "percent": "100%s", "text": "\\u0000 \'quoted\' Zo\xc3\xab" }'
        connection = self.connection()
        with connection, connection.cursor() as cursor:
            cursor.execute("INSERT INTO invoices VALUES (1)")
            first = outbox.publish(cursor, "acme", "invoice.paid", data_json=raw)
            second = outbox.publish(
                cursor,
                "acme",
                "invoice.shown",
                body=b"\x00\xff%",
                content_type="image/png",
                idempotency_key="invoice-1-shown",
                coalesce_key="invoice-1",
                entity_version="7",
                occurred_at=datetime(2026, 1, 2, 3, 4, 5, 678_000, tzinfo=timezone(timedelta(hours=2))),
                endpoint_ids=[self.shop.endpoint["id"]],
                aggregate_type="invoice",
                aggregate_id="1",
            )
        self.assertNotEqual(first, second)
        messages = [next_of(self.shop.handled) for _ in range(2)]
        arrived = {message.headers.get("content-type"): message for message in messages}
        self.assertIn(b'"data":' + raw, arrived["application/json"].body)
        self.assertEqual(arrived["image/png"].body, b"\x00\xff%")
        client = self.shop.client
        self.assertEqual(client.get_event(arrived["application/json"].id)["idempotency_key"], f"outbox:{first}")
        shown = client.get_event(arrived["image/png"].id)
        self.assertEqual(
            {name: shown[name] for name in ("idempotency_key", "coalesce_key", "entity_version", "external_id")},
            {
                "idempotency_key": "invoice-1-shown",
                "coalesce_key": "invoice-1",
                "entity_version": "7",
                "external_id": "invoice/1",
            },
        )
        self.assertEqual(shown["occurred_at"], "2026-01-02T01:04:05.678Z")

    def test_nothing_happens_without_a_commit(self):
        connection = self.connection()
        with connection.cursor() as cursor:
            outbox.publish(cursor, "acme", "invoice.paid", {"rolled": "back"})
        connection.rollback()
        with connection, connection.cursor() as cursor:
            outbox.publish(cursor, "acme", "invoice.paid", {"rolled": "forward"})
        self.assertEqual(json.loads(next_of(self.shop.handled).body)["data"], {"rolled": "forward"})

    def test_what_the_function_refuses(self):
        import psycopg2

        with self.connection().cursor() as cursor, self.assertRaisesRegex(psycopg2.DataError, "malote: tenant"):
            outbox.publish(cursor, "no spaces", "invoice.paid", 1)
