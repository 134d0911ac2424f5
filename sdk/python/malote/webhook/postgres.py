"""A store of seen ids in PostgreSQL 13 or newer, over any DB-API driver.

The table is the one that Malote's Go package webhook/pgseen has, so receivers in
several languages may share it: rows are keyed by sender and id. It stores a
sender's name, ids and times: no body, no header, no secret.
"""

from __future__ import annotations

import hashlib
import re
import uuid
from contextlib import closing, suppress
from typing import Any, Callable, Dict, Optional

from .. import _sql
from .seen import AlreadyHandled, BeingHandled, ClaimLost, NotCommitted
from .verifying import Message

DEFAULT_TABLE = "webhook_seen"
DEFAULT_RETENTION = 7 * 24 * 3600.0
DEFAULT_LEASE = 300.0

# The name of the table's index is the table's and eleven characters more, and
# PostgreSQL cuts names at 63 bytes.
_TABLE = re.compile(r"(?:([A-Za-z_][A-Za-z0-9_]{0,62})\.)?([A-Za-z_][A-Za-z0-9_]{0,49})")

# until is the end of a claim, or of a handled id's memory.
_DDL = """CREATE TABLE IF NOT EXISTS {table} (
    sender  text        COLLATE "C" NOT NULL,
    id      text        COLLATE "C" NOT NULL,
    token   uuid        NOT NULL,
    handled boolean     NOT NULL,
    until   timestamptz NOT NULL,
    PRIMARY KEY (sender, id)
);
CREATE INDEX IF NOT EXISTS {index} ON {table} (until);
"""

_PARAMETERS = {
    "sender": "CAST($sender AS text)",
    "id": "CAST($id AS text)",
    "token": "CAST(CAST($token AS text) AS uuid)",
    "lease": "CAST($lease AS bigint) * interval '1 microsecond'",
    "retention": "CAST($retention AS bigint) * interval '1 microsecond'",
    "promised": "CAST($promised AS boolean)",
}

# Makes or takes the row of an id, and never waits for the transaction of whoever
# handles it: a row that is there is not inserted again, and one that is held is
# passed by. Two may still insert at once; the second waits for the first to
# commit, which is at once unless the first got on to its own transaction
# meanwhile. For that there is a limit to the waiting, which ends with the
# statement's transaction.
_CLAIM = """WITH patience AS MATERIALIZED (
    SELECT set_config('lock_timeout', '1s', true)
), known AS MATERIALIZED (
    SELECT handled, until <= now() AS over FROM {table} WHERE sender = {sender} AND id = {id}
), made AS (
    INSERT INTO {table} (sender, id, token, handled, until)
    SELECT {sender}, {id}, {token}, false, now() + {lease}
    FROM patience WHERE NOT EXISTS (SELECT FROM known)
    ON CONFLICT (sender, id) DO NOTHING
    RETURNING 1
), free AS MATERIALIZED (
    SELECT 1 FROM {table} WHERE sender = {sender} AND id = {id} AND until <= now() FOR UPDATE SKIP LOCKED
), taken AS (
    UPDATE {table} SET token = {token}, handled = false, until = now() + {lease}
    WHERE sender = {sender} AND id = {id} AND until <= now() AND EXISTS (SELECT FROM free)
    RETURNING 1
)
SELECT CASE WHEN EXISTS (SELECT FROM made) OR EXISTS (SELECT FROM taken) THEN 'mine'
    ELSE coalesce((
        SELECT CASE WHEN over THEN 'undecided' WHEN handled THEN 'handled' ELSE 'claimed' END FROM known
    ), 'undecided')
END"""

# Every webhook that is handled takes a few expired rows with it. A claim that ran
# out stays for a day: its holder may only be slow.
_KEEP = """WITH purged AS (
    DELETE FROM {table} WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM {table}
        WHERE until <= now() AND (handled OR until <= now() - interval '1 day') AND (sender, id) <> ({sender}, {id})
        ORDER BY until LIMIT 8 FOR UPDATE SKIP LOCKED))
), kept AS (
    UPDATE {table} SET handled = true, until = now() + {retention}
    WHERE sender = {sender} AND id = {id} AND token = {token} AND NOT handled AND NOT {promised}
    RETURNING 1
)
SELECT EXISTS (SELECT FROM kept)
    OR EXISTS (SELECT FROM {table} WHERE sender = {sender} AND id = {id} AND token = {token} AND handled)"""

_RELEASE = """WITH released AS (
    DELETE FROM {table} WHERE sender = {sender} AND id = {id} AND token = {token} AND NOT handled RETURNING 1
)
SELECT count(*) FROM released"""

# The transaction may have begun long ago, and its now() with it.
_KEEP_WITHIN = """UPDATE {table} SET handled = true, until = clock_timestamp() + {retention}
WHERE sender = {sender} AND id = {id} AND token = {token}"""

# How often a claim looks at a row that others are at, and the SQLSTATEs that say
# so: lock not available, serialization failure, deadlock.
_LOOKS = 3
_RACES = ("55P03", "40001", "40P01")


def ddl(table: str = DEFAULT_TABLE) -> str:
    """What makes the table, for a migration. It may be run again."""
    return _named(_DDL, table)


