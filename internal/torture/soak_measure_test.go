//go:build linux && soak

package torture_test

import (
	"context"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

const hotTables = `('malote.queue'::regclass, 'malote.lanes'::regclass, 'malote.outbox'::regclass)`

func (w *world) sample(since time.Duration) (sample, error) {
	s := sample{at: time.Since(w.receivers.began), resident: make(map[string]int), median: w.receivers.median(since)}
	ctx, cancel := context.WithTimeout(w.t.Context(), 5*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, w.database.URL())
	if err != nil {
		return s, err
	}
	defer conn.Close(context.Background()) //nolint:errcheck // it was only read from
	err = conn.QueryRow(ctx, `SELECT sum(pg_total_relation_size(relid))::bigint, sum(n_dead_tup)::bigint
		FROM pg_stat_user_tables WHERE relid IN `+hotTables).Scan(&s.hot, &s.dead)
	for name, p := range w.processes {
		s.resident[name] = p.resident()
	}
	return s, err
}

// resident is the memory of the process, in kilobytes; 0: it is not running.
func (p *process) resident() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.command == nil || p.command.Process == nil {
		return 0
	}
	text, err := os.ReadFile("/proc/" + strconv.Itoa(p.command.Process.Pid) + "/status")
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(text), "VmRSS:")
	n, _ := strconv.Atoi(strings.Fields(after + " 0")[0])
	return n
}

// median is the time from acceptance to first arrival, by the event's id, of what
// arrived lately.
func (rs *receivers) median(since time.Duration) time.Duration {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	from := time.Since(rs.began) - since
	var list []time.Duration
	for i := len(rs.requests) - 1; i >= 0 && rs.requests[i].Start >= from; i-- {
		r := rs.requests[i]
		if id, err := delivery.ParseID(delivery.EventPrefix, r.EventID); err == nil && r.Attempt == 1 {
			list = append(list, max(0, rs.began.Add(r.Start).Sub(id.Time())))
		}
	}
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[len(list)/2]
}

// requireVacuumed: when all is over, the dead rows of the hot tables can be
// removed: nothing holds them, and the tables are small.
func (w *world) requireVacuumed() {
	w.t.Helper()
	conn, err := pgx.Connect(w.t.Context(), w.database.URL())
	require.NoError(w.t, err)
	defer conn.Close(context.Background()) //nolint:errcheck // what it did is done
	var live, dead int64
	_, err = conn.Exec(w.t.Context(), `VACUUM (ANALYZE) malote.queue, malote.lanes, malote.outbox`)
	require.NoError(w.t, err)
	require.NoError(w.t, conn.QueryRow(w.t.Context(), `SELECT sum(n_live_tup)::bigint, sum(n_dead_tup)::bigint
		FROM pg_stat_user_tables WHERE relid IN `+hotTables).Scan(&live, &dead))
	progress("soak: after a vacuum %d rows live and %d dead", live, dead)
	require.LessOrEqual(w.t, dead, int64(1000), "dead rows that nothing removes: something holds an old snapshot")
}

// requireFlat compares the second quarter with the last: whatever grows without
// end has grown by half then. A fault at the wrong moment moves a sample, not the
// median of a quarter.
func requireFlat(t *testing.T, samples []sample) {
	t.Helper()
	n := len(samples)
	if n < 20 {
		t.Logf("%d samples: too few to see whether anything grows", n)
		return
	}
	before, after := samples[n/4:n/2], samples[3*n/4:]
	flat := func(what string, slack float64, value func(sample) float64) {
		was, is := middle(before, value), middle(after, value)
		progress("soak: %s: %.1f in the second quarter, %.1f in the last", what, was, is)
		if is > was*1.5+slack {
			t.Errorf("%s grew from %.1f to %.1f", what, was, is)
		}
	}
	flat("MB of queue, lanes and outbox", 8, func(s sample) float64 { return float64(s.hot) / (1 << 20) })
	flat("dead rows there", 20_000, func(s sample) float64 { return float64(s.dead) })
	flat("median latency in ms", 50, func(s sample) float64 { return float64(s.median.Milliseconds()) })
	for name := range samples[0].resident {
		flat("resident MB of "+name, 16, func(s sample) float64 { return float64(s.resident[name] >> 10) })
	}
}

func middle(samples []sample, value func(sample) float64) float64 {
	list := make([]float64, len(samples))
	for i, s := range samples {
		list[i] = value(s)
	}
	slices.Sort(list)
	return list[len(list)/2]
}
