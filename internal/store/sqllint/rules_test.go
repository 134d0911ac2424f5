package sqllint

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const sampleMigration = `
CREATE TABLE malote.queue (
    shard smallint NOT NULL, id uuid NOT NULL, lane uuid NOT NULL, due_at timestamptz NOT NULL, status text,
    PRIMARY KEY (shard, id)
);
CREATE TABLE malote.lanes (shard smallint NOT NULL, id uuid NOT NULL, ready_at timestamptz, PRIMARY KEY (shard, id));
CREATE TABLE malote.policies (name text PRIMARY KEY, at timestamptz);
-- +goose Down
CREATE TABLE malote.gone (x integer);`

func sampleSchema(t *testing.T) *Schema {
	t.Helper()
	schema, err := ReadSchema(sampleMigration)
	require.NoError(t, err)
	return schema
}

// rule is a statement and a part of the only finding about it; "": it is good.
type rule struct{ sql, want string }

func (r rule) check(t *testing.T, schema *Schema, file string) {
	t.Helper()
	findings := schema.Query(Source{Name: file, SQL: r.sql})
	if r.want == "" {
		require.Empty(t, findings, r.sql)
		return
	}
	require.Len(t, findings, 1, r.sql)
	require.Contains(t, findings[0].Message, r.want, r.sql)
}

