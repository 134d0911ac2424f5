package bench

import (
	"context"
	"fmt"
	"net"
	"net/http"
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

// newHTTPClient keeps a connection for each of n who call at once.
func newHTTPClient(n int) *http.Client {
	return &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{
		MaxIdleConns: n, MaxIdleConnsPerHost: n, IdleConnTimeout: time.Minute,
		DialContext: (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
	}}
}

// bodyOf is a publish to one endpoint: an event's data is padded to its size.
func (t target) bodyOf(n int64, at time.Time) string {
	data := fmt.Sprintf(`{"sent_at":%d,"number":%d,"padding":"`, at.UnixNano(), n)
	// The envelope around it has some 90 bytes.
	padding := max(0, eventSize-90-len(data)-2)
	return fmt.Sprintf(`{"tenant":%q,"type":"bench.event","endpoint_ids":[%q],"data":%s%s"}}`,
		t.tenant, t.endpoints[n%int64(len(t.endpoints))], data, strings.Repeat("x", padding))
}

// publishers publish as fast as they are answered.
type publishers struct {
	accepted atomic.Int64
	failed   atomic.Int64
	stop     func()
	done     sync.WaitGroup
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
				if _, err := post(ctx, client, url, t.bodyOf(next.Add(1), time.Now())); err == nil {
					p.accepted.Add(1)
				} else if ctx.Err() == nil {
					p.failed.Add(1)
				}
			}
		})
	}
	return p
}

func (p *publishers) end() {
	p.stop()
	p.done.Wait()
}

// publishSteadily publishes so many a second for a while, whether or not it is
// answered in time, and returns how many were not accepted.
func publishSteadily(ctx context.Context, rate float64, d time.Duration, urls []string, t target) (sent, failed int64) {
	client := newHTTPClient(256)
	var calls sync.WaitGroup
	var lost atomic.Int64
	started := time.Now()
	ticker := time.NewTicker(time.Duration(float64(time.Second) / rate))
	defer ticker.Stop()
	for time.Since(started) < d && ctx.Err() == nil {
		<-ticker.C
		sent++
		body, url := t.bodyOf(sent, time.Now()), urls[sent%int64(len(urls))]+"/v1/events"
		calls.Go(func() {
			if _, err := post(ctx, client, url, body); err != nil {
				lost.Add(1)
			}
		})
	}
	calls.Wait()
	return sent, lost.Load()
}
