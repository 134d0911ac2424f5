"""The store in PostgreSQL, over a real driver."""

import threading
from concurrent.futures import ThreadPoolExecutor

from malote.webhook import AlreadyHandled, BeingHandled, ClaimLost, NotCommitted, PostgresSeen, Receiver, postgres

from .database import DatabaseTestCase
from .samples import BODY, ID, NOW, SECRET, headers


class PostgresSeenTest(DatabaseTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        connection = cls.connect()
        with connection, connection.cursor() as cursor:
            cursor.execute("CREATE SCHEMA billing; CREATE TABLE billing.payments (webhook text NOT NULL)")
            for table in ("webhook_seen", "webhook_seen", "billing.Webhook_Seen"):
                cursor.execute(postgres.ddl(table))
        connection.close()

    def setUp(self):
        self.query("TRUNCATE webhook_seen, billing.payments")
        self.store = PostgresSeen(self.connect, "malote")

    def expire(self, message_id=ID, by="1 second"):
        self.query("UPDATE webhook_seen SET until = now() - %s::interval WHERE id = %s", by, message_id)

    def test_the_life_of_an_id(self):
        claim = self.store.claim(ID)
        with self.assertRaises(BeingHandled):
            self.store.claim(ID)
        claim.release()
        second = self.store.claim(ID)
        claim.release()  # another's claim is not touched
        with self.assertRaises(ClaimLost):
            claim.keep()
        second.keep()
        second.keep()
        second.release()
        with self.assertRaises(AlreadyHandled):
            self.store.claim(ID)
        ((days,),) = self.query("SELECT extract(epoch FROM until - now()) / 86400 FROM webhook_seen")
        self.assertAlmostEqual(float(days), 7, places=2)

    def test_a_claim_that_nobody_settled_is_let_go_of(self):
        crashed = self.store.claim(ID)
        self.expire()
        self.store.claim(ID)
        with self.assertRaises(ClaimLost):
            crashed.keep()
        with self.assertRaises(BeingHandled):
            self.store.claim(ID)

    def test_an_id_is_forgotten_after_the_retention(self):
        self.store.claim(ID).keep()
        self.expire()
        self.store.claim(ID).keep()

    def test_handled_webhooks_take_expired_rows_with_them(self):
        for message_id in "abc":
            self.store.claim(message_id).keep()
            self.expire(message_id)
        self.store.claim("abandoned")
        self.expire("abandoned", by="1 hour")
        self.store.claim("long abandoned")
        self.expire("long abandoned", by="25 hours")
        self.store.claim(ID).keep()
        self.assertEqual(self.query("SELECT id FROM webhook_seen ORDER BY id"), [("abandoned",), (ID,)])

    def test_senders_and_tables_are_apart(self):
        self.store.claim(ID).keep()
        PostgresSeen(self.connect, "stripe").claim(ID)
        PostgresSeen(self.connect, "malote", table="billing.Webhook_Seen").claim(ID)

    def test_ids_of_any_kind(self):
        for message_id in ("x" * 10_000, "a\0b", "sha256:abc", "\ud800", "'; DROP TABLE webhook_seen; --", "100%s"):
            self.store.claim(message_id).keep()
            with self.assertRaises(AlreadyHandled):
                self.store.claim(message_id)

    def test_one_of_many_gets_it(self):
        together = threading.Barrier(6)

        def claim(_):
            together.wait(30)
            won = 0
            for number in range(20):
                try:
                    self.store.claim(str(number)).keep()
                    won += 1
                except (AlreadyHandled, BeingHandled):
                    pass
            return won

        with ThreadPoolExecutor(6) as pool:
            self.assertEqual(sum(pool.map(claim, range(6))), 20)

    def test_a_claim_waits_for_no_transaction(self):
        for expired in (False, True):  # whoever holds the row has it, however late it is
            with self.subTest(expired=expired):
                claim = self.store.claim(str(expired))
                if expired:
                    self.expire(str(expired))
                connection = self.connection()
                claim.keep_in(connection.cursor())
                with self.assertRaises(BeingHandled):
                    self.store.claim(str(expired))
                connection.commit()
                with self.assertRaises(AlreadyHandled):
                    self.store.claim(str(expired))

    def test_what_makes_no_store(self):
        for options in (
            {"sender": ""},
            {"sender": "x" * 257},
            {"sender": "a\0"},
            {"lease": 0},
            {"lease": 10, "retention": 10},
            {"table": 'x"; DROP TABLE y'},
            {"table": "a.b.c"},
            {"table": "x" * 51},
        ):
            with self.subTest(options), self.assertRaises(ValueError):
                PostgresSeen(self.connect, **{"sender": "malote", **options})

    def test_a_database_that_is_away_is_asked_again_later(self):
        def connect():
            raise OSError("no route to host")

        answer = self.receive(lambda message: None, PostgresSeen(connect, "malote"))
        self.assertEqual((answer.status, answer.code), (503, "store_unavailable"))

    def receive(self, handle, store=None):
        receiver = Receiver(SECRET, handle, seen=store or self.store, clock=lambda: NOW, observe=lambda answer: None)
        return receiver.receive("POST", headers(), BODY)

    def payments(self):
        return self.query("SELECT webhook FROM billing.payments")

    def book(self, cursor, message):
        cursor.execute("INSERT INTO billing.payments VALUES (%s)", [message.id])

    def test_work_and_id_commit_together(self):
        handle = self.store.in_transaction(self.book)
        self.assertIn(b'"duplicate":false', self.receive(handle).body)
        self.assertIn(b'"duplicate":true', self.receive(handle).body)
        self.assertEqual(self.payments(), [(ID,)])

    def test_work_and_id_roll_back_together(self):
        def book_and_fail(cursor, message):
            self.book(cursor, message)
            raise RuntimeError("after the work")

        self.assertEqual(self.receive(self.store.in_transaction(book_and_fail)).status, 500)
        self.assertEqual(self.payments(), [])
        self.assertEqual(self.receive(self.store.in_transaction(self.book)).status, 200)
        self.assertEqual(self.payments(), [(ID,)])

    def test_a_crash_after_the_commit_is_recognised(self):
        """The process dies between the commit and the answer."""

        def book_and_die(message):
            self.store.in_transaction(self.book)(message)
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            self.receive(book_and_die)
        self.assertIn(b'"duplicate":true', self.receive(self.store.in_transaction(self.book)).body)
        self.assertEqual(self.payments(), [(ID,)])

    def test_a_handler_that_forgets_to_commit_is_no_success(self):
        connection = self.connection()

        def book_only(message):
            with connection.cursor() as cursor:
                message.keep(cursor)
                self.book(cursor, message)
            connection.rollback()

        answer = self.receive(book_only)
        self.assertEqual((answer.status, self.payments()), (500, []))
        self.assertIsInstance(answer.error, NotCommitted)
        self.assertEqual(self.receive(self.store.in_transaction(self.book)).status, 200)

    def test_a_lost_claim_rolls_the_work_back(self):
        def late(message):
            self.expire()
            self.store.claim(ID)
            self.store.in_transaction(self.book)(message)

        answer = self.receive(late)
        self.assertEqual((answer.status, self.payments()), (500, []))
        self.assertIsInstance(answer.error, ClaimLost)
