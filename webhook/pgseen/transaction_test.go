package pgseen_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/webhook"
	"github.com/malotehq/malote/webhook/pgseen"
)

// begin claims an id and keeps it in a transaction that also books.
func begin(t testing.TB, w *world, pool int, id string) (*pgseen.Claim, *sql.Tx) {
	t.Helper()
	got := claim(t, w.store(t, pool), id)
	tx, err := w.pools[pool].BeginTx(t.Context(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback() })
	require.NoError(t, pgseen.KeepTx(webhook.ContextWithClaim(t.Context(), got), tx))
	book(t, tx, id)
	return got, tx
}

func book(t testing.TB, tx *sql.Tx, id string) {
	t.Helper()
	_, err := tx.Exec(`INSERT INTO receiver.payments VALUES ($1)`, id)
	require.NoError(t, err)
}

func (w *world) withPayments(t testing.TB) *world {
	t.Helper()
	w.exec(t, `CREATE TABLE receiver.payments (id text)`)
	return w
}

func (w *world) payments(t require.TestingT, id string) int {
	return w.count(t, `SELECT count(*) FROM receiver.payments WHERE id = $1`, id)
}

func TestKeepTx_CommitsWithTheWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t).withPayments(t)
	for pool := range w.pools {
		id := []string{"evt_1", "evt_2"}[pool]
		got, tx := begin(t, w, pool, id)
		require.ErrorIs(t, refused(t, w.store(t, 1-pool), id), webhook.ErrBeingHandled)
		require.NoError(t, tx.Commit())
		// The process dies here, or settles it, or fails afterwards: all the same.
		require.ErrorIs(t, refused(t, w.store(t, 1-pool), id), webhook.ErrAlreadyHandled)
		require.NoError(t, got.Keep(t.Context()))
		require.NoError(t, got.Release(t.Context()))
		require.ErrorIs(t, refused(t, w.store(t, 1-pool), id), webhook.ErrAlreadyHandled)
		require.Equal(t, 1, w.payments(t, id))
	}
}

func TestKeepTx_RollsBackWithTheWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t).withPayments(t)
	got, tx := begin(t, w, 0, "evt_1")
	require.NoError(t, tx.Rollback())
	require.ErrorIs(t, got.Keep(t.Context()), webhook.ErrNotCommitted)
	require.ErrorIs(t, refused(t, w.store(t, 1), "evt_1"), webhook.ErrBeingHandled)
	require.NoError(t, got.Release(t.Context()))
	_, tx = begin(t, w, 1, "evt_1")
	require.NoError(t, tx.Commit())
	require.Equal(t, 1, w.payments(t, "evt_1"))
}

// A transaction that was begun anew counts.
func TestKeepTx_AgainAfterARollback(t *testing.T) {
	t.Parallel()
	w := newWorld(t).withPayments(t)
	got, tx := begin(t, w, 0, "evt_1")
	require.NoError(t, tx.Rollback())
	tx, err := w.pools[0].BeginTx(t.Context(), &sql.TxOptions{Isolation: sql.LevelSerializable})
	require.NoError(t, err)
	ctx := webhook.ContextWithClaim(t.Context(), got)
	require.NoError(t, pgseen.KeepTx(ctx, tx))
	require.ErrorIs(t, pgseen.KeepTx(ctx, tx), pgseen.ErrClaimLost, "once is enough")
	require.NoError(t, tx.Commit())
	require.NoError(t, got.Keep(t.Context()))

	// The answer to the commit may have been lost: beginning anew does no harm.
	tx, err = w.pools[1].BeginTx(t.Context(), nil)
	require.NoError(t, err)
	require.ErrorIs(t, pgseen.KeepTx(ctx, tx), pgseen.ErrClaimLost)
	require.NoError(t, tx.Rollback())
	require.NoError(t, got.Keep(t.Context()))
}

