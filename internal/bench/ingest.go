package bench

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/malotehq/malote/internal/bench/report"
)

const (
	stripeSecret = "whsec_bench_secret_of_a_source_0001"
	// sources share the load: one alone may have a quarter of the door's places.
	sources = 8
	// repeatEvery so many webhooks, one is sent again.
	repeatEvery = 10
)

func (b *bench) ingest(ctx context.Context) error {
	for _, senders := range b.Publishers {
		b.step("%d senders", senders)
		row, err := b.ingestOf(ctx, senders)
		if err != nil {
			return err
		}
		b.report.Ingest = append(b.report.Ingest, row)
	}
	return nil
}

func (b *bench) ingestOf(ctx context.Context, senders int) (report.Ingest, error) {
	s, err := b.openStage(ctx, aWhole)
	if err != nil {
		return report.Ingest{}, err
	}
	defer s.close()
	paths, err := s.makeSources(ctx)
	if err != nil {
		return report.Ingest{}, err
	}
	load := startSenders(ctx, senders, s.urls[0], paths)
	defer load.end()
	before, err := s.mark(ctx, b.WarmUp, load.accepted.Load)
	if err != nil {
		return report.Ingest{}, err
	}
	duplicates := load.duplicates.Load()
	load.counting.Store(true)
	after, err := s.mark(ctx, b.Duration, load.accepted.Load)
	if err != nil {
		return report.Ingest{}, err
	}
	duplicates = load.duplicates.Load() - duplicates
	most, err := s.rssMost()
	load.end()
	took := load.sorted()
	seconds, events := after.at.Sub(before.at).Seconds(), float64(after.accepted-before.accepted)
	return report.Ingest{
		Senders: senders, Accepted: events / seconds, Duplicates: float64(duplicates) / seconds,
		Failed: load.failed.Load(), FirstFail: load.firstFailure(),
		P50: report.Millis(report.Quantile(took, .5)), P99: report.Millis(report.Quantile(took, .99)),
		WALPerEvent: share(float64(after.WAL-before.WAL), events), Commits: share(float64(after.Commits-before.Commits), events),
		ServerTime: perEvent(after.serverTime-before.serverTime, events), RSSMost: most,
	}, err
}

// makeSources makes a tenant's sources and returns the paths that they receive at.
func (s *stage) makeSources(ctx context.Context) ([]string, error) {
	if _, err := s.prepare(ctx, 0, endpointOptions{}); err != nil {
		return nil, err
	}
	client := newHTTPClient(1)
	defer client.CloseIdleConnections()
	paths := make([]string, sources)
	for i := range paths {
		answer, err := post(ctx, client, s.urls[0]+"/v1/sources",
			fmt.Sprintf(`{"tenant":%q,"name":"bench %d","provider":"stripe","secrets":[%q]}`, tenant, i, stripeSecret))
		if err != nil {
			return nil, fmt.Errorf("making a source: %w", err)
		}
		var made struct {
			Path string `json:"receive_path"`
		}
		if err := json.Unmarshal(answer, &made); err != nil {
			return nil, fmt.Errorf("reading the source that was made: %w", err)
		}
		paths[i] = made.Path
	}
	return paths, nil
}

// senders send webhooks as fast as they are answered.
type senders struct {
	tally      // accepted: events, without duplicates
	duplicates atomic.Int64
	counting   atomic.Bool
	stop       func()
	done       sync.WaitGroup

	mu   sync.Mutex
	took []time.Duration
}

func startSenders(ctx context.Context, n int, url string, paths []string) *senders {
	load := &senders{}
	ctx, load.stop = context.WithCancel(ctx)
	client := newHTTPClient(n)
	for i := range n {
		load.done.Go(func() {
			address, body := url+paths[i%len(paths)], ""
			for sent := 1; ctx.Err() == nil; sent++ {
				if sent%repeatEvery != 0 || body == "" {
					body = stripeEvent(rand.Text())
				}
				load.send(ctx, client, address, body)
			}
		})
	}
	return load
}

// stripeEvent is a body of about eventSize.
func stripeEvent(id string) string {
	head := fmt.Sprintf(`{"id":"evt_%s","object":"event","type":"invoice.paid","created":1750000000,"data":{"object":{"id":"in_1","description":"`, id)
	return head + strings.Repeat("x", max(0, eventSize-len(head)-4)) + `"}}}`
}

// stripeSignature is as Stripe describes it: HMAC-SHA256 of time, full stop and body.
func stripeSignature(body string, at time.Time) string {
	mac := hmac.New(sha256.New, []byte(stripeSecret))
	fmt.Fprintf(mac, "%d.%s", at.Unix(), body)
	return fmt.Sprintf("t=%d,v1=%s", at.Unix(), hex.EncodeToString(mac.Sum(nil)))
}

func (l *senders) send(ctx context.Context, client httpClient, url, body string) {
	began := time.Now()
	answer, err := call(ctx, client, url, body, http.Header{"Stripe-Signature": {stripeSignature(body, began)}})
	took := time.Since(began)
	var said struct{ Duplicate bool }
	if err == nil {
		err = json.Unmarshal(answer, &said)
	}
	if err == nil && said.Duplicate {
		l.duplicates.Add(1)
	} else {
		l.note(ctx, err)
	}
	if err != nil {
		_ = pause(ctx, refusedPause)
	} else if l.counting.Load() {
		l.mu.Lock()
		l.took = append(l.took, took)
		l.mu.Unlock()
	}
}

func (l *senders) end() {
	l.stop()
	l.done.Wait()
}

// sorted gives how long answers took.
func (l *senders) sorted() []time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Sorted(slices.Values(l.took))
}
