package registry

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func TestSetStatus_Transitions(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	endpoint := addEndpoint(t, r, "acme")
	const active, paused = delivery.Active, delivery.Paused
	const byUser, bySystem = delivery.DisabledByUser, delivery.DisabledBySystem
	for _, c := range []struct {
		from   delivery.EndpointStatus
		change StatusChange
		to     delivery.EndpointStatus // "": refused
		ready  bool
	}{
		{active, Enable, active, true}, {paused, Enable, active, true},
		{byUser, Enable, active, true}, {bySystem, Enable, active, true},
		{active, DisableByUser, byUser, false}, {paused, DisableByUser, byUser, false},
		{byUser, DisableByUser, byUser, false}, {bySystem, DisableByUser, byUser, false},
		{active, Pause, paused, false}, {paused, Pause, paused, false},
		{byUser, Pause, "", false}, {bySystem, Pause, "", false},
		{active, Resume, active, true}, {paused, Resume, active, true},
		{byUser, Resume, "", false}, {bySystem, Resume, "", false},
	} {
		execute(t, r, `UPDATE malote.lanes SET status = $1::text, disabled_reason = CASE WHEN $1 = 'disabled_by_system' THEN 'gone' ELSE '' END,
			parked_full = true, ready_at = CASE WHEN $1 = 'active' THEN now() ELSE 'infinity' END`, c.from)
		changed, err := r.SetStatus(t.Context(), AnyTenant, endpoint.ID, c.change)
		if c.to == "" {
			require.ErrorIs(t, err, ErrEndpointDisabled, "%s %s", c.from, c.change)
			require.Equal(t, string(c.from), one[string](t, r, `SELECT status FROM malote.lanes`))
			continue
		}
		require.NoError(t, err, "%s %s", c.from, c.change)
		require.Equal(t, c.to, changed.Status, "%s %s", c.from, c.change)
		require.Empty(t, changed.DisabledReason)
		require.Equal(t, c.ready, laneReady(t, r, endpoint), "%s %s", c.from, c.change)
		if c.from != active || c.change != Resume { // which changes nothing
			require.False(t, one[bool](t, r, `SELECT parked_full FROM malote.lanes`), "%s %s", c.from, c.change)
		}
	}
	_, err := r.SetStatus(t.Context(), AnyTenant, endpoint.ID, "explode")
	require.Error(t, err)
}

func TestSetStatus_R07_DisablingKeepsWhatIsPending(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	endpoint := addEndpoint(t, r, "acme")
	addOpen(t, r, endpoint, delivery.Pending, 3)
	_, err := r.SetStatus(t.Context(), AnyTenant, endpoint.ID, DisableByUser)
	require.NoError(t, err)
	read, err := r.Endpoint(t.Context(), AnyTenant, endpoint.ID)
	require.NoError(t, err)
	require.Equal(t, 3, read.Pending)
}

func TestSetStatus_ResumingRespectsTheCircuit(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	endpoint := addEndpoint(t, r, "acme")
	execute(t, r, `UPDATE malote.lanes SET status = 'paused', circuit_phase = 'open', paused_until = now() + interval '1 hour',
		claim_limit = 1, consecutive_failures = 12`)
	changed, err := r.SetStatus(t.Context(), AnyTenant, endpoint.ID, Resume)
	require.NoError(t, err)
	require.Equal(t, 12, changed.ConsecutiveFailures)
	require.True(t, one[bool](t, r, `SELECT ready_at = paused_until AND claim_limit = 1 FROM malote.lanes`))
}

func TestSetStatus_R06_EnablingForgetsFailures(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	fresh, failed := addEndpoint(t, r, "acme"), addEndpoint(t, r, "acme")
	execute(t, r, `UPDATE malote.lanes SET status = 'disabled_by_system', disabled_reason = 'gone', disabled_at = now(),
		ready_at = 'infinity', parked_full = true, claim_limit = 1, circuit_phase = 'open', opened_at = now(), opened_count = 3,
		paused_until = now() + interval '1 hour', slow_level = 2, slowed_at = now(), slow_streak = 4, slow_successes = 5,
		consecutive_failures = 120, warned_level = 2, first_failure_at = now()
		WHERE endpoint_id = $1`, failed.ID)
	_, err := r.SetStatus(t.Context(), OfTenant("acme"), failed.ID, Enable)
	require.NoError(t, err)
	// Whatever column a lane has, an enabled one is as a new one.
	const lane = `SELECT (to_jsonb(l) - 'endpoint_id' - 'ready_at' - 'config_version')::text FROM malote.lanes l WHERE endpoint_id = $1`
	require.JSONEq(t, one[string](t, r, lane, fresh.ID), one[string](t, r, lane, failed.ID))
	require.True(t, laneReady(t, r, failed))

	execute(t, r, `UPDATE malote.lanes SET last_failure_at = '2026-01-02Z', last_success_at = '2026-01-01Z'`)
	changed, err := r.SetStatus(t.Context(), AnyTenant, failed.ID, Enable)
	require.NoError(t, err)
	require.Equal(t, 2, changed.LastFailureAt.Day(), "what is known of its past stays")
	require.Equal(t, 1, changed.LastSuccessAt.Day())
}

func TestEnableWith_R06_OneTransaction(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	endpoint := addEndpoint(t, r, "acme")
	_, err := r.SetStatus(t.Context(), AnyTenant, endpoint.ID, DisableByUser)
	require.NoError(t, err)
	status := func(from querier) (s string) {
		require.NoError(t, from.QueryRow(t.Context(), `SELECT status FROM malote.lanes`).Scan(&s))
		return s
	}

	refused := errors.New("not like this")
	_, err = r.EnableWith(t.Context(), AnyTenant, endpoint.ID, func(ctx context.Context, tx pgx.Tx) error {
		require.Equal(t, "active", status(tx), "it is enabled already")
		_, err := tx.Exec(ctx, `UPDATE malote.tenants SET name = 'half'`)
		return errors.Join(err, refused)
	})
	require.ErrorIs(t, err, refused)
	require.Equal(t, "disabled_by_user", status(r.pool))
	require.Empty(t, one[string](t, r, `SELECT name FROM malote.tenants`))

	lane, tenant := versions(t, r, endpoint)
	calls := 0
	changed, err := r.EnableWith(t.Context(), OfTenant("acme"), endpoint.ID, func(ctx context.Context, tx pgx.Tx) error {
		require.Equal(t, "disabled_by_user", status(r.pool), "nobody sees it before all is done")
		if calls++; calls == 1 {
			return &pgconn.PgError{Code: serializationFailure}
		}
		_, err := tx.Exec(ctx, `UPDATE malote.tenants SET name = 'done'`)
		return err
	})
	require.NoError(t, err)
	require.Equal(t, 2, calls)
	require.Equal(t, delivery.Active, changed.Status)
	require.Equal(t, "done", one[string](t, r, `SELECT name FROM malote.tenants`))
	require.True(t, laneReady(t, r, endpoint))
	laneAfter, tenantAfter := versions(t, r, endpoint)
	require.Greater(t, laneAfter, lane)
	require.Greater(t, tenantAfter, tenant)
}
