"""An event to be published, and how it is written."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Dict, Iterable, Optional, Union

from .. import _jsontext, _payload
from .caller import once


@dataclass(frozen=True)
class Event:
    """An event to be published: with data, or data_json, or body.

    ``data_json`` is JSON as bytes or str and is kept byte for byte: key order,
    white space, numbers of any length. ``body`` is anything, sent as it is.
    Without a tenant it is that of the key. Without an idempotency_key the call
    makes one, which is gone with the call: a program that repeats a failed
    publish itself gives its own, made from what it publishes.
    """

    tenant: Optional[str]
    type: str
    data: Any = field(default=_payload.NOT_GIVEN, repr=False)
    data_json: Union[bytes, str, None] = field(default=None, repr=False)
    body: Optional[bytes] = field(default=None, repr=False)
    content_type: Optional[str] = None
    idempotency_key: Optional[str] = None
    coalesce_key: Optional[str] = None
    entity_version: Optional[str] = None
    external_id: Optional[str] = None
    occurred_at: Union[datetime, str, None] = None
    endpoint_ids: Optional[Iterable[str]] = None

    def encode(self) -> bytes:
        """The event as the API reads it."""
        payload = _payload.read(self.data, self.data_json, self.body, self.content_type)
        members: Dict[str, Any] = {
            "tenant": self.tenant,
            "type": self.type,
            "content_type": payload.content_type,
            "idempotency_key": once(self.idempotency_key),
            "coalesce_key": self.coalesce_key,
            "entity_version": self.entity_version,
            "external_id": self.external_id,
            "occurred_at": None if self.occurred_at is None else _payload.instant(self.occurred_at),
            "endpoint_ids": None if self.endpoint_ids is None else _payload.endpoint_ids(self.endpoint_ids),
        }
        if payload.json is None:
            members["body_base64"] = base64.b64encode(payload.body).decode()
        written = _jsontext.write({name: value for name, value in members.items() if value is not None})
        if payload.json is None:
            return written
        # data_json was found to be one JSON value: it cannot end the member.
        return written[:-1] + b',"data":' + payload.json + b"}"
