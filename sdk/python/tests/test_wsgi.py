"""The receiver as a WSGI application, by the rules of wsgiref.validate."""

import io
import unittest
from wsgiref.util import setup_testing_defaults
from wsgiref.validate import validator

from malote.webhook import Receiver, mount

from .samples import BODY, NOW, SECRET, headers


def environ_of(given, body=BODY, path="/hooks", method="POST", **more):
    environ = {"REQUEST_METHOD": method, "PATH_INFO": path, "SCRIPT_NAME": "", "QUERY_STRING": ""}
    setup_testing_defaults(environ)
    environ.update({"HTTP_" + name.upper().replace("-", "_"): value for name, value in given.items()})
    environ.update({"CONTENT_LENGTH": str(len(body)), "wsgi.input": io.BytesIO(body), **more})
    return environ


def call(application, environ):
    started = []

    def start_response(status, headers, exc_info=None):
        started.append((status, dict(headers)))

    answer = validator(application)(environ, start_response)
    try:
        body = b"".join(answer)
    finally:
        answer.close()
    return (*started[0], body)


class WsgiTest(unittest.TestCase):
    def setUp(self):
        self.handled = []
        self.receiver = Receiver(SECRET, self.handled.append, clock=lambda: NOW, observe=lambda answer: None)

    def test_a_webhook(self):
        status, listed, body = call(self.receiver.wsgi, environ_of(headers()))
        self.assertEqual((status, listed["Content-Type"]), ("200 OK", "application/json"))
        self.assertEqual(self.handled[0].body, BODY)
        self.assertEqual(self.handled[0].headers.get("content-length"), str(len(BODY)))

    def test_refusals(self):
        for environ, status in (
            (environ_of(headers(), method="GET"), "405 Method Not Allowed"),
            (environ_of({}), "400 Bad Request"),
            (environ_of(headers(b"another")), "401 Unauthorized"),
            (environ_of(headers(), CONTENT_LENGTH=str(2 << 20)), "413 Request Entity Too Large"),
            (environ_of(headers(), CONTENT_LENGTH=str(len(BODY) + 1)), "400 Bad Request"),
        ):
            self.assertEqual(call(self.receiver.wsgi, environ)[0], status)
        self.assertEqual(self.handled, [])

    def test_it_reads_no_further_than_the_body(self):
        environ = environ_of(headers())
        environ["wsgi.input"] = io.BytesIO(BODY + b"the next request")
        self.assertEqual(call(self.receiver.wsgi, environ)[0], "200 OK")

    def test_a_body_without_a_length(self):
        chunked = {"HTTP_TRANSFER_ENCODING": "chunked", "CONTENT_LENGTH": ""}
        environ = environ_of(headers(), **{"wsgi.input_terminated": True}, **chunked)
        self.assertEqual(self.receive(environ).status, 200)
        self.assertEqual(self.receive(environ_of(headers(), **chunked)).code, "body_unreadable")
        self.assertEqual(self.receive(environ_of(headers(b""), CONTENT_LENGTH="")).status, 200)

    def receive(self, environ):
        answers = []
        receiver = Receiver(SECRET, self.handled.append, clock=lambda: NOW, observe=answers.append)
        list(receiver.wsgi(environ, lambda status, headers: None))
        return answers[0]

    def test_in_front_of_another_application(self):
        def application(environ, start_response):
            start_response("204 No Content", [])
            return []

        mounted = mount(application, "/hooks", self.receiver)
        self.assertEqual(call(mounted, environ_of(headers()))[0], "200 OK")
        self.assertEqual(call(mounted, environ_of(headers(), path="/hooks/"))[0], "204 No Content")
