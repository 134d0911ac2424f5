"""Publishing events, and reading them again."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Iterable, Iterator, List, Optional, Tuple, Union

from .. import _payload
from .answers import EventPage, Published, PublishedEvent
from .caller import Caller, every, path
from .event import Event


class EventCalls(Caller):
    def publish(
        self,
        tenant: Optional[str],
        type: str,
        data: Any = _payload.NOT_GIVEN,
        *,
        data_json: Union[bytes, str, None] = None,
        body: Optional[bytes] = None,
        content_type: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        coalesce_key: Optional[str] = None,
        entity_version: Optional[str] = None,
        external_id: Optional[str] = None,
        occurred_at: Union[datetime, str, None] = None,
        endpoint_ids: Optional[Iterable[str]] = None,
    ) -> Published:
        """Publishes one event; see Event. When it returns, the event and its
        deliveries are committed."""
        event = Event(
            tenant,
            type,
            data,
            data_json,
            body,
            content_type,
            idempotency_key,
            coalesce_key,
            entity_version,
            external_id,
            occurred_at,
            endpoint_ids,
        )
        published: Published = self.call("POST", path("events"), body=event.encode(), repeatable=True)
        return published

    def publish_batch(self, events: Iterable[Event]) -> List[Published]:
        """Publishes 1 to 1,000 events, all or nothing. An error says in ``index``
        which is wrong."""
        body = b'{"events":[' + b",".join(event.encode() for event in events) + b"]}"
        published: List[Published] = self.call("POST", path("events", "batch"), body=body, repeatable=True)["data"]
        return published

    def get_event(self, event_id: str) -> PublishedEvent:
        """An event, without its body."""
        event: PublishedEvent = self.call("GET", path("events", event_id))
        return event

    def get_event_body(self, event_id: str) -> Tuple[bytes, str]:
        """An event's exact bytes, and their content type."""
        answer = self.exchange("GET", path("events", event_id, "body"))
        return answer.body, answer.headers.get("Content-Type", "")

    def list_events(
        self,
        tenant: Optional[str] = None,
        *,
        type: Optional[str] = None,
        since: Union[datetime, str, None] = None,
        until: Union[datetime, str, None] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> EventPage:
        """One page of a tenant's events, oldest first: to reconcile, begin the next
        time with since set to complete_until."""
        query = {"tenant": tenant, "type": type, **interval(since, until), "limit": limit, "cursor": cursor}
        page: EventPage = self.call("GET", path("events"), query=query)
        return page

    def iter_events(
        self,
        tenant: Optional[str] = None,
        *,
        type: Optional[str] = None,
        since: Union[datetime, str, None] = None,
        until: Union[datetime, str, None] = None,
    ) -> Iterator[PublishedEvent]:
        """All of them, fetched page by page."""
        return every(
            lambda cursor: self.list_events(
                tenant, type=type, since=since, until=until,
                limit=250,
                cursor=cursor,
            )
        )


def interval(since: Union[datetime, str, None], until: Union[datetime, str, None]) -> "dict[str, Optional[str]]":
    """The filters of that name."""
    return {
        "since": None if since is None else _payload.instant(since),
        "until": None if until is None else _payload.instant(until),
    }
