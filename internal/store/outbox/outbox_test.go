package outbox_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/store/outbox"
)

func TestTake_GivesWhatWasSaid(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	const json = "{\"z\": 1.50,  \"a\":\"\\u0000\", \"n\":12345678901234567890}"
	ids := []string{
		s.publish(`publish_json('acme', 'a.b', $1)`, json),
		s.publish(`publish('acme', 'a.b', '{"b":1,  "a":2}'::jsonb)`),
		s.publish(`publish('acme', 'a.b', '\x00ff00'::bytea, 'application/octet-stream')`),
		s.publish(`publish('acme', 'a.b', 'x'::bytea, NULL)`),
		s.publish(`publish('acme', 'a.b', '1', idempotency_key => 'i', coalesce_key => 'c', entity_version => 'v', external_id => 'e',
			occurred_at => '2026-02-03T04:05:06.789Z', endpoint_ids => ARRAY['whe_01h455vb4pex5vsknk084sn02q'], aggregate_type => 'order', aggregate_id => '7')`),
		s.publish(`publish('acme', 'a.b', '1', aggregate_type => 'order', aggregate_id => '7', idempotency_key => '')`),
		s.publish(`publish('acme', 'a.b', '1', aggregate_id => '7')`),
	}
	rows := s.takeAll()
	require.Len(t, rows, len(ids))
	for i, row := range rows {
		require.Equal(t, ids[i], row.ID, "in the order of writing")
		require.Equal(t, "acme", row.Tenant)
		require.Equal(t, "a.b", row.Type)
		require.WithinDuration(t, time.Now(), row.WrittenAt, time.Minute)
	}
	require.Equal(t, json, string(rows[0].Body), "byte for byte")
	require.Nil(t, rows[0].ContentType)
	require.Equal(t, `{"a": 2, "b": 1}`, string(rows[1].Body), "as jsonb has it")
	require.Equal(t, []byte{0, 0xff, 0}, rows[2].Body)
	require.Equal(t, "application/octet-stream", *rows[2].ContentType)
	require.Equal(t, "application/json", *rows[3].ContentType)
	full := rows[4]
	require.Equal(t, []string{"i", "c", "v", "e"}, []string{full.IdempotencyKey, full.CoalesceKey, full.EntityVersion, full.ExternalID})
	require.Equal(t, time.Date(2026, 2, 3, 4, 5, 6, 789e6, time.UTC), full.OccurredAt.UTC())
	require.Equal(t, []string{"whe_01h455vb4pex5vsknk084sn02q"}, full.EndpointIDs)
	require.Equal(t, "order/7", rows[5].ExternalID)
	require.Empty(t, rows[5].IdempotencyKey)
	require.Equal(t, "7", rows[6].ExternalID)
}

func TestTake_IsBoundedByRowsAndBytes(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	for _, size := range []int{10, 10, 100, 10, 10} {
		s.publish(`publish('acme', 'a', convert_to(repeat('x', $1), 'UTF8'), 'text/plain')`, size)
	}
	box := s.outbox()
	var taken []int
	for {
		batch, err := box.Take(t.Context(), 0, 3, 30)
		require.NoError(t, err)
		if len(batch.Rows) == 0 {
			break
		}
		taken = append(taken, len(batch.Rows))
		require.NoError(t, batch.Settle(t.Context(), nil))
	}
	require.Equal(t, []int{2, 1, 2}, taken, "what is larger than the bound goes alone")
	require.Zero(t, s.count("outbox"))
}

// I6: a transaction that stays open holds nobody up, and what it wrote appears
// when it commits, below what was carried long before.
func TestI6_AnOpenTransactionIsPassedByAndAppearsWhenItCommits(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	open, err := connect(t, s.publisher).Begin(t.Context())
	require.NoError(t, err)
	defer open.Rollback(context.Background()) //nolint:errcheck // the test is over
	var late string
	require.NoError(t, open.QueryRow(t.Context(), `SELECT malote.publish('acme', 'late', '1')::text`).Scan(&late))
	s.publish(`publish('acme', 'early', '1')`)
	box := s.outbox()
	batch, err := box.Take(t.Context(), 0, manyRows, manyBytes)
	require.NoError(t, err)
	require.Len(t, batch.Rows, 1)
	highest := batch.Rows[0].Position
	require.NoError(t, batch.Settle(t.Context(), nil))
	require.Empty(t, s.takeAll())

	require.NoError(t, open.Commit(t.Context()))
	rows := s.takeAll()
	require.Len(t, rows, 1)
	require.Equal(t, late, rows[0].ID)
	require.Less(t, rows[0].Position, highest)
}

