//go:build linux && soak

package torture_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/torture"
)

// soakVariable is how long to soak.
const soakVariable = "MALOTE_SOAK"

// topFor is how long the top rate is measured.
const topFor = 15 * time.Second

// sample is what is measured now and then.
type sample struct {
	at       time.Duration
	hot      int64          // bytes of the tables and indexes that must not grow: queue, lanes, outbox
	dead     int64          // rows in them that are not vacuumed
	resident map[string]int // kilobytes, of each role
	median   time.Duration  // from acceptance to arrival, of what arrived since the last sample
}

func (s sample) String() string {
	return fmt.Sprintf("%7.0fs: queue, lanes and outbox %5.1f MB, %d dead rows; resident MB %v; median latency %v",
		s.at.Seconds(), float64(s.hot)/(1<<20), s.dead, megabytes(s.resident), s.median.Round(time.Millisecond))
}

func megabytes(kilobytes map[string]int) string {
	var list []string
	for name, n := range kilobytes {
		list = append(list, fmt.Sprintf("%s %d", name, n>>10))
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// TestSoak runs at half the top rate, with faults, and looks whether anything grows.
func TestSoak(t *testing.T) {
	duration := durationFrom(soakVariable, time.Hour)
	seed := rand.Uint64()
	w := newWorld(t, seed, malote(t), os.Getenv(skewedVariable))
	p, stop := w.publishers()
	top := w.topRate(p, topFor)
	progress("soak: seed %d, the top rate is %.0f events/s; %v at half of it", seed, top, duration)
	crowd := w.steady(p, top/2)
	plan := torture.Plan(seed, duration, torture.Scene{
		Processes: w.names, Workers: w.workers, Lease: lease, Receivers: []string{"plain", "states", "secure"},
	})
	plan = sparse(plan, 20)
	w.receivers.restart()
	var samples []sample
	measured := make(chan struct{})
	go func() {
		defer close(measured)
		every := max(duration/60, time.Second)
		for at := every; at < duration; at += every {
			wait(t.Context(), at-time.Since(w.receivers.began))
			s, err := w.sample(every)
			if err != nil {
				continue // the database is being hurt
			}
			samples = append(samples, s)
			progress("%v", s)
		}
	}()
	w.suffer(plan, p)
	<-measured
	stop()
	w.heal()
	crowd()
	w.settle()
	stranded := w.calm(p)
	journal := w.journal(p.ledger)
	journal.Stranded = stranded
	for _, violation := range torture.Check(journal) {
		t.Errorf("%v", violation)
	}
	progress("soak: %s", summary(journal))
	w.requireVacuumed()
	requireFlat(t, samples)
}

// sparse keeps one fault in n: a soak has long stretches of peace.
func sparse(plan []torture.Fault, n int) (kept []torture.Fault) {
	for i, fault := range plan {
		if i%n == 0 {
			kept = append(kept, fault)
		}
	}
	return kept
}

// restart sets the beginning of time.
func (rs *receivers) restart() {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.began = time.Now()
	rs.requests = nil
}

// topRate is how many facts a second come in and go out when publishers wait for
// nothing but their answers.
func (w *world) topRate(p *publishers, d time.Duration) float64 {
	ctx, cancel := context.WithTimeout(w.t.Context(), d)
	defer cancel()
	began := time.Now()
	for range 16 {
		p.crowd.Go(func() {
			for ctx.Err() == nil {
				p.api(bulk, "", 0)
			}
		})
	}
	p.crowd.Wait()
	w.settle()
	told := p.told // nobody publishes at the moment
	p.ledger = &ledger{offset: told}
	w.forget()
	return float64(told) / time.Since(began).Seconds()
}

// forget empties what is recorded, so that what follows is judged by itself.
func (w *world) forget() {
	conn, err := pgx.Connect(w.t.Context(), w.database.URL())
	require.NoError(w.t, err)
	defer conn.Close(context.Background()) //nolint:errcheck // what it did is done
	_, err = conn.Exec(w.t.Context(), `TRUNCATE malote.events, malote.deliveries, malote.attempts, malote.event_keys`)
	require.NoError(w.t, err)
}

// steady publishes at a rate, by all three ways: most of it in bulk over HTTP.
func (w *world) steady(p *publishers, rate float64) (await func()) {
	crowd := max(4, int(rate/4)) // each about four a second, or the answers' time would set the pace
	pace := time.Duration(float64(crowd) / rate * float64(time.Second))
	for i := range crowd {
		random := rand.New(rand.NewPCG(1, uint64(i)))
		place := 0
		publish := func() { p.api(bulk, "", 0) }
		switch i % 30 {
		case 0:
			publish = func() { p.push(random) }
		case 1:
			publish = func() { p.order(random) }
		case 2:
			publish = func() { place++; p.api(state, fmt.Sprintf("entity-%d", i), place) }
		}
		p.crowd.Go(func() {
			for p.stop.Err() == nil {
				publish()
				wait(p.stop, pace)
			}
		})
	}
	return p.crowd.Wait
}
