"""The receiver as an ASGI application."""

import asyncio
import threading
import unittest

from malote.webhook import Memory, Receiver

from .samples import BODY, ID, NOW, SECRET, headers


class Request:
    """One request, as a server hands it over."""

    def __init__(self, given, *pieces, method="POST"):
        self.scope = {
            "type": "http",
            "method": method,
            "headers": [(name.encode(), value.encode()) for name, value in given.items()],
        }
        self.events = [{"type": "http.request", "body": piece, "more_body": True} for piece in pieces[:-1]]
        self.events += [{"type": "http.request", "body": pieces[-1]}] if pieces else [{"type": "http.disconnect"}]
        self.sent = []
        self.read = 0

    async def receive(self):
        self.read += 1
        return self.events.pop(0)

    async def send(self, event):
        self.sent.append(event)

    async def to(self, receiver):
        await receiver.asgi(self.scope, self.receive, self.send)
        return self.sent and (self.sent[0]["status"], self.sent[1]["body"])


def receiver(handle, **options):
    options.setdefault("observe", lambda answer: None)
    return Receiver(SECRET, handle, clock=lambda: NOW, **options)


class AsgiTest(unittest.IsolatedAsyncioTestCase):
    async def test_functions_of_both_kinds(self):
        handled = []

        async def coroutine(message):
            await asyncio.sleep(0)
            handled.append((message, threading.current_thread()))

        def function(message):
            handled.append((message, threading.current_thread()))

        class Callable:
            async def __call__(self, message):
                await coroutine(message)

        for handle in (coroutine, function, Callable()):
            receiving = receiver(handle)
            self.assertEqual(
                await Request(headers(), BODY[:3], BODY[3:]).to(receiving),
                (200, b'{"id":"%s","duplicate":false}\n' % ID.encode()),
            )
            self.assertIn(b'"duplicate":true', (await Request(headers(), BODY).to(receiving))[1])
        self.assertEqual([message.body for message, _ in handled], [BODY] * 3)
        main = threading.main_thread()
        self.assertEqual([thread is main for _, thread in handled], [True, False, True])

    async def test_refusals(self):
        async def handle(message):
            self.fail("it must not be called")

        receiving = receiver(handle, max_body=100)
        for request, status in (
            (Request(headers(), BODY, method="GET"), 405),
            (Request({}, BODY), 400),
            (Request(headers(b"another"), BODY), 401),
            (Request({**headers(), "content-length": "101"}), 413),
            (Request(headers(), b"x" * 60, b"x" * 60, b"never read"), 413),
            (Request({**headers(), "content-length": str(len(BODY) + 1)}, BODY), 400),
        ):
            self.assertEqual((await request.to(receiving))[0], status)
            self.assertIn((b"content-type", b"application/problem+json"), request.sent[0]["headers"])
            if status == 413:
                self.assertLessEqual(request.read, 2)

    async def test_failures(self):
        async def handle(message):
            raise RuntimeError("why")

        memory, answers = Memory(), []
        receiving = receiver(handle, seen=memory, observe=answers.append)
        self.assertEqual((await Request(headers(), BODY).to(receiving))[0], 500)
        self.assertEqual(str(answers[0].error), "why")
        memory.claim(ID)
        self.assertEqual((await Request(headers(), BODY).to(receiving))[0], 503)

    async def test_a_sender_that_hangs_up(self):
        answers = []
        receiving = receiver(self.fail, observe=answers.append)
        self.assertEqual(await Request(headers()).to(receiving), [])
        self.assertEqual(answers[0].code, "body_unreadable")

    async def test_a_cancelled_coroutine_leaves_the_id_free(self):
        started = asyncio.Event()

        async def handle(message):
            started.set()
            await asyncio.Event().wait()

        memory = Memory()
        task = asyncio.ensure_future(Request(headers(), BODY).to(receiver(handle, seen=memory)))
        await asyncio.wait_for(started.wait(), 30)
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        memory.claim(ID)

    async def test_a_cancelled_wait_does_not_cut_a_thread_short(self):
        started, leave, kept = threading.Event(), threading.Event(), threading.Event()

        class Watched(Memory):
            def _settle(self, claim, handled):
                super()._settle(claim, handled)
                if handled:
                    kept.set()

        def handle(message):
            started.set()
            leave.wait(30)

        task = asyncio.ensure_future(Request(headers(), BODY).to(receiver(handle, seen=Watched())))
        self.assertTrue(await asyncio.to_thread(started.wait, 30))
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        self.assertFalse(kept.is_set())
        leave.set()
        self.assertTrue(await asyncio.to_thread(kept.wait, 30))

    async def test_a_claim_that_nobody_waits_for_is_given_back(self):
        claiming, leave, released = threading.Event(), threading.Event(), threading.Event()

        class Slow(Memory):
            def claim(self, message_id):
                claiming.set()
                leave.wait(30)
                return super().claim(message_id)

            def _settle(self, claim, handled):
                super()._settle(claim, handled)
                released.set()

        async def handle(message):
            self.fail("it must not be called")

        task = asyncio.ensure_future(Request(headers(), BODY).to(receiver(handle, seen=Slow())))
        self.assertTrue(await asyncio.to_thread(claiming.wait, 30))
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        leave.set()
        self.assertTrue(await asyncio.to_thread(released.wait, 30))

    async def test_what_else_servers_ask(self):
        receiving = receiver(self.fail)
        request = Request({})
        request.scope = {"type": "lifespan"}
        request.events = [{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}]
        await receiving.asgi(request.scope, request.receive, request.send)
        self.assertEqual(request.sent, [{"type": "lifespan.startup.complete"}, {"type": "lifespan.shutdown.complete"}])
        request.sent = []
        await receiving.asgi({"type": "websocket"}, request.receive, request.send)
        self.assertEqual(request.sent[0]["type"], "websocket.close")
