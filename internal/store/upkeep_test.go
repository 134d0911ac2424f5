package store_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/store/pgtest"
)

func TestOldestHolder_IsTheTransactionWithASnapshot(t *testing.T) {
	t.Parallel()
	s := pgtest.Open(t)
	_, held, err := s.OldestHolder(t.Context())
	require.NoError(t, err)
	require.False(t, held)

	conn := connect(t, s.Pool().Config().ConnString())
	tx, err := conn.Begin(t.Context())
	require.NoError(t, err)
	defer tx.Rollback(context.Background()) //nolint:errcheck // the test is over
	_, err = tx.Exec(t.Context(), `SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`)
	require.NoError(t, err)
	var name string
	require.NoError(t, tx.QueryRow(t.Context(), `SELECT set_config('application_name', 'report', false) FROM malote.tenants RIGHT JOIN (SELECT 1) x ON true`).Scan(&name))
	holder, held, err := s.OldestHolder(t.Context())
	require.NoError(t, err)
	require.True(t, held)
	require.Contains(t, holder.What, "of report (idle in transaction)")
	require.GreaterOrEqual(t, holder.Age.Nanoseconds(), int64(0))
}

func TestDeadRows_CountsByTable(t *testing.T) {
	t.Parallel()
	s := pgtest.Open(t)
	_, err := s.Pool().Exec(t.Context(), `INSERT INTO malote.tenants (shard, id) SELECT 1, 't' || i FROM generate_series(1, 50) i`)
	require.NoError(t, err)
	_, err = s.Pool().Exec(t.Context(), `DELETE FROM malote.tenants`)
	require.NoError(t, err)
	_, err = s.Pool().Exec(t.Context(), `SELECT pg_stat_force_next_flush()`)
	require.NoError(t, err)
	tables, err := s.DeadRows(t.Context(), 3)
	require.NoError(t, err)
	require.Len(t, tables, 3)
	require.GreaterOrEqual(t, tables[0].Dead, tables[1].Dead)
}
