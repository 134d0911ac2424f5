"""Publishes events inside your own database transaction.

One SQL statement, an insert into the append-only outbox that malote outbox
install has put into your database; Malote's relay carries it on after the commit,
and nothing happens without one. Works with the cursor of any DB-API driver:
psycopg, Django's connection.cursor(), SQLAlchemy's session.connection().connection
.cursor(). It opens no connection, and neither commits nor rolls back.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, Dict, Iterable, NamedTuple, Optional, Union

from . import _payload, _sql
from ._payload import NOT_GIVEN

_ENDPOINT_ID = re.compile(r"whe_[0-9a-z]{26}")

# Everything goes as text, whatever the driver would make of a value, and is given
# its type here.
_TEXT = "CAST(${0} AS text)"
_CASTS = {
    "occurred_at": "CAST(CAST($occurred_at AS text) AS timestamptz)",
    "endpoint_ids": "CAST(CAST($endpoint_ids AS text) AS text[])",
}


class Statement(NamedTuple):
    """For drivers without a DB-API cursor, such as asyncpg."""

    sql: str
    parameters: _sql.Parameters


def publish(
    cursor: Any,
    tenant: str,
    type: str,
    data: Any = NOT_GIVEN,
    *,
    data_json: Union[bytes, str, None] = None,
    body: Optional[bytes] = None,
    content_type: Optional[str] = None,
    paramstyle: Optional[str] = None,
    **options: Any,
) -> str:
    """Publishes one event in the cursor's transaction; returns the outbox id.

    ``data_json`` is JSON as bytes or str and is kept byte for byte; ``body`` is
    anything, with its content type (application/json unless given). The options are idempotency_key,
    coalesce_key, entity_version, external_id, occurred_at, endpoint_ids,
    aggregate_type and aggregate_id. Without an idempotency_key the event gets
    outbox: and the outbox id.
    """
    prepared = statement(
        tenant,
        type,
        data,
        data_json=data_json,
        body=body,
        content_type=content_type,
        paramstyle=paramstyle or _sql.paramstyle_of(cursor),
        **options,
    )
    cursor.execute(prepared.sql, prepared.parameters)
    return str(_sql.first_column(cursor.fetchone()))


def statement(
    tenant: str,
    type: str,
    data: Any = NOT_GIVEN,
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
    aggregate_type: Optional[str] = None,
    aggregate_id: Optional[str] = None,
    paramstyle: str = "format",
) -> Statement:
    """The statement that publish() executes. paramstyle is DB-API's, or
    numeric_dollar for asyncpg's $1."""
    payload = _payload.read(data, data_json, body, content_type)
    values: Dict[str, Any] = {"tenant": tenant, "type": type}
    if payload.json is not None:
        function, arguments = "publish_json", [_TEXT.format(name) for name in ("tenant", "type", "data")]
        values["data"] = payload.json.decode("utf-8")
    else:
        function, arguments = "publish", [_TEXT.format("tenant"), _TEXT.format("type"), "CAST($body AS bytea)"]
        arguments.append(_TEXT.format("content_type"))
        values["body"] = payload.body
        values["content_type"] = payload.content_type or "application/json"
    options = {
        "idempotency_key": idempotency_key,
        "coalesce_key": coalesce_key,
        "entity_version": entity_version,
        "external_id": external_id,
        "occurred_at": None if occurred_at is None else _payload.instant(occurred_at),
        "endpoint_ids": None if endpoint_ids is None else _array(endpoint_ids),
        "aggregate_type": aggregate_type,
        "aggregate_id": aggregate_id,
    }
    for name, value in options.items():
        if value is not None:
            arguments.append(f"{name} => {_CASTS.get(name) or _TEXT.format(name)}")
            values[name] = value
    return Statement(*_sql.bind(f"SELECT malote.{function}({', '.join(arguments)})", values, paramstyle))


def _array(ids: Iterable[str]) -> str:
    """An array as PostgreSQL writes it. Ids need no quotes."""
    listed = _payload.endpoint_ids(ids)
    if not listed:
        raise ValueError("endpoint_ids is empty, so that nobody would get the event: leave it out")
    for endpoint_id in listed:
        if not _ENDPOINT_ID.fullmatch(endpoint_id):
            raise ValueError(f"{endpoint_id!r} is no endpoint id: whe_ and 26 characters")
    return "{" + ",".join(listed) + "}"
