package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// Throughput is what one run of the scenario came to.
type Throughput struct {
	Publishers  int     `json:"publishers"`
	Endpoints   int     `json:"endpoints"`
	Published   float64 `json:"published_per_second"`
	Delivered   float64 `json:"delivered_per_second"`
	Backlog     int64   `json:"open_deliveries_at_the_end"`
	Failed      int64   `json:"failed_publishes"`
	WALPerEvent float64 `json:"wal_bytes_per_delivered_event"`
	Commits     float64 `json:"commits_per_delivered_event"`
	RSSMost     int64   `json:"rss_bytes_at_most"`

	// Processor time per event, in microseconds: Malote's and PostgreSQL's per
	// delivered one, and of publishers and receivers together.
	MaloteTime   float64 `json:"malote_us_per_event"`
	PostgresTime float64 `json:"postgresql_us_per_event"`
	LoadTime     float64 `json:"load_us_per_event"`
}

// ThroughputOptions of RunThroughput.
type ThroughputOptions struct {
	Program     string // malote
	Publishers  int
	Endpoints   int
	MaxInFlight int           // of each endpoint; 0: the policy's
	WarmUp      time.Duration // not counted
	Duration    time.Duration
	Serve       []string // more flags of malote serve
}

// RunThroughput publishes as fast as it is answered, to endpoints in turn, and
// counts what arrives meanwhile.
func RunThroughput(ctx context.Context, o ThroughputOptions) (Throughput, error) {
	s, err := openStage(ctx, o.Program, [][]string{nil}, o.Serve)
	if err != nil {
		return Throughput{}, err
	}
	defer s.close()
	r, err := openReceivers(nil)
	if err != nil {
		return Throughput{}, err
	}
	defer r.close()
	t, err := s.prepare(ctx, r, o.Endpoints, o.MaxInFlight)
	if err != nil {
		return Throughput{}, err
	}
	p := startPublishers(ctx, o.Publishers, s.urls, t)
	defer p.end()
	before, err := s.mark(ctx, o.WarmUp, p, r)
	if err != nil {
		return Throughput{}, err
	}
	after, err := s.mark(ctx, o.Duration, p, r)
	if err != nil {
		return Throughput{}, err
	}
	_, most, err := s.serves[0].rss()
	if err != nil {
		return Throughput{}, err
	}
	seconds, events := after.at.Sub(before.at).Seconds(), float64(after.received-before.received)
	return Throughput{
		Publishers: o.Publishers, Endpoints: o.Endpoints,
		Published: float64(after.accepted-before.accepted) / seconds, Delivered: events / seconds,
		Backlog: after.queue, Failed: p.failed.Load(),
		WALPerEvent: float64(after.wal-before.wal) / events, Commits: float64(after.commits-before.commits) / events, RSSMost: most,
		MaloteTime:   perEvent(after.maloteTime-before.maloteTime, events),
		PostgresTime: perEvent(after.postgresTime-before.postgresTime, events),
		LoadTime:     perEvent(after.ownTime-before.ownTime, events),
	}, nil
}

// mark waits, and reads all counters at nearly one instant.
func (s *stage) mark(ctx context.Context, wait time.Duration, p *publishers, r *receivers) (counters, error) {
	select {
	case <-time.After(wait):
	case <-ctx.Done():
		return counters{}, ctx.Err()
	}
	c, err := s.counters(ctx)
	c.received, c.accepted = r.received.Load(), p.accepted.Load()
	return c, err
}

// prepare makes a tenant and its endpoints.
func (s *stage) prepare(ctx context.Context, r *receivers, endpoints, maxInFlight int) (target, error) {
	t := target{tenant: "bench"}
	client := newHTTPClient(1)
	if _, err := post(ctx, client, s.urls[0]+"/v1/tenants", `{"id":"bench"}`); err != nil {
		return t, fmt.Errorf("making a tenant: %w", err)
	}
	for i := range endpoints {
		body := map[string]any{"tenant": t.tenant, "url": fmt.Sprintf("%s/%d", r.url, i)}
		if maxInFlight > 0 {
			body["max_in_flight"] = maxInFlight
		}
		encoded, err := json.Marshal(body)
		if err != nil {
			return t, err
		}
		answer, err := post(ctx, client, s.urls[0]+"/v1/webhook_endpoints", string(encoded))
		if err != nil {
			return t, fmt.Errorf("making an endpoint: %w", err)
		}
		var made struct{ ID string }
		if err := json.Unmarshal(answer, &made); err != nil {
			return t, fmt.Errorf("reading the endpoint that was made: %w", err)
		}
		t.endpoints = append(t.endpoints, made.ID)
	}
	return t, nil
}

// BareRequests is how many POSTs a second the receivers take from so many at
// once, with nothing between: what no pipeline on this machine can exceed.
func BareRequests(ctx context.Context, atOnce int, d time.Duration) (float64, error) {
	r, err := openReceivers(nil)
	if err != nil {
		return 0, err
	}
	defer r.close()
	t := target{tenant: "bench", endpoints: []string{"whe"}}
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	p := &publishers{}
	client := newHTTPClient(atOnce)
	started := time.Now()
	for range atOnce {
		p.done.Go(func() { bare(ctx, client, r.url, t.bodyOf(0, started)) })
	}
	p.done.Wait()
	return float64(r.received.Load()) / time.Since(started).Seconds(), nil
}

func bare(ctx context.Context, client *http.Client, url, body string) {
	for ctx.Err() == nil {
		_, _ = post(ctx, client, url, body)
	}
}

func perEvent(used time.Duration, events float64) float64 {
	return float64(used.Microseconds()) / events
}
