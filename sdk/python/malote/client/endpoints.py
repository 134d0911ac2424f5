"""Tenants and the endpoints that their events are delivered to."""

from __future__ import annotations

from typing import Any, Dict, Iterator, Mapping, Optional, Sequence

from .answers import Endpoint, EndpointPage, EndpointSecret, Tenant
from .caller import LONG_TIMEOUT, Caller, every, given, once, path

_ENDPOINTS = "webhook_endpoints"


class EndpointCalls(Caller):
    def create_tenant(
        self, tenant: str, *, name: Optional[str] = None, idempotency_key: Optional[str] = None
    ) -> Tenant:
        """Creates a tenant under a name of your own. Needs an admin key."""
        created: Tenant = self.call(
            "POST", path("tenants"), body=given(id=tenant, name=name), idempotency_key=once(idempotency_key)
        )
        return created

    def get_tenant(self, tenant: str) -> Tenant:
        found: Tenant = self.call("GET", path("tenants", tenant))
        return found

    def create_endpoint(
        self,
        tenant: Optional[str],
        url: str,
        *,
        event_types: Optional[Sequence[str]] = None,
        policy: Optional[str] = None,
        max_in_flight: Optional[int] = None,
        rate_limit: Optional[float] = None,
        fifo: Optional[bool] = None,
        filter: Optional[str] = None,
        headers: Optional[Mapping[str, str]] = None,
        secret_headers: Optional[Sequence[str]] = None,
        at_most_once: Optional[bool] = None,
        description: Optional[str] = None,
        metadata: Optional[Mapping[str, str]] = None,
        secret: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Endpoint:
        """Creates an endpoint; it receives what is published from now on.

        The answer holds its signing secret, this once: an answer to a repeat has
        none, and then rotate_secret() makes another.
        """
        body = given(
            tenant=tenant,
            url=url,
            event_types=event_types,
            policy=policy,
            max_in_flight=max_in_flight,
            rate_limit=rate_limit,
            fifo=fifo,
            filter=filter,
            headers=headers,
            secret_headers=secret_headers,
            at_most_once=at_most_once,
            description=description,
            metadata=metadata,
            secret=secret,
        )
        created: Endpoint = self.call("POST", path(_ENDPOINTS), body=body, idempotency_key=once(idempotency_key))
        return created

    def get_endpoint(self, endpoint_id: str) -> Endpoint:
        """An endpoint, with its health and what waits for it."""
        found: Endpoint = self.call("GET", path(_ENDPOINTS, endpoint_id))
        return found

    def list_endpoints(
        self,
        tenant: Optional[str] = None,
        *,
        counts: Optional[bool] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> EndpointPage:
        """One page of endpoints, oldest first."""
        query = {
            "tenant": tenant,
            "counts": None if counts is None else str(counts).lower(),
            "limit": limit,
            "cursor": cursor,
        }
        page: EndpointPage = self.call("GET", path(_ENDPOINTS), query=query)
        return page

    def iter_endpoints(self, tenant: Optional[str] = None) -> Iterator[Endpoint]:
        """All of them, fetched page by page."""
        return every(lambda cursor: self.list_endpoints(tenant, limit=250, cursor=cursor))

    def update_endpoint(self, endpoint_id: str, **changes: Any) -> Endpoint:
        """Changes the members given, named as in create_endpoint(). Lists and maps
        are replaced as a whole; what is pending goes to the new url."""
        changed: Endpoint = self.call("PATCH", path(_ENDPOINTS, endpoint_id), body=changes)
        return changed

    def delete_endpoint(self, endpoint_id: str) -> None:
        """What is pending for it ends as dead. Its history stays readable."""
        self.call("DELETE", path(_ENDPOINTS, endpoint_id), timeout=LONG_TIMEOUT)

    def enable_endpoint(self, endpoint_id: str) -> Endpoint:
        """Whatever stopped it, its failures are forgotten and what is pending is sent."""
        enabled: Endpoint = self.call("POST", path(_ENDPOINTS, endpoint_id, "enable"), timeout=LONG_TIMEOUT)
        return enabled

    def disable_endpoint(self, endpoint_id: str) -> Endpoint:
        """New events are recorded as skipped."""
        disabled: Endpoint = self.call(
            "POST", path(_ENDPOINTS, endpoint_id, "disable"), repeatable=True, timeout=LONG_TIMEOUT
        )
        return disabled

    def rotate_secret(
        self,
        endpoint_id: str,
        *,
        overlap: Optional[str] = None,
        value: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> EndpointSecret:
        """Adds a new secret and lets older ones expire after the overlap, such as
        "48h", in which all of them sign. The answer holds it, this once."""
        body: Dict[str, Any] = given(overlap=overlap, value=value)
        added: EndpointSecret = self.call(
            "POST", path(_ENDPOINTS, endpoint_id, "secrets", "rotate"), body=body, idempotency_key=once(idempotency_key)
        )
        return added
