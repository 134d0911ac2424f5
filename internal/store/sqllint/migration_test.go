package sqllint

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMigration(t *testing.T) {
	t.Parallel()
	schema := sampleSchema(t)
	for _, r := range []rule{
		{`CREATE TABLE malote.x (shard smallint NOT NULL, id uuid, at timestamptz DEFAULT now(), PRIMARY KEY (shard, id)) PARTITION BY RANGE (id)`, ``},
		{`CREATE UNLOGGED TABLE IF NOT EXISTS malote.x (id uuid, shard smallint NOT NULL, PRIMARY KEY (shard, id))`, `its first column is shard`},
		{`CREATE TABLE malote.x (shard integer NOT NULL, id uuid, PRIMARY KEY (shard, id))`, `plain`},
		{`CREATE TABLE malote.x (shard smallint NOT NULL GENERATED ALWAYS AS (1) STORED, id uuid, PRIMARY KEY (shard, id))`, `plain`},
		{`CREATE TABLE malote.x (shard smallint NOT NULL DEFAULT 0, id uuid, PRIMARY KEY (shard, id))`, `plain`},
		{`CREATE TABLE malote.x (shard smallint NOT NULL, id uuid)`, `no PRIMARY KEY`},
		{`CREATE TABLE malote.x (shard smallint NOT NULL, id uuid, PRIMARY KEY (id, shard))`, `PRIMARY does not begin`},
		{`CREATE TABLE malote.x (shard smallint NOT NULL, id uuid PRIMARY KEY)`, `PRIMARY does not begin`},
		{`CREATE TABLE malote.x (shard smallint NOT NULL, id uuid, PRIMARY KEY (shard, id), UNIQUE (id))`, `UNIQUE does not begin`},
		{`CREATE TABLE malote.x (shard smallint NOT NULL, id uuid, PRIMARY KEY (shard, id), UNIQUE (shard, id))`, ``},
		{`CREATE TABLE malote.x (shard smallint NOT NULL, id uuid UNIQUE, PRIMARY KEY (shard, id))`, `UNIQUE does not begin`},
		{`CREATE TABLE malote.x (shard smallint NOT NULL, id uuid, PRIMARY KEY (shard, id), EXCLUDE USING gist (id WITH =))`, `EXCLUDE`},
		{`CREATE TABLE malote.x (shard smallint NOT NULL, id uuid, PRIMARY KEY (shard, id), CONSTRAINT c FOREIGN KEY (shard, id) REFERENCES malote.lanes (shard, id))`, ``},
		{`CREATE TABLE malote.x (shard smallint NOT NULL, id uuid, PRIMARY KEY (shard, id), FOREIGN KEY (id) REFERENCES malote.lanes (shard, id))`, `FOREIGN does not begin`},
		{`CREATE TABLE malote.x (shard smallint NOT NULL, id uuid, PRIMARY KEY (shard, id), FOREIGN KEY (shard, id) REFERENCES malote.lanes (id))`, `REFERENCES does not begin`},
		{`CREATE TABLE malote.x (shard smallint NOT NULL, id uuid REFERENCES malote.lanes, PRIMARY KEY (shard, id))`, `REFERENCES does not begin`},
		{`CREATE TABLE malote.policies (name text PRIMARY KEY)`, ``},
		{`CREATE TABLE malote.policies (name text)`, `no PRIMARY KEY`},
		{`CREATE TABLE malote.x_1 PARTITION OF malote.x FOR VALUES FROM ('a') TO ('b')`, ``},
		{`CREATE TABLE malote.x (shard smallint NOT NULL, id uuid, body jsonb, PRIMARY KEY (shard, id))`, `jsonb`},

		{`CREATE UNIQUE INDEX i ON malote.queue (shard, lane)`, ``},
		{`CREATE UNIQUE INDEX i ON ONLY malote.queue USING btree (lane, shard)`, `UNIQUE does not begin`},
		{`CREATE INDEX i ON malote.queue (lane)`, ``},
		{`ALTER TABLE malote.queue ADD CONSTRAINT c UNIQUE (lane)`, `UNIQUE does not begin`},
		{`ALTER TABLE malote.queue ADD CONSTRAINT c UNIQUE (shard, lane)`, ``},
		{`ALTER TABLE malote.policies ADD UNIQUE (at)`, ``},
		{`CREATE TRIGGER t AFTER INSERT ON malote.queue EXECUTE FUNCTION f()`, `CREATE TRIGGER`},
		{`CREATE OR REPLACE TRIGGER t AFTER INSERT ON malote.queue EXECUTE FUNCTION f()`, `CREATE TRIGGER`},
		{`CREATE DOMAIN malote.slug AS text`, `CREATE DOMAIN`},

		{`UPDATE malote.queue q SET status = 'x' WHERE q.status = 'y'`, `"all shards"`},
		{"-- Of all shards.\nUPDATE malote.queue q SET status = 'x' WHERE q.status = 'y'", ``},
		{`CREATE FUNCTION malote.f() RETURNS void LANGUAGE plpgsql AS $$ BEGIN UPDATE malote.queue q SET status = 'x'; END $$`, `q.shard`},
		{`CREATE FUNCTION malote.f() RETURNS void LANGUAGE plpgsql AS $f$ BEGIN INSERT INTO malote.queue (shard, id) VALUES (1, 'x'); END $f$`, ``},
	} {
		findings := schema.Migration(Source{Name: "1.sql", SQL: r.sql})
		if r.want == "" {
			require.Empty(t, findings, r.sql)
			continue
		}
		require.Len(t, findings, 1, r.sql)
		require.Contains(t, findings[0].Message, r.want, r.sql)
	}
}

func TestReadSchema(t *testing.T) {
	t.Parallel()
	schema, err := ReadSchema(sampleMigration, "ALTER TABLE malote.queue ADD COLUMN IF NOT EXISTS seen_at timestamptz, ADD COLUMN left_at timestamptz;")
	require.NoError(t, err)
	require.Equal(t, map[string]bool{"queue": true, "lanes": true, "policies": true}, schema.tables)
	require.Equal(t, map[string]bool{"due_at": true, "ready_at": true, "at": true, "seen_at": true, "left_at": true}, schema.timestamps)
}
