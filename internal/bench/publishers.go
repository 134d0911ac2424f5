package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// eventSize is about how many bytes an event's body has on its way to the
// receiver, envelope included.
const eventSize = 480

// target is one tenant with endpoints, and how to publish to one of them.
type target struct {
	tenant    string
	endpoints []string // ids
}

// part is a target of some of its endpoints.
func (t target) part(from, to int) target { return target{t.tenant, t.endpoints[from:to]} }

// bodyOf is a publish to one endpoint: an event's data is padded to its size.
func (t target) bodyOf(n int64, at time.Time) string {
	data := fmt.Sprintf(`{"sent_at":%d,"number":%d,"padding":"`, at.UnixNano(), n)
	// The envelope around it has some 90 bytes.
	padding := max(0, eventSize-90-len(data)-2)
	return fmt.Sprintf(`{"tenant":%q,"type":"bench.event","endpoint_ids":[%q],"data":%s%s"}}`,
		t.tenant, t.endpoints[n%int64(len(t.endpoints))], data, strings.Repeat("x", padding))
}

// tally counts what became of publishes.
type tally struct {
	accepted, failed atomic.Int64

	mu    sync.Mutex
	first string // failure
}

func (t *tally) note(ctx context.Context, err error) {
	switch {
	case err == nil:
		t.accepted.Add(1)
	case ctx.Err() == nil: // not one that the end cut off
		t.failed.Add(1)
		t.mu.Lock()
		if t.first == "" {
			t.first = err.Error()
		}
		t.mu.Unlock()
	}
}

func (t *tally) firstFailure() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.first
}

// publishers publish as fast as they are answered.
type publishers struct {
	tally
	stop func()
	done sync.WaitGroup
}

func startPublishers(ctx context.Context, n int, urls []string, t target) *publishers {
	p := &publishers{}
	ctx, p.stop = context.WithCancel(ctx)
	client := newHTTPClient(n)
	var next atomic.Int64
	for i := range n {
		url := urls[i%len(urls)] + "/v1/events"
		p.done.Go(func() {
			for ctx.Err() == nil {
				_, err := post(ctx, client, url, t.bodyOf(next.Add(1), time.Now()))
				p.note(ctx, err)
				if err != nil {
					_ = pause(ctx, refusedPause)
				}
			}
		})
	}
	return p
}

// refusedPause is how long a publisher that failed lets others go first.
const refusedPause = 10 * time.Millisecond

func (p *publishers) end() {
	p.stop()
	p.done.Wait()
}

// steadyClients is how many connections are kept for publishes at a steady rate.
const steadyClients = 64

// gaps gives the time from one publish to the next. It is called by one goroutine.
type gaps func() time.Duration

// evenly leaves the same time between two: so many a second, none beside another.
func evenly(rate float64) gaps {
	return func() time.Duration { return time.Duration(float64(time.Second) / rate) }
}

// randomly is as publishers are who know nothing of one another: so many a second on
// average. Two streams at even distances meet always or never, depending on when
// they began; these meet as often as chance has it, with one stream as with two.
func randomly(rate float64) gaps {
	return func() time.Duration { return time.Duration(rand.ExpFloat64() / rate * float64(time.Second)) }
}

// publishSteadily publishes for a while, whether or not it is answered in time, and
// returns when all are answered.
func publishSteadily(ctx context.Context, next gaps, d time.Duration, urls []string, t target) *tally {
	client := newHTTPClient(steadyClients)
	defer client.CloseIdleConnections()
	outcome := &tally{}
	var calls sync.WaitGroup
	started := time.Now()
	var after time.Duration
	for n := int64(0); after < d && pause(ctx, time.Until(started.Add(after))) == nil; n++ {
		after += next()
		body, url := t.bodyOf(n, time.Now()), urls[n%int64(len(urls))]+"/v1/events"
		calls.Go(func() {
			_, err := post(ctx, client, url, body)
			outcome.note(ctx, err)
		})
	}
	calls.Wait()
	return outcome
}
