package store_test

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store"
)

// The races that a limit is lost in are a few microseconds wide. These tests open
// them wide: they stop a claimer in the middle and let another one through.

// gate is an advisory lock that stopped claimers wait for.
const gate = `4711`

// closeGate stops from now on whoever comes to it, until the gate is opened.
func (f *fixture) closeGate() (open func()) {
	f.Helper()
	keeper := connect(f.T, f.dsn)
	_, err := keeper.Exec(f.Context(), `SELECT pg_advisory_lock(`+gate+`)`)
	require.NoError(f, err)
	return func() {
		_, err := keeper.Exec(f.Context(), `SELECT pg_advisory_unlock(`+gate+`)`)
		require.NoError(f, err)
	}
}

// claimAside claims in a goroutine.
func (f *fixture) claimAside(s *store.Store, n int) <-chan []*delivery.Claim {
	claims := make(chan []*delivery.Claim, 1)
	go func() {
		claimed, err := s.Claim(f.Context(), n)
		if err != nil {
			f.Errorf("claiming: %v", err)
		}
		claims <- claimed.Claims
	}()
	return claims
}

// One claimer has counted and taken, and not yet committed.
func TestFairQueue_F03_I1_WhileAnotherClaimIsUncommitted(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 4)
	f.publishMany("acme", 20)
	f.exec(`CREATE FUNCTION pass_gate() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock_shared(` + gate + `); RETURN NEW; END'`)
	f.exec(`CREATE TRIGGER gate BEFORE UPDATE ON malote.lanes FOR EACH ROW EXECUTE FUNCTION pass_gate()`)
	open := f.closeGate()
	first := f.claimAside(f.store, 3)
	f.eventuallyWaiting(1)
	second := f.claimAside(f.processes(2)[1], 10)
	require.Empty(t, within(t, second, "nobody waits for a lane"), "it is left to the first")
	open()
	require.Len(t, within(t, first, "the first claim ends"), 3)
	require.Len(t, f.claim(10), 1)
}

// One claimer has found the lane ready, and before it comes to lock it, another
// one claims from it and commits. What is in flight must be counted after that,
// or the two together exceed the limit.
func TestFairQueue_F03_I1_WhileAnotherClaimComesBetween(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 4)
	f.publishMany("acme", 20)
	slow, err := store.Open(t.Context(), store.Options{DSN: f.dsn, HotConnections: 1, Connections: 1})
	require.NoError(t, err)
	t.Cleanup(slow.Close)
	var session int
	require.NoError(t, slow.Hot().QueryRow(t.Context(), `SELECT pg_backend_pid()`).Scan(&session))
	// The view evaluates the gate for every lane that the slow one's statements
	// come by, after their snapshot was taken and before the lane is locked.
	for _, statement := range []string{
		`CREATE FUNCTION pass_gate(session integer) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN
			IF session = pg_backend_pid() THEN
				PERFORM pg_advisory_lock_shared(` + gate + `), pg_advisory_unlock_shared(` + gate + `);
			END IF;
			RETURN true;
		END'`,
		`ALTER TABLE malote.lanes RENAME TO all_lanes`,
		fmt.Sprintf(`CREATE VIEW malote.lanes AS SELECT * FROM malote.all_lanes WHERE pass_gate(%d)`, session),
	} {
		_, err := f.store.Pool().Exec(t.Context(), statement, pgx.QueryExecModeSimpleProtocol)
		require.NoError(t, err)
	}
	open := f.closeGate()
	late := f.claimAside(slow, 10)
	f.eventuallyWaiting(1)
	require.Len(t, f.claim(2), 2)
	f.exec(`UPDATE malote.all_lanes SET ready_at = ready_at - interval '1 minute'`) // still ready, as the slow one knows the time
	open()
	require.Len(t, within(t, late, "the slow claim ends"), 2, "two are in flight already")
	require.Equal(t, map[string]int{"sending": 4, "pending": 16}, f.states())
}