func TestQuery_Shards(t *testing.T) {
	t.Parallel()
	schema := sampleSchema(t)
	for _, r := range []rule{
		{`SELECT q.id FROM malote.queue q WHERE q.shard = $1`, ``},
		{`SELECT q.id FROM malote.queue AS q WHERE q.id = $1`, `malote.queue q: say q.shard`},
		{`SELECT queue.id FROM malote.queue WHERE queue.shard = $1`, ``},
		{`SELECT id FROM malote.queue WHERE status = 'q.shard = 1' -- queue.shard = 1`, `queue.shard`},
		{`SELECT q.id FROM malote.queue q WHERE /*{shard q}*/ q.id = $1`, ``},
		{`SELECT q.id FROM malote.queue q WHERE /*{shard l}*/ q.id = $1`, `q.shard`},
		{`SELECT q.id FROM malote.queue q WHERE (q.shard, q.id) > ($1, $2)`, ``},
		{`SELECT q.id FROM malote.queue q WHERE (q.id, q.shard) > ($1, $2)`, `q.shard`},
		{`SELECT q.id FROM malote.queue q WHERE (q.shard, q.id) IN (SELECT $1, $2)`, ``},
		{`DELETE FROM malote.queue q WHERE (q.shard, q.id) IN (SELECT $1, $2)`, `q.shard`},
		{`SELECT q.id FROM malote.queue q WHERE q.shard > 0`, `q.shard`},
		{`SELECT q.id FROM malote.queue q WHERE q.shard = ANY($1)`, ``},

		// Joins: known on one side, known on the other, on neither.
		{`SELECT q.id FROM malote.lanes l JOIN malote.queue q ON q.shard = l.shard AND q.lane = l.id WHERE l.shard = $1`, ``},
		{`SELECT q.id FROM malote.lanes l JOIN malote.queue q ON l.shard = q.shard AND q.lane = l.id WHERE l.shard = $1`, ``},
		{`SELECT q.id FROM malote.lanes l JOIN malote.queue q ON q.lane = l.id WHERE l.shard = $1`, `q.shard`},
		{`SELECT q.id FROM malote.lanes l, malote.queue q WHERE l.shard = $1`, `q.shard`},
		{`SELECT q.id FROM unnest($1::smallint[]) AS w (shard) JOIN malote.queue q ON q.shard = w.shard`, ``},

		// Each query answers for its own tables.
		{`SELECT l.id FROM malote.lanes l CROSS JOIN LATERAL (SELECT q.id FROM malote.queue q WHERE q.shard = l.shard) x WHERE l.shard = $1`, ``},
		{`SELECT q.id FROM malote.lanes q CROSS JOIN LATERAL (SELECT 1 FROM malote.queue q WHERE q.shard = $1) x`, `malote.lanes q`},
		{`SELECT 1 FROM malote.lanes l WHERE l.shard = $1 AND EXISTS (SELECT FROM malote.queue q WHERE q.lane = l.id)`, `q.shard`},
		{`SELECT 1 FROM malote.queue q WHERE q.shard = $1 UNION ALL SELECT 1 FROM malote.queue q`, `q.shard`},
		{`SELECT 1 FROM ((SELECT 1 FROM malote.queue q WHERE q.shard = $1) UNION ALL SELECT 1 FROM malote.lanes q) x`, `malote.lanes q`},
		{`WITH w AS MATERIALIZED (SELECT q.shard FROM malote.queue q) SELECT 1 FROM malote.lanes l, w WHERE l.shard = w.shard`, `malote.queue q`},
		{`UPDATE malote.queue q SET status = 'x' FROM malote.lanes l WHERE l.shard = $1 AND q.lane = l.id`, `malote.queue q`},
		{`UPDATE malote.queue q SET status = 'x' WHERE q.shard = ANY($1)`, `q.shard`},
		{`DELETE FROM malote.queue q USING malote.lanes l WHERE q.shard = $1 AND q.lane = l.id`, `malote.lanes l`},
		{`INSERT INTO malote.lanes (shard, id) SELECT q.shard, q.lane FROM malote.queue q`, `malote.queue q`},
		{`SELECT 1 FROM malote.policies p WHERE p.name = $1`, ``},

		{`-- Over all shards: an administrator asks.` + "\n" + `SELECT q.id FROM malote.queue q`, ``},
		{`SELECT q.id FROM malote.queue q /* over all
			shards */`, ``},
		{`SELECT q.id FROM malote.lanes l JOIN malote.queue q ON q.shard = l.shard AND q.lane = l.id -- all shards`, ``},
		{`SELECT q.id FROM malote.lanes l JOIN malote.queue q ON q.lane = l.id -- all shards`, `malote.queue q: join it`},
		{`SELECT 1 FROM malote.lanes l WHERE EXISTS (SELECT FROM malote.queue q WHERE q.shard = l.shard AND q.lane = l.id) -- all shards`, ``},
		{`SELECT 1 FROM malote.lanes l WHERE EXISTS (SELECT FROM malote.queue q WHERE q.lane = l.id) -- all shards`, `malote.queue q: join it`},
		{`WITH w AS (SELECT q.id FROM malote.queue q) SELECT l.id FROM malote.lanes l -- all shards`, ``},
		{`-- All shards.` + "\n" + `SELECT q.id FROM malote.queue q FOR UPDATE SKIP LOCKED`, `locked over several`},
		{`SELECT q.id FROM malote.queue q WHERE q.shard = ANY($1) FOR NO KEY UPDATE`, `locked over several`},
		{`SELECT q.id FROM malote.queue q WHERE /*{shard q}*/ q.id > $1 FOR UPDATE SKIP LOCKED`, ``},
	} {
		r.check(t, schema, "queries/list.sql")
	}
	for _, hot := range []string{"claim_x.sql", "queries/publish_x.sql", "complete_x.sql", "insert_x.sql", "wake_x.sql"} {
		rule{`SELECT q.id FROM malote.queue q -- all shards`, `hot path`}.check(t, schema, hot)
		rule{`SELECT q.id FROM malote.queue q WHERE q.shard = $1`, ``}.check(t, schema, hot)
		rule{`SELECT pg_advisory_xact_lock(1)`, `advisory`}.check(t, schema, hot)
		rule{`SELECT pg_advisory_xact_lock_shared(1)`, ``}.check(t, schema, hot)
	}
	require.Empty(t, schema.Query(Source{SQL: `SELECT q.id FROM malote.queue q`, Comment: "Over all shards: rare."}))
}