class PostgresSeen:
    """A Seen store of one sender, shared by all processes with the database.

    ``connect`` gives a new or pooled DB-API connection, which is closed after
    each use: for example lambda: psycopg.connect(dsn), or SQLAlchemy's
    engine.raw_connection. It must not be the connection of a transaction that
    is under way. ``sender`` is a name of your own, such as "malote": one that
    changes forgets its ids.

    A claim that nobody settled is let go of after ``lease`` seconds, so a crash
    locks an id no longer. Handling must not take longer, unless it happens in a
    transaction that begins with Message.keep. Handled ids are known for
    ``retention`` seconds, which must be longer than the sender goes on trying.
    """

    def __init__(
        self,
        connect: Callable[[], Any],
        sender: str,
        *,
        table: str = DEFAULT_TABLE,
        retention: float = DEFAULT_RETENTION,
        lease: float = DEFAULT_LEASE,
        paramstyle: Optional[str] = None,
    ) -> None:
        if not 0 < len(sender.encode()) <= 256 or "\0" in sender:
            raise ValueError("name the sender with 1 to 256 bytes of UTF-8 without NUL")
        if lease < 1 or retention <= lease:
            raise ValueError("the retention must be longer than the lease, and the lease at least a second")
        self._connect = connect
        self._table = table
        self._paramstyle = paramstyle
        self._values = {
            "sender": sender,
            "lease": round(lease * 1_000_000),
            "retention": round(retention * 1_000_000),
        }
        _named("", table)

    def claim(self, message_id: str) -> PostgresClaim:
        claim = PostgresClaim(self, _stored(message_id))
        for _ in range(_LOOKS):
            try:
                state = self._ask(_CLAIM, claim.values)
            except Exception as error:
                if _sql.sqlstate(error) in _RACES:
                    continue
                raise
            if state == "mine":
                return claim
            if state == "handled":
                raise AlreadyHandled(message_id)
            if state == "claimed":
                raise BeingHandled(message_id)
        raise BeingHandled(message_id)

    def in_transaction(self, handle: Callable[[Any, Message], None]) -> Callable[[Message], None]:
        """Makes a handler of one that works in a transaction: handle(cursor, message).

        The id is kept first, then handle is called, then all is committed; when
        handle raises, all is rolled back and the sender comes again. handle
        neither commits nor rolls back.
        """

        def handle_message(message: Message) -> None:
            with closing(self._connect()) as connection:
                try:
                    cursor = connection.cursor()
                    message.keep(cursor)
                    handle(cursor, message)
                except BaseException:
                    _roll_back(connection)
                    raise
                connection.commit()

        return handle_message

    def _ask(self, statement: str, values: Dict[str, Any]) -> Any:
        """Runs a statement in a transaction of its own, and returns its value."""
        with closing(self._connect()) as connection:
            try:
                cursor = connection.cursor()
                self._execute(cursor, statement, values)
                answer = _sql.first_column(cursor.fetchone())
            except BaseException:
                _roll_back(connection)
                raise
            connection.commit()
        return answer

    def _execute(self, cursor: Any, statement: str, values: Dict[str, Any]) -> None:
        style = self._paramstyle or _sql.paramstyle_of(cursor)
        named = _named(statement, self._table)
        cursor.execute(*_sql.bind(named, {**self._values, **values}, style))


class PostgresClaim:
    """A Claim of a PostgresSeen. Its token is its own: whoever is late settles
    nothing of another's."""

    def __init__(self, store: PostgresSeen, stored_id: str) -> None:
        self._store = store
        # Once a transaction was told to keep the id, only the row can say
        # whether it committed.
        self.values = {"id": stored_id, "token": str(uuid.uuid4()), "promised": False}

    def keep(self) -> None:
        if not self._store._ask(_KEEP, self.values):
            if self.values["promised"]:
                raise NotCommitted("the transaction that keeps the id was not committed: commit it before returning")
            raise ClaimLost("the claim ran out, and another request has or had the id: give the store a longer lease")

    def release(self) -> None:
        # An id that was kept, by this claim's own transaction too, stays kept.
        self._store._ask(_RELEASE, self.values)

    def keep_in(self, cursor: Any) -> None:
        """See Message.keep. From then on the transaction holds the id's row."""
        self._store._execute(cursor, _KEEP_WITHIN, self.values)
        if cursor.rowcount != 1:
            raise ClaimLost("the claim ran out, and another request has or had the id: roll back")
        self.values["promised"] = True


def _roll_back(connection: Any) -> None:
    """What went wrong matters, and not that a broken connection cannot roll back."""
    with suppress(Exception):
        connection.rollback()


def _named(statement: str, table: str) -> str:
    parts = _TABLE.fullmatch(table)
    if parts is None:
        raise ValueError(
            f"the table must be named like webhook_seen or billing.webhook_seen, not {table!r}: letters, digits and _, "
            "a schema of at most 63 and a table of at most 50 characters"
        )
    # The characters were checked: none has a meaning within quotes.
    quoted = f'"{parts[2]}"' if parts[1] is None else f'"{parts[1]}"."{parts[2]}"'
    return statement.format(table=quoted, index=f'"{parts[2]}_until_idx"', **_PARAMETERS)


def _stored(message_id: str) -> str:
    """An index holds no key of more than some 2,700 bytes, and text no NUL and
    nothing but UTF-8. A Receiver brings no such id, but others might."""
    raw = message_id.encode("utf-8", "surrogatepass")
    fits = len(raw) <= 256 and "\0" not in message_id and not any("\ud800" <= c <= "\udfff" for c in message_id)
    if fits and not message_id.startswith("sha256:"):
        return message_id
    return "sha256:" + hashlib.sha256(raw).hexdigest()
