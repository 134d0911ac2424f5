package redelivery

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// receiver claims, sends, and completes with what chance says; it notes for each
// entity the newest delivery that arrived, and every one that went back in time.
type receiver struct {
	seeder
	newest map[string]delivery.ID
	older  []string
}

func (r *receiver) receive(ctx context.Context) error {
	claimed, err := r.store.Claim(ctx, 8)
	if err != nil {
		return err
	}
	var done []policy.Completion
	for _, claim := range claimed.Claims {
		decision := policy.Decision{State: delivery.Delivered}
		switch rand.IntN(3) {
		case 0:
			decision = policy.Decision{State: delivery.Dead, Reason: delivery.AttemptsExhausted, ErrorCode: delivery.HTTPStatus}
		case 1:
			decision = policy.Decision{State: delivery.Pending, NextAttemptAt: time.Now(), ErrorCode: delivery.HTTPStatus}
		default:
			r.note(claim)
		}
		done = append(done, policy.Completion{
			Kind: policy.Sent, Claim: claim, Decision: decision, Circuit: &circuit.Settings{}, CompletedAt: time.Now(),
			Outcome: delivery.Outcome{StartedAt: time.Now()},
		})
	}
	_, err = r.store.Complete(ctx, done)
	return err
}

func (r *receiver) note(claim *delivery.Claim) {
	key := claim.Event.CoalesceKey
	if key == "" {
		return
	}
	id := claim.DeliveryID
	if last := r.newest[key]; bytes.Compare(last[:], id[:]) > 0 {
		r.older = append(r.older, fmt.Sprintf("%s after %s, of %s, by %s", id, last, key, claim.Trigger))
	}
	r.newest[key] = id
}

// disableAndEnable is what the registry does, with all that is dead.
func (s seeder) disableAndEnable(ctx context.Context, endpoint delivery.ID) error {
	var err error
	for range 8 {
		err = pgx.BeginFunc(ctx, s.store.Pool(), func(tx pgx.Tx) error {
			_, err := enableIn(ctx, tx, endpoint)
			return err
		})
		if !mayHelpAgain(err) {
			return err
		}
	}
	return err
}

func (s seeder) recoverSome(ctx context.Context, w *Writer, endpoint delivery.ID) error {
	window := lastHour(endpoint)
	window.States = append(window.States, delivery.Discarded)
	job, err := w.StartRecovery(ctx, newJob(endpoint), window)
	if err != nil {
		return err
	}
	for range 3 {
		if _, lanes, err := w.RecoverBatch(ctx, job.ID); err != nil {
			return err
		} else if _, err := s.store.WakeLanes(ctx, lanes); err != nil {
			return err
		}
	}
	_, err = w.CancelRecovery(ctx, job.ID)
	if err != nil && s.recovery(w, job.ID).Status == RecoveryDone {
		err = nil
	}
	return err
}

// Recoveries and enablings among publishers, claims, completions, one who
// discards and one who resolves: nothing fails, every delivery stays in one
// place, and no endpoint is told an older state of an entity after a newer one.
func TestRecover_F13_AmongAllThatMoveDeliveries(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	endpoint := s.endpoint("acme")
	const rounds, entities = 60, 3
	for range entities {
		for i := range 20 {
			s.delivery(row{tenant: "acme", endpoint: endpoint, state: delivery.Skipped, age: time.Minute, key: fmt.Sprint("K", i%entities)})
		}
	}
	r := &receiver{seeder: s, newest: make(map[string]delivery.ID)}
	ctx := t.Context()
	jobs := map[string]func(i int) error{
		"publish": func(i int) error {
			err := s.publishKeyed(endpoint, "acme", fmt.Sprint("K", i%entities))
			if err == nil {
				_, err = s.store.WakeLanes(ctx, []delivery.LaneRef{{Shard: endpoint.Shard(), EndpointID: endpoint}})
			}
			return err
		},
		"publish facts": func(int) error { return s.publishKeyed(endpoint, "acme", "") },
		"recover":       func(int) error { return s.recoverSome(ctx, w, endpoint) },
		"enable":        func(int) error { return s.disableAndEnable(ctx, endpoint) },
		"discard and resolve": func(i int) error {
			if i%10 != 9 {
				return nil
			}
			s.exec(`UPDATE malote.deliveries SET state = 'resolved' WHERE id IN
				(SELECT id FROM malote.deliveries WHERE state = 'dead' LIMIT 1)`)
			_, err := w.Discard(ctx, endpoint)
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
	done, receiving := make(chan struct{}), sync.WaitGroup{}
	receiving.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				if err := r.receive(ctx); err != nil {
					t.Errorf("receive: %v", err)
				}
			}
		}
	})
	workers.Wait()
	close(done)
	receiving.Wait()
	require.NoError(t, r.receive(ctx))
	require.Empty(t, r.older)
	require.NotEmpty(t, r.newest)
	const everywhere = `SELECT id FROM malote.queue UNION ALL SELECT id FROM malote.deliveries`
	require.Equal(t, 20*entities+2*rounds, s.count(`SELECT count(*) FROM (`+everywhere+`) AS rows`))
	require.Equal(t, 20*entities+2*rounds, s.count(`SELECT count(DISTINCT id) FROM (`+everywhere+`) AS rows`))
	require.Zero(t, s.count(`SELECT count(*) FROM malote.recoveries WHERE status IN ('running', 'failed')`))
	require.Positive(t, s.count(`SELECT sum(recovered) FROM malote.recoveries`))
}
