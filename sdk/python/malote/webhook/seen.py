"""What a store of seen webhook-ids is, and what it answers."""

from __future__ import annotations

from typing import Protocol

from .errors import WebhookError


class AlreadyHandled(WebhookError):
    """The id was handled before."""


class BeingHandled(WebhookError):
    """Another request has claimed the id and has not finished."""


class ClaimLost(WebhookError):
    """The claim ran out, and the id is or was another's: roll back what was done."""


class NotCommitted(WebhookError):
    """The transaction that was to keep the id did not commit: the work is not done."""


class Claim(Protocol):
    """The right to handle one id. Its holder settles it once, by either method;
    settling it again, or after it was let go of, changes nothing."""

    def keep(self) -> None:
        """Records that the id was handled."""

    def release(self) -> None:
        """Gives the id back as if it had never been seen."""


class Seen(Protocol):
    """Remembers which webhook-ids were handled. Thread-safe.

    Of any number of callers that claim an id at once, over all processes that
    share the store, exactly one gets a Claim. A store keeps ids for 7 days, so
    that a late retry or a resend is still recognised. One that outlives the
    process must let go of a claim that nobody settled for some minutes. Ids are
    unique within one sender only: give every sender a store of its own.
    """

    def claim(self, message_id: str) -> Claim:
        """Asks to be the one who handles the id, and does not wait for others.

        Raises AlreadyHandled or BeingHandled; anything else means that the store
        could not tell.
        """
