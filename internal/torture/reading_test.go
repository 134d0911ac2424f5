//go:build linux

package torture_test

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/torture"
)

// settle waits until nothing is left to be done, or for as long as anybody's
// patience lasts; what is open then the checker finds.
func (w *world) settle() {
	until := time.Now().Add(patience)
	for time.Now().Before(until) {
		if open, err := w.open(); err == nil && open == 0 {
			return
		}
		wait(w.t.Context(), 200*time.Millisecond)
	}
}

func (w *world) open() (n int, err error) {
	conn, err := pgx.Connect(w.t.Context(), w.database.URL())
	if err != nil {
		return 0, err
	}
	defer conn.Close(context.Background()) //nolint:errcheck // it was only read from
	err = conn.QueryRow(w.t.Context(), `SELECT (SELECT count(*) FROM malote.queue) + (SELECT count(*) FROM malote.outbox)`).Scan(&n)
	return n, err
}

// journal reads what is recorded, and adds what was meant and what was seen.
func (w *world) journal(l *ledger) *torture.Journal {
	conn, err := pgx.Connect(w.t.Context(), w.database.URL())
	require.NoError(w.t, err)
	defer conn.Close(context.Background()) //nolint:errcheck // it was only read from
	j := &torture.Journal{Deadline: deadline, Lease: lease, Resumes: w.resumes, Crashes: w.crashes, Requests: w.receivers.log()}
	for _, r := range w.receivers.byName {
		j.Endpoints = append(j.Endpoints, r.Endpoint)
	}
	j.Events, err = readEvents(w.t.Context(), conn)
	require.NoError(w.t, err)
	j.Attempts, err = readAttempts(w.t.Context(), conn)
	require.NoError(w.t, err)
	require.NoError(w.t, conn.QueryRow(w.t.Context(), `SELECT count(*) FROM malote.outbox_refused`).Scan(&j.Refused))
	j.Deliveries = w.readDeliveries()
	w.resolve(conn, l)
	for _, intent := range l.intents {
		j.Intents = append(j.Intents, *intent)
	}
	return j
}

func readEvents(ctx context.Context, conn *pgx.Conn) ([]torture.Event, error) {
	rows, _ := conn.Query(ctx, `SELECT id, type, sha256(body) FROM malote.events WHERE tenant = $1`, tenant)
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (e torture.Event, err error) {
		var id delivery.ID
		var digest []byte
		err = row.Scan(&id, &e.Type, &digest)
		e.ID = id.Format(delivery.EventPrefix)
		copy(e.Digest[:], digest)
		return e, err
	})
}

func readAttempts(ctx context.Context, conn *pgx.Conn) ([]torture.AttemptRecord, error) {
	rows, _ := conn.Query(ctx, `SELECT delivery_id, number, response_status, error_code FROM malote.attempts`)
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (a torture.AttemptRecord, err error) {
		var id delivery.ID
		err = row.Scan(&id, &a.Number, &a.Status, &a.Code)
		a.DeliveryID = id.Format(delivery.DeliveryPrefix)
		return a, err
	})
}

// readDeliveries asks the API, as a customer who closes his gaps would.
func (w *world) readDeliveries() (list []torture.Delivery) {
	for cursor := ""; ; {
		page := w.must("GET", "/v1/webhook_deliveries?limit=250&tenant="+tenant+"&cursor="+cursor, nil)
		for _, row := range page["data"].([]any) {
			member := row.(map[string]any)
			text := func(name string) string {
				s, _ := member[name].(string)
				return s
			}
			d := torture.Delivery{
				ID: text("id"), EventID: text("event_id"), EndpointID: text("endpoint_id"), State: text("state"),
				Reason: text("dead_reason") + text("skip_reason") + text("superseded_by"), AttemptCount: int(member["attempt_count"].(float64)),
			}
			list = append(list, d)
		}
		next, more := page["next_cursor"].(string)
		if !more {
			return list
		}
		cursor = next
	}
}

// resolve finds out what became of the application's transactions: its orders say.
func (w *world) resolve(conn *pgx.Conn, l *ledger) {
	rows, _ := conn.Query(w.t.Context(), `SELECT id FROM public.orders`)
	keys, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(w.t, err)
	committed := make(map[string]bool)
	for _, key := range keys {
		committed[key] = true
	}
	for _, intent := range l.intents {
		if intent.Way != "outbox" {
			continue
		}
		intent.Certainty = torture.Void
		if committed[intent.Key] {
			intent.Certainty = torture.Accepted
		}
	}
}

func summary(j *torture.Journal) string {
	states := make(map[string]int)
	for i := range j.Deliveries {
		states[j.Deliveries[i].State]++
	}
	return fmt.Sprintf("%d meant, %d events, %d deliveries %v, %d attempts, %d requests",
		len(j.Intents), len(j.Events), len(j.Deliveries), states, len(j.Attempts), len(j.Requests))
}