func TestQuery_Changes(t *testing.T) {
	t.Parallel()
	schema := sampleSchema(t)
	for _, r := range []rule{
		{`UPDATE malote.queue q SET due_at = now() WHERE q.shard = $1`, ``},
		{`UPDATE malote.queue q SET due_at = clock_timestamp() WHERE q.shard = $1`, `clock_timestamp()`},
		{`UPDATE malote.queue q SET id = gen_random_uuid() WHERE q.shard = $1`, `gen_random_uuid()`},
		{`DELETE FROM malote.queue q WHERE q.shard = $1 AND random() < 0.5`, `random()`},
		{`WITH x AS (SELECT random() AS r) UPDATE malote.queue q SET status = x.r FROM x WHERE q.shard = $1`, `random()`},
		{`SELECT q.id, random() FROM malote.queue q WHERE q.shard = $1`, ``},
		{`INSERT INTO malote.queue (shard, id, due_at) VALUES ($1, gen_random_uuid(), clock_timestamp())`, ``},

		{`UPDATE malote.queue q SET due_at = CASE WHEN $2 THEN now() ELSE q.due_at END WHERE q.shard = $1`, `case with now()`},
		{`UPDATE malote.queue q SET due_at = coalesce($2, now()) WHERE q.shard = $1`, `coalesce with now()`},
		{`DELETE FROM malote.queue q WHERE q.shard = $1 AND coalesce(q.due_at, current_timestamp) < $2`, `coalesce with now()`},
		{`UPDATE malote.queue q SET status = coalesce($2, q.status), due_at = now() WHERE q.shard = $1`, ``},
		{`UPDATE malote.queue q SET due_at = greatest(now(), q.due_at) WHERE q.shard = $1`, ``},
		{`WITH x AS (SELECT coalesce($2, now()) AS at) UPDATE malote.queue q SET due_at = x.at FROM x WHERE q.shard = $1`, ``},
		{`SELECT coalesce(q.due_at, now()) FROM malote.queue q WHERE q.shard = $1`, ``},

		{`UPDATE malote.queue q SET due_at = now() + interval '1 minute' WHERE q.shard = $1`, ``},
		{`UPDATE malote.queue q SET due_at = now() + make_interval(secs => $2) WHERE q.shard = $1`, ``},
		{`UPDATE malote.queue q SET due_at = q.due_at + interval '1 minute' WHERE q.shard = $1`, `due_at plus or minus`},
		{`UPDATE malote.queue q SET due_at = due_at - $2::interval WHERE q.shard = $1`, `due_at plus or minus`},
		{`UPDATE malote.queue q SET due_at = make_interval(secs => $2) + q.due_at WHERE q.shard = $1`, `due_at plus or minus`},
		{`UPDATE malote.queue q SET due_at = interval '1 day' + due_at WHERE q.shard = $1`, `due_at plus or minus`},
		{`UPDATE malote.queue q SET due_at = $2::interval + due_at WHERE q.shard = $1`, `due_at plus or minus`},
		{`DELETE FROM malote.queue q WHERE q.shard = $1 AND q.due_at + x.pause::interval < now()`, `due_at plus or minus`},
		{`DELETE FROM malote.queue q WHERE q.shard = $1 AND q.due_at < now() - interval '1 day'`, ``},
		{`DELETE FROM malote.queue q WHERE q.shard = $1 AND q.due_at - l.ready_at > $2`, ``},
		{`SELECT q.due_at + interval '1 day' FROM malote.queue q WHERE q.shard = $1`, ``},
		{`DELETE FROM malote.queue q WHERE q.shard = $1 AND date_trunc('day', q.due_at) = $2`, `date_trunc of a timestamptz`},
		{`DELETE FROM malote.queue q WHERE q.shard = $1 AND extract(epoch FROM q.due_at) > 0`, `extract of a timestamptz`},

		{`UPDATE malote.queue q SET status = 'x', shard = $2 WHERE q.shard = $1`, `never changes`},
		{`UPDATE malote.queue q SET (shard, status) = ($2, 'x') WHERE q.shard = $1`, `never changes`},
		{`UPDATE malote.policies p SET at = coalesce($1, p.at + interval '1 day', now())`, ``}, // not distributed
	} {
		r.check(t, schema, "queries/change.sql")
	}
}

