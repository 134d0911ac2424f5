"""Malote from Python: receive webhooks, publish events.

- malote.webhook verifies and receives webhooks, each once.
- malote.client publishes events over HTTP and says what became of them.
- malote.outbox publishes inside your own database transaction.

Standard library only.
"""

__version__ = "0.1.0"
