"""What became of events, and sending them again."""

from __future__ import annotations

from datetime import datetime
from typing import Iterator, Optional, Sequence, Union

from .answers import Delivery, DeliveryPage, Replay, Replayed
from .caller import Caller, every, path
from .events import interval

_DELIVERIES = "webhook_deliveries"


class DeliveryCalls(Caller):
    def get_delivery(self, delivery_id: str) -> Delivery:
        """A delivery with its attempts."""
        found: Delivery = self.call("GET", path(_DELIVERIES, delivery_id))
        return found

    def list_deliveries(
        self,
        tenant: Optional[str] = None,
        *,
        endpoint: Optional[str] = None,
        event: Optional[str] = None,
        state: Optional[str] = None,
        type: Optional[str] = None,
        since: Union[datetime, str, None] = None,
        until: Union[datetime, str, None] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> DeliveryPage:
        """One page of deliveries, newest first. With event, what became of it."""
        query = {
            "tenant": tenant,
            "endpoint": endpoint,
            "event": event,
            "state": state,
            "type": type,
            **interval(since, until),
            "limit": limit,
            "cursor": cursor,
        }
        page: DeliveryPage = self.call("GET", path(_DELIVERIES), query=query)
        return page

    def iter_deliveries(
        self,
        tenant: Optional[str] = None,
        *,
        endpoint: Optional[str] = None,
        event: Optional[str] = None,
        state: Optional[str] = None,
        type: Optional[str] = None,
        since: Union[datetime, str, None] = None,
        until: Union[datetime, str, None] = None,
    ) -> Iterator[Delivery]:
        """All of them, fetched page by page."""
        return every(
            lambda cursor: self.list_deliveries(
                tenant,
                endpoint=endpoint,
                event=event,
                state=state,
                type=type,
                since=since,
                until=until,
                limit=250,
                cursor=cursor,
            )
        )

    def replay(self, delivery_id: str) -> Replayed:
        """Sends the same event with the same bytes, to the endpoint's URL at this
        moment, in a new cycle of attempts. A request that got no answer is not
        repeated: look at the delivery."""
        replayed: Replayed = self.call("POST", path(_DELIVERIES, delivery_id, "replay"))
        return replayed

    def replay_many(self, delivery_ids: Sequence[str], *, preview: bool = False) -> Replay:
        """Replays up to 50 deliveries, all or none. A preview changes nothing."""
        body = {"ids": list(delivery_ids), "preview": preview}
        replay: Replay = self.call("POST", path(_DELIVERIES, "replay"), body=body, repeatable=preview)
        return replay