func TestTake_NoRowGoesToTwo(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	const rows = 600
	execute(t, connect(t, s.publisher), `SELECT malote.publish('acme', 'a', '1') FROM generate_series(1, 600)`)
	var mu sync.Mutex
	seen := map[string]int{}
	var takers sync.WaitGroup
	for range 4 {
		takers.Go(func() {
			box := open(t, s.relay)
			for {
				batch, err := box.Take(context.Background(), 0, 7, manyBytes)
				if err != nil {
					t.Error(err)
					return
				}
				if len(batch.Rows) == 0 {
					return
				}
				mu.Lock()
				for _, row := range batch.Rows {
					seen[row.ID]++
				}
				mu.Unlock()
				if err := batch.Settle(context.Background(), nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
	takers.Wait()
	require.Len(t, seen, rows)
	for id, n := range seen {
		require.Equal(t, 1, n, id)
	}
}

func TestRelease_AndALostConnectionGiveRowsBack(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.publish(`publish('acme', 'a', '1')`)
	box := s.outbox()
	batch, err := box.Take(t.Context(), 0, manyRows, manyBytes)
	require.NoError(t, err)
	require.Empty(t, s.takeAll(), "somebody has it")
	batch.Release(t.Context())
	require.Len(t, s.takeAll(), 1)

	batch, err = box.Take(t.Context(), 0, manyRows, manyBytes)
	require.NoError(t, err)
	execute(t, s.conn, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'malote-relay' AND datname = current_database() AND state = 'idle in transaction'`)
	require.Error(t, batch.Settle(t.Context(), nil), "nothing was settled")
	require.Len(t, s.takeAll(), 1)
	batch, err = box.Take(t.Context(), 0, manyRows, manyBytes)
	require.NoError(t, err, "it connects again")
	require.NoError(t, batch.Settle(t.Context(), nil))
	require.Zero(t, s.count("outbox"))
}

func TestRefused_AreKeptRetriedAndDiscarded(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	good, bad := s.publish(`publish('acme', 'a', '1')`), s.publish(`publish('acme', 'b', '[2]'::jsonb, external_id => 'e')`)
	box := s.outbox()
	refuse := func() {
		batch, err := box.Take(t.Context(), 0, manyRows, manyBytes)
		require.NoError(t, err)
		last := len(batch.Rows) - 1
		require.Equal(t, bad, batch.Rows[last].ID)
		require.NoError(t, batch.Settle(t.Context(), []outbox.Refusal{{Index: last, Reason: "for a reason"}}))
	}
	refuse()
	require.Zero(t, s.count("outbox"))
	list, err := box.Refused(t.Context(), 10)
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, bad, list[0].ID)
	require.Equal(t, "for a reason", list[0].Reason)
	require.Equal(t, int64(3), list[0].Bytes)
	require.Equal(t, "e", list[0].ExternalID)
	lag, err := box.Lag(t.Context())
	require.NoError(t, err)
	require.Equal(t, outbox.Lag{Refused: 1}, lag)

	n, err := box.Retry(t.Context(), []string{good})
	require.NoError(t, err)
	require.Zero(t, n, "it was not refused")
	n, err = box.Retry(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, int64(1), n)
	lag, err = box.Lag(t.Context())
	require.NoError(t, err)
	require.Equal(t, int64(1), lag.Waiting)
	require.Positive(t, lag.Oldest)
	rows := s.takeAll()
	require.Equal(t, bad, rows[0].ID, "with its id")
	require.Equal(t, "[2]", string(rows[0].Body))

	refuse()
	n, err = box.Discard(t.Context(), []string{bad})
	require.NoError(t, err)
	require.Equal(t, int64(1), n)
	require.Zero(t, s.count("outbox_refused"))
}

// What the functions would not have written is put aside, unseen, and holds nobody up.
func TestTake_PutsAsideWhatNobodyCouldHoldOrRead(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	conn := connect(t, s.publisher)
	_, err := conn.Exec(t.Context(), `SELECT malote.publish('acme', 'a', convert_to(repeat('x', 33554433), 'UTF8'), 'text/plain')`)
	require.Error(t, err)
	bad := map[string]string{
		"body":   `body) VALUES (gen_random_uuid(), now(), 'acme', 'a', convert_to(repeat('x', 33554433), 'UTF8'))`,
		"tenant": `body) VALUES (gen_random_uuid(), now(), repeat('x', 65), 'a', '1')`, "type": `body) VALUES (gen_random_uuid(), now(), 'acme', repeat('x', 1000000), '1')`,
		"key":         `body, idempotency_key) VALUES (gen_random_uuid(), now(), 'acme', 'a', '1', repeat('x', 257))`,
		"long id":     `body, endpoint_ids) SELECT gen_random_uuid(), now(), 'acme', 'a', '1', array_agg(md5(i::text)) FROM generate_series(1, 5000) i`,
		"NULL id":     `body, endpoint_ids) VALUES (gen_random_uuid(), now(), 'acme', 'a', '1', ARRAY[NULL])`,
		"never":       `body, occurred_at) VALUES (gen_random_uuid(), now(), 'acme', 'a', '1', 'infinity')`,
		"long ago":    `body) VALUES (gen_random_uuid(), '4000-01-01 BC', 'acme', 'a', '1')`,
		"in far time": `body) VALUES (gen_random_uuid(), 'infinity', 'acme', 'a', '1')`,
	}
	for name, statement := range bad {
		_, err := conn.Exec(t.Context(), "INSERT INTO malote.outbox (id, written_at, tenant, type, "+statement)
		require.NoError(t, err, name)
	}
	box := s.outbox()
	for s.count("outbox") > 0 {
		batch, err := box.Take(t.Context(), 0, 3, manyBytes)
		require.NoError(t, err)
		require.Empty(t, batch.Rows)
	}
	largest := s.publish(`publish('acme', 'a', convert_to(repeat('x', 33554432), 'UTF8'), 'text/plain')`)
	rows := s.takeAll()
	require.Len(t, rows, 1)
	require.Equal(t, largest, rows[0].ID)
	refused, err := box.Refused(t.Context(), 100)
	require.NoError(t, err)
	require.Len(t, refused, len(bad))
	for _, r := range refused {
		require.Contains(t, r.Reason, "longer, or at a time further away")
	}
}

// What a database of another encoding holds, the relay can read; and its reasons
// can be written there.
func TestOutbox_InADatabaseOfAnotherEncoding(t *testing.T) {
	t.Parallel()
	for _, encoding := range []string{"LATIN1", "WIN1252", "SQL_ASCII"} {
		t.Run(encoding, func(t *testing.T) {
			t.Parallel()
			dsn := encodedDSN(t, encoding)
			_, err := outbox.Install(t.Context(), dsn)
			require.NoError(t, err)
			conn := connect(t, dsn)
			execute(t, conn, `SET client_encoding = 'UTF8'`) // as drivers other than ours do
			_, err = conn.Exec(t.Context(), `SELECT malote.publish('acme', 'a', '1', external_id => $1)`, "é")
			require.NoError(t, err)
			if encoding != "LATIN1" { // which has an equivalent for everything
				text := map[string]string{"WIN1252": `chr(129)`, "SQL_ASCII": `E'\xff'`}[encoding]
				_, err = conn.Exec(t.Context(), `SELECT malote.publish('acme', 'a', '1', external_id => `+text+`)`)
				require.Error(t, err, "while the publisher can still do something about it")
			}
			box := open(t, dsn)
			batch, err := box.Take(t.Context(), 0, manyRows, manyBytes)
			require.NoError(t, err)
			require.Len(t, batch.Rows, 1)
			require.Equal(t, "é", batch.Rows[0].ExternalID)
			require.NoError(t, batch.Settle(t.Context(), []outbox.Refusal{{Reason: "“whe_…” \x00 \xff 日本" + strings.Repeat("x", 5000)}}))
			refused, err := box.Refused(t.Context(), 1)
			require.NoError(t, err)
			require.Contains(t, refused[0].Reason, "whe_...")
			require.LessOrEqual(t, len(refused[0].Reason), 1024)
		})
	}
}
