"""Publishes events to Malote over HTTP, manages endpoints, and says what became of
every delivery::

    client = Malote("https://malote.example.com", os.environ["MALOTE_API_KEY"])
    client.publish("acme", "invoice.paid", {"invoice": 42}, idempotency_key="invoice-42-paid")

A Malote is made once and shared by all threads. Answers are dicts, as the API's
documentation at /docs has them. Every failure is a MaloteError with a stable code.

Only what does no harm when it arrives twice is sent again: reads, publishes and
creations, which have an idempotency key, the caller's or one made for the call.
Changes, deletions and replays are sent once. No redirect is followed, because a
key is for one server, and no proxy is used. No error says the key.
"""

from .answers import (
    Attempt,
    Delivery,
    DeliveryPage,
    Endpoint,
    EndpointPage,
    EndpointSecret,
    EventPage,
    Published,
    PublishedEvent,
    Replay,
    Replayed,
    Tenant,
)
from .deliveries import DeliveryCalls
from .endpoints import EndpointCalls
from .errors import MaloteError, NoAnswerError
from .event import Event
from .events import EventCalls
from .retry import Backoff


class Malote(EventCalls, EndpointCalls, DeliveryCalls):
    """A client for one Malote, thread-safe.

    ``timeout`` is how many seconds one try waits for its whole answer, ``retry``
    when there is another, ``context`` an ssl.SSLContext with certificates of your
    own.
    """


__all__ = [
    "Attempt",
    "Backoff",
    "Delivery",
    "DeliveryPage",
    "Endpoint",
    "EndpointPage",
    "EndpointSecret",
    "Event",
    "EventPage",
    "Malote",
    "MaloteError",
    "NoAnswerError",
    "Published",
    "PublishedEvent",
    "Replay",
    "Replayed",
    "Tenant",
]