func TestQuery_Inserts(t *testing.T) {
	t.Parallel()
	schema := sampleSchema(t)
	const insert = `INSERT INTO malote.queue (shard, id) VALUES ($1, $2) `
	for _, r := range []rule{
		{insert, ``},
		{`INSERT INTO malote.queue VALUES ($1, $2)`, `name the columns`},
		{`INSERT INTO malote.queue AS q (id, shard) VALUES ($1, $2)`, `shard first`},
		{`INSERT INTO malote.policies (name) VALUES ($1)`, ``},

		{insert + `ON CONFLICT (shard, id) DO NOTHING`, ``},
		{insert + `ON CONFLICT (id) DO NOTHING`, `begins with shard`},
		{insert + `ON CONFLICT (shard, id) DO UPDATE SET due_at = excluded.due_at`, ``},
		{insert + `ON CONFLICT (shard, id) DO UPDATE SET due_at = now()`, `now in ON CONFLICT`},
		{insert + `ON CONFLICT (shard, id) DO UPDATE SET due_at = clock_timestamp()`, `clock_timestamp in ON CONFLICT`},
		{insert + `ON CONFLICT (shard, id) DO UPDATE SET status = to_char(1)`, `to_char in ON CONFLICT`},
		{insert + `ON CONFLICT (shard, id) DO UPDATE SET id = $3 WHERE excluded.due_at - interval '1 day' > $4`, `due_at plus or minus`},
		{insert + `ON CONFLICT (shard, id) DO UPDATE SET id = $3 RETURNING now()`, ``},
		{`INSERT INTO malote.policies (name, at) VALUES ($1, now()) ON CONFLICT (name) DO UPDATE SET at = now()`, ``},

		{`INSERT INTO malote.queue AS q (shard, id) SELECT $1, $2 RETURNING q.id`, ``},
		{`INSERT INTO malote.queue (shard, id) SELECT $1, $2 RETURNING id`, `an alias`},
		{`INSERT INTO malote.queue (shard, id) SELECT $1, $2`, ``},
		{insert + `RETURNING id`, ``},
		{`WITH x AS (INSERT INTO malote.queue (shard, id) VALUES ($1, $2) RETURNING id) SELECT x.id FROM x`, `inside WITH`},
		{`WITH x (id) AS NOT MATERIALIZED (` + insert + `RETURNING id) SELECT x.id FROM x`, `WITH x`},
		{`WITH x AS (DELETE FROM malote.queue q WHERE q.shard = $1 RETURNING q.id) SELECT x.id FROM x`, ``},
		{`WITH x AS (SELECT $1 AS shard) INSERT INTO malote.queue (shard, id) SELECT x.shard, $2 FROM x`, ``},
	} {
		r.check(t, schema, "queries/add.sql")
	}
}

func TestQuery_Shape(t *testing.T) {
	t.Parallel()
	schema := sampleSchema(t)
	for _, r := range []rule{
		{`MERGE INTO malote.queue q USING x ON q.shard = x.shard WHEN MATCHED THEN DELETE`, `MERGE`},
		{`SELECT q.status FROM malote.queue q WHERE q.shard = $1 GROUP BY GROUPING SETS ((q.status), ())`, `GROUPING SETS`},
		{`SELECT q.status FROM malote.queue q WHERE q.shard = $1 GROUP BY ROLLUP (q.status)`, `GROUPING SETS`},
		{`SELECT $1::jsonb`, `jsonb`},
		{`SELECT jsonb_build_object('a', 1)`, `jsonb`},
		{`SELECT '{}'::json, 'jsonb'`, ``},
		{`SELECT * FROM malote.queue q WHERE q.shard = $1`, `name the columns`},
		{`SELECT q.* FROM malote.queue q WHERE q.shard = $1`, `name the columns`},
		{`DELETE FROM malote.queue q WHERE q.shard = $1 RETURNING *`, `name the columns`},
		{`SELECT count(*), 2 * 3 FROM malote.queue q WHERE q.shard = $1`, ``},
		{`SELECT 1 FROM queue q WHERE q.shard = $1`, `say malote.queue`},
		{`UPDATE queue SET status = 'x' WHERE shard = $1`, `say malote.queue`},
		{`INSERT INTO queue (shard) VALUES ($1)`, `say malote.queue`},
		{`WITH queue AS (SELECT 1 AS shard) SELECT queue.shard FROM queue`, ``},
		{`SELECT 1 FROM malote.gone g WHERE g.shard = $1`, `no migration`},
		{`SELECT 1 FROM malote.%s q WHERE q.shard = $1`, `not in the text`},
		{`SELECT malote.publish($1)`, ``},

		{`SELECT pg_notify('malote', $1)`, ``},
		{`SELECT pg_notify('malote', '') FROM malote.queue q WHERE q.shard = $1`, `pg_notify`},
		{`SELECT p.name FROM malote.policies p WHERE p.name = $1 FOR UPDATE`, `locked as a whole`},
		{`SELECT q.id FROM malote.queue q JOIN malote.policies p ON true WHERE q.shard = $1 FOR UPDATE OF q`, ``},
		{`SELECT q.id FROM malote.queue q JOIN malote.policies p ON true WHERE q.shard = $1 FOR SHARE OF q, p`, `locked as a whole`},
		{`ALTER TABLE malote.events DETACH PARTITION malote.events_1 CONCURRENTLY`, `CONCURRENTLY`},
		{`ALTER TABLE malote.events DETACH PARTITION malote.events_1`, ``},
		{`SELECT 'no end`, `does not end`},
	} {
		r.check(t, schema, "queries/shape.sql")
	}
}
