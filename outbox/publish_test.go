package outbox_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/store/outbox"
	public "github.com/malotehq/malote/outbox"
)

var instant = time.Date(2031, time.February, 27, 22, 15, 0, 123456789, time.FixedZone("", -3*60*60))

// awkward is JSON that every detour through a parser would change.
const awkward = "{ \"n\": 12345678901234567890.10,\t\"n\": 1e400,\r\n \"\\u0000\": \"\\ud83d\\ude00 😀 \\/ <'\\\\\\\"$1?>\" }\n"

var endpoints = []string{"whe_01h455vb4pex5vsknk084sn02q", "whe_7zzzzzzzzzfzzvzzzzzzzzzzzz"}

// cases are events and the rows that they become.
func cases() map[string]struct {
	event public.Event
	row   outbox.Row
} {
	binary := string([]byte{0, 0xff, '\'', '\\', 0})
	return map[string]struct {
		event public.Event
		row   outbox.Row
	}{
		"data": {
			public.Event{
				Tenant: "acme", Type: "invoice.paid", Data: json.RawMessage(awkward),
				IdempotencyKey: "key '\"\\ é", CoalesceKey: "invoice-42", EntityVersion: "v7", ExternalID: "42/paid",
				OccurredAt: instant, EndpointIDs: endpoints,
			},
			outbox.Row{
				Tenant: "acme", Type: "invoice.paid", Body: []byte(awkward),
				IdempotencyKey: "key '\"\\ é", CoalesceKey: "invoice-42", EntityVersion: "v7", ExternalID: "42/paid",
				OccurredAt: new(instant.Truncate(time.Microsecond).UTC()), EndpointIDs: endpoints,
			},
		},
		"body": {
			public.Event{
				Tenant: "acme", Type: "file.made", Body: []byte(binary), ContentType: "application/octet-stream",
				AggregateType: "file", AggregateID: "7", EndpointIDs: endpoints[:1],
			},
			outbox.Row{
				Tenant: "acme", Type: "file.made", Body: []byte(binary), ContentType: new("application/octet-stream"),
				ExternalID: "file/7", EndpointIDs: endpoints[:1],
			},
		},
		"little": {
			public.Event{Tenant: "a", Type: "b", Data: json.RawMessage(`null`), AggregateID: "7"},
			outbox.Row{Tenant: "a", Type: "b", Body: []byte(`null`), ExternalID: "7"},
		},
		"nothing": {
			public.Event{Tenant: "a", Type: "b", Body: []byte{}},
			outbox.Row{Tenant: "a", Type: "b", Body: []byte{}, ContentType: new("application/json")},
		},
	}
}

// requireRow compares a row with what it should be. Its id, place and time are
// the database's.
func requireRow(t require.TestingT, want, got outbox.Row, id public.ID, says string) {
	require.Equal(t, id.String(), got.ID, says)
	require.Equal(t, "outbox:"+got.ID, id.IdempotencyKey(), says)
	want.ID, want.Position, want.WrittenAt = got.ID, got.Position, got.WrittenAt
	require.Equal(t, want, got, says)
}

func TestPublish_WritesWhatWasSaid(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	for way, write := range s.writers(t) {
		for name, c := range cases() {
			var id public.ID
			write(t, func(tx public.Tx) {
				var err error
				id, err = public.Publish(t.Context(), tx, c.event)
				require.NoError(t, err, "%s: %s", way, name)
			})
			rows := s.take(t)
			require.Len(t, rows, 1, "%s: %s", way, name)
			requireRow(t, c.row, rows[0], id, way+": "+name)
		}
	}
}

func TestPublish_ARollbackLeavesNothing(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	event := public.Event{Tenant: "acme", Type: "a", Data: json.RawMessage(`1`)}

	tx, err := s.conn.Begin(t.Context())
	require.NoError(t, err)
	_, err = public.Publish(t.Context(), tx, event)
	require.NoError(t, err)
	require.NoError(t, tx.Rollback(t.Context()))

	db := stdlib.OpenDB(*s.conn.Config())
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	other := begin(t, db)
	_, err = public.PublishBatch(t.Context(), other, []public.Event{event, event})
	require.NoError(t, err)
	require.NoError(t, other.Rollback())
	require.Empty(t, s.take(t))
}

func TestPublish_Savepoints(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	event := func(name string) public.Event {
		return public.Event{Tenant: "acme", Type: name, Data: json.RawMessage(`1`)}
	}
	publish := func(tx public.Tx, name string) {
		t.Helper()
		_, err := public.Publish(t.Context(), tx, event(name))
		require.NoError(t, err)
	}
	tx, err := s.conn.Begin(t.Context())
	require.NoError(t, err)
	publish(tx, "kept")
	for _, name := range []string{"undone", "nested"} {
		savepoint, err := tx.Begin(t.Context())
		require.NoError(t, err)
		publish(savepoint, name)
		if name == "undone" {
			require.NoError(t, savepoint.Rollback(t.Context()))
		} else {
			require.NoError(t, savepoint.Commit(t.Context()))
		}
	}
	require.NoError(t, tx.Commit(t.Context()))

	db := stdlib.OpenDB(*s.conn.Config())
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	other := begin(t, db)
	publish(other, "sql.kept")
	for _, statement := range []string{"SAVEPOINT a", "ROLLBACK TO a"} {
		_, err := other.Exec(statement)
		require.NoError(t, err)
		publish(other, strings.ReplaceAll(statement, " ", "-"))
	}
	require.NoError(t, other.Commit())

	var types []string
	for _, row := range s.take(t) {
		types = append(types, row.Type)
	}
	require.Equal(t, []string{"kept", "nested", "sql.kept", "ROLLBACK-TO-a"}, types)
}

