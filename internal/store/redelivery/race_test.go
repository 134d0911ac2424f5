package redelivery

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

// publishKeyed publishes an event of an entity for one endpoint.
func (s seeder) publishKeyed(endpoint delivery.ID, tenant, key string) error {
	at := time.Now()
	draft := &delivery.Draft{Event: delivery.Event{
		ID: delivery.NewID(endpoint.Shard(), at, rand.Reader), Tenant: tenant, Type: "a", ContentType: "application/json",
		Body: []byte(`{}`), CoalesceKey: key, OccurredAt: at, AcceptedAt: at,
	}}
	plan := func(draft *delivery.Draft, _ []*delivery.Endpoint) (delivery.Plan, error) {
		return delivery.Plan{Bodies: [][]byte{draft.Event.Body}, Deliveries: []delivery.Planned{{EndpointID: endpoint, State: delivery.Pending}}}, nil
	}
	_, _, err := s.store.Publish(s.t.Context(), []*delivery.Draft{draft}, plan)
	return err
}

// killSome makes pending deliveries dead, as a completer with its lane locked.
func (s seeder) killSome(ctx context.Context, endpoint delivery.ID) error {
	return pgx.BeginFunc(ctx, s.store.Pool(), func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, lockLanesSQL, endpoint.Shard(), []delivery.ID{endpoint}); err != nil {
			return err
		}
		rows, _ := tx.Query(ctx, pickPendingSQL, planned, endpoint.Shard(), endpoint, time.Now().Add(time.Hour), 2)
		ids, err := pgx.CollectRows(rows, pgx.RowTo[delivery.ID])
		if err != nil || len(ids) == 0 {
			return err
		}
		end := ending{delivery.Dead, delivery.AttemptsExhausted, ids, make([]delivery.ID, len(ids))}
		return end.close(ctx, tx, endpoint.Shard())
	})
}

func (s seeder) replayDead(ctx context.Context, w *Writer, endpoint delivery.ID) error {
	rows, _ := s.store.Pool().Query(ctx, `SELECT id FROM malote.deliveries WHERE shard = $1 AND endpoint_id = $2 AND state = 'dead' ORDER BY id LIMIT 3`,
		endpoint.Shard(), endpoint)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[delivery.ID])
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, err := w.Replay(ctx, replayOf(id)); err != nil {
			return err
		}
	}
	return nil
}

// Publishers, completers, people who replay and one who discards work on the
// same few entities: nothing fails, and every delivery stays in one place.
func TestReplay_I9_AmongAllThatMoveDeliveries(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	endpoint := s.endpoint("acme")
	const rounds = 40
	jobs := map[string]func(i int) error{
		"publish":      func(i int) error { return s.publishKeyed(endpoint, "acme", fmt.Sprint("K", i%3)) },
		"publish more": func(i int) error { return s.publishKeyed(endpoint, "acme", fmt.Sprint("K", (i+1)%3)) },
		"complete":     func(int) error { return s.killSome(t.Context(), endpoint) },
		"replay":       func(int) error { return s.replayDead(t.Context(), w, endpoint) },
		"replay more":  func(int) error { return s.replayDead(t.Context(), w, endpoint) },
		"discard": func(i int) error {
			if i%8 != 7 {
				return nil
			}
			_, err := w.Discard(t.Context(), endpoint)
			return err
		},
	}
	var workers sync.WaitGroup
	for name, job := range jobs {
		workers.Go(func() {
			for i := range rounds {
				if err := job(i); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
	workers.Wait()
	const everywhere = `SELECT id FROM malote.queue UNION ALL SELECT id FROM malote.deliveries`
	require.Equal(t, 2*rounds, s.count(`SELECT count(*) FROM (`+everywhere+`) AS rows`))
	require.Equal(t, 2*rounds, s.count(`SELECT count(DISTINCT id) FROM (`+everywhere+`) AS rows`))
}