// While its transaction is open, a claim runs out for nobody else.
func TestKeepTx_HoldsTheIDBeyondTheLease(t *testing.T) {
	t.Parallel()
	w := newWorld(t).withPayments(t)
	got := claim(t, w.store(t, 0), "evt_1")
	w.later(t, time.Hour)
	tx, err := w.pools[0].BeginTx(t.Context(), nil)
	require.NoError(t, err)
	require.NoError(t, pgseen.KeepTx(webhook.ContextWithClaim(t.Context(), got), tx))
	stores := [2]*pgseen.Store{w.store(t, 0), w.store(t, 1)}
	all(24, func(i int) {
		if _, err := stores[i%2].Claim(t.Context(), "evt_1"); err != webhook.ErrBeingHandled {
			t.Errorf("claiming: %v", err)
		}
	})
	require.NoError(t, tx.Commit())
	require.ErrorIs(t, refused(t, w.store(t, 1), "evt_1"), webhook.ErrAlreadyHandled)
}

// Whoever lost the claim learns it in the transaction, and must roll back.
func TestKeepTx_ALostClaim(t *testing.T) {
	t.Parallel()
	w := newWorld(t).withPayments(t)
	for _, isolation := range []sql.IsolationLevel{sql.LevelReadCommitted, sql.LevelRepeatableRead} {
		w.exec(t, `TRUNCATE receiver.webhook_seen, receiver.payments`)
		late := claim(t, w.store(t, 0), "evt_1")
		ctx := webhook.ContextWithClaim(t.Context(), late)
		tx, err := w.pools[0].BeginTx(t.Context(), &sql.TxOptions{Isolation: isolation})
		require.NoError(t, err)
		book(t, tx, "evt_1")
		w.later(t, time.Hour)
		_, others := begin(t, w, 1, "evt_1")
		if isolation == sql.LevelReadCommitted {
			require.ErrorIs(t, pgseen.KeepTx(ctx, tx), pgseen.ErrClaimLost)
		}
		require.NoError(t, others.Commit())
		require.Error(t, pgseen.KeepTx(ctx, tx))
		require.NoError(t, tx.Rollback())
		require.NoError(t, late.Release(t.Context()))
		require.Equal(t, 1, w.payments(t, "evt_1"))
		require.ErrorIs(t, refused(t, w.store(t, 0), "evt_1"), webhook.ErrAlreadyHandled)
	}
}

func TestKeepTx_NeedsAClaimOfAStore(t *testing.T) {
	t.Parallel()
	require.ErrorIs(t, pgseen.KeepTx(t.Context(), nil), pgseen.ErrNoClaim)
	foreign, err := webhook.NewMemory(0, 0).Claim(t.Context(), "evt_1")
	require.NoError(t, err)
	err = pgseen.KeepTx(webhook.ContextWithClaim(t.Context(), foreign), nil)
	require.ErrorIs(t, err, pgseen.ErrNoClaim)
	require.ErrorContains(t, err, "memoryClaim")
}

func TestKeepWith_PgxTransactions(t *testing.T) {
	t.Parallel()
	w := newWorld(t).withPayments(t)
	conn, err := pgx.Connect(t.Context(), w.dsn)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	got := claim(t, w.store(t, 0), "evt_1")
	ctx := webhook.ContextWithClaim(t.Context(), got)
	for _, fails := range []error{errors.New("mine"), nil} {
		err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			err := pgseen.KeepWith(ctx, func(ctx context.Context, query string, args ...any) (int64, error) {
				tag, err := tx.Exec(ctx, query, args...)
				return tag.RowsAffected(), err
			})
			require.NoError(t, err)
			return fails
		})
		require.ErrorIs(t, err, fails)
		if fails != nil {
			require.ErrorIs(t, got.Keep(ctx), webhook.ErrNotCommitted)
		}
	}
	require.NoError(t, got.Keep(ctx))
	require.ErrorIs(t, refused(t, w.store(t, 1), "evt_1"), webhook.ErrAlreadyHandled)

	broken := errors.New("broken")
	err = pgseen.KeepWith(ctx, func(context.Context, string, ...any) (int64, error) { return 0, broken })
	require.ErrorIs(t, err, broken)
}