// What people wrap transactions in has their methods.
type (
	wrappedSQL struct{ *sql.Tx }
	wrappedPgx struct{ pgx.Tx }
)

func TestPublish_TransactionsOnly(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	event := public.Event{Tenant: "acme", Type: "a", Data: json.RawMessage(`1`)}
	pool, err := pgxpool.New(t.Context(), s.dsn)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	acquired, err := pool.Acquire(t.Context())
	require.NoError(t, err)
	defer acquired.Release()
	db := stdlib.OpenDBFromPool(pool)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	single, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer func() { _ = single.Close() }()

	for _, other := range []any{nil, "tx", s.conn, pool, acquired, db, single, t.Context()} {
		_, err := public.Publish(t.Context(), other, event)
		require.ErrorIs(t, err, public.ErrNotTransaction, "%T", other)
		_, err = public.PublishBatch(t.Context(), other, nil)
		require.ErrorIs(t, err, public.ErrNotTransaction, "%T", other)
	}
	require.Empty(t, s.take(t))

	pooled, err := pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = pooled.Rollback(context.Background()) }()
	standard := begin(t, db)
	for _, tx := range []any{pooled, standard, wrappedSQL{standard}, &wrappedSQL{standard}, wrappedPgx{pooled}} {
		_, err := public.Publish(t.Context(), tx, event)
		require.NoError(t, err, "%T", tx)
	}
	require.NoError(t, pooled.Commit(t.Context()))
	require.NoError(t, standard.Commit())
	require.Len(t, s.take(t), 5)

	_, err = public.Publish(t.Context(), standard, event)
	require.ErrorIs(t, err, sql.ErrTxDone)
	_, err = public.Publish(t.Context(), pooled, event)
	require.ErrorIs(t, err, pgx.ErrTxClosed)
}

// An event that cannot be is no reason to lose the transaction.
func TestPublish_AnInvalidEventHarmsNothing(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	tx, err := s.conn.Begin(t.Context())
	require.NoError(t, err)
	good := public.Event{Tenant: "acme", Type: "a", Data: json.RawMessage(`1`)}
	bad := public.Event{Tenant: "acme", Type: "a", Data: json.RawMessage(`{`)}
	_, err = public.Publish(t.Context(), tx, bad)
	require.Equal(t, &public.InvalidError{Index: -1, Field: "data", Reason: "must be one JSON value in UTF-8"}, err)
	require.EqualError(t, err, "outbox: data must be one JSON value in UTF-8")
	_, err = public.PublishBatch(t.Context(), tx, []public.Event{good, bad, good})
	require.EqualError(t, err, "outbox: event 1: data must be one JSON value in UTF-8")
	_, err = public.Publish(t.Context(), tx, good)
	require.NoError(t, err)
	require.NoError(t, tx.Commit(t.Context()))
	require.Len(t, s.take(t), 1)
}

func TestPublish_SaysWhatTheOwnerHasToDo(t *testing.T) {
	t.Parallel()
	event := public.Event{Tenant: "acme", Type: "a", Data: json.RawMessage(`1`)}
	s := newShop(t)
	_, err := s.publish(t, s.role(t, false), event)
	require.ErrorIs(t, err, public.ErrNotAllowed)
	var told interface{ SQLState() string }
	require.True(t, errors.As(err, &told), "the cause stays within reach")
	require.Equal(t, "42501", told.SQLState())

	for _, statement := range []string{
		`DROP FUNCTION malote.publish_json(text, text, text, text, text, text, text, timestamptz, text[], text, text)`,
		`DROP SCHEMA malote CASCADE`,
	} {
		s.exec(t, statement)
		_, err = s.publish(t, s.conn, event)
		require.ErrorIs(t, err, public.ErrNotInstalled, statement)
		db := stdlib.OpenDB(*s.conn.Config())
		_, err = public.Publish(t.Context(), begin(t, db), event)
		require.ErrorIs(t, err, public.ErrNotInstalled, statement)
		_, err = public.PublishBatch(t.Context(), begin(t, db), []public.Event{event})
		require.ErrorIs(t, err, public.ErrNotInstalled, statement)
		require.NoError(t, db.Close())
	}
}

// The rights that malote outbox install prints are enough for all that the
// package does.
func TestPublish_LeastPrivilege(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	conn := s.role(t, true)
	var events []public.Event
	for _, c := range cases() {
		events = append(events, c.event)
		_, err := s.publish(t, conn, c.event)
		require.NoError(t, err)
	}
	tx, err := conn.Begin(t.Context())
	require.NoError(t, err)
	_, err = public.PublishBatch(t.Context(), tx, events)
	require.NoError(t, err)
	require.NoError(t, tx.Commit(t.Context()))
	require.Len(t, s.take(t), 8)
}
