"""Malote's answers, as they come: JSON objects. Later versions may add members."""

from __future__ import annotations

from typing import Dict, List, Optional, TypedDict


class Published(TypedDict):
    id: str  # the event's
    duplicate: bool  # the idempotency key was used before: id is the first one's
    deliveries: int  # to how many endpoints it goes
    skipped: int


class PublishedEvent(TypedDict):
    id: str
    tenant: str
    type: str
    content_type: str
    idempotency_key: Optional[str]
    coalesce_key: Optional[str]
    entity_version: Optional[str]
    external_id: Optional[str]
    source_id: Optional[str]
    headers: List[Dict[str, str]]
    occurred_at: str
    accepted_at: str


class EventPage(TypedDict):
    data: List[PublishedEvent]
    next_cursor: Optional[str]  # None: this is the last for now
    complete_until: str  # every event accepted before is in this page or those before it


class _Endpoint(TypedDict):
    id: str
    tenant: str
    url: str
    policy: str
    event_types: List[str]
    max_in_flight: int
    rate_limit: Optional[float]
    fifo: bool
    filter: str
    headers: Dict[str, str]
    secret_headers: List[str]
    at_most_once: bool
    description: str
    metadata: Dict[str, str]
    status: str
    disabled_reason: Optional[str]
    created_at: str
    updated_at: str
    consecutive_failures: int
    first_failure_at: Optional[str]
    last_failure_at: Optional[str]
    last_success_at: Optional[str]
    paused_until: Optional[str]
    circuit: str
    limit: int
    pending: Optional[int]
    in_flight: Optional[int]
    oldest_pending_age_seconds: Optional[int]


class Endpoint(_Endpoint, total=False):
    secret: str  # in the answer to the creation, this once
    replayed_count: int  # in the answer to enabling it


class EndpointPage(TypedDict):
    data: List[Endpoint]
    next_cursor: Optional[str]


class _EndpointSecret(TypedDict):
    id: str
    created_at: str
    expires_at: Optional[str]


class EndpointSecret(_EndpointSecret, total=False):
    value: str  # in the answer to the creation, this once


class Attempt(TypedDict):
    number: int
    trigger: str
    scheduled_at: str
    started_at: str
    duration_ms: int
    response_status: Optional[int]
    error_code: Optional[str]
    error: Optional[str]


class _Delivery(TypedDict):
    id: str
    event_id: str
    endpoint_id: Optional[str]
    tenant: str
    event_type: str
    state: str
    dead_reason: Optional[str]
    skip_reason: Optional[str]
    resolution: Optional[str]
    trigger: str
    attempt_count: int
    next_attempt_at: Optional[str]
    last_response_status: Optional[int]
    last_error_code: Optional[str]
    coalesce_key: Optional[str]
    superseded_by: Optional[str]
    created_at: str
    closed_at: Optional[str]


class Delivery(_Delivery, total=False):
    attempts: List[Attempt]  # in the answer for one delivery


class DeliveryPage(TypedDict):
    data: List[Delivery]
    next_cursor: Optional[str]


class Replayed(TypedDict):
    id: str
    event_id: Optional[str]
    endpoint_id: Optional[str]
    url: Optional[str]
    state: Optional[str]
    refusal: Optional[str]
    detail: Optional[str]


class Replay(TypedDict):
    data: List[Replayed]
    replayed: bool


class Tenant(TypedDict):
    id: str
    name: str
    priority: int
    alert_emails: List[str]
    technical_contact: str
    created_at: str
    updated_at: str
