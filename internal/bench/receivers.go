package bench

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// receivers are all endpoints: one server, a path each.
type receivers struct {
	server   *http.Server
	url      string
	received atomic.Int64
	hang     map[string]time.Duration // paths that answer late

	mu        sync.Mutex
	latencies []time.Duration // of paths that do not hang
	keeping   atomic.Bool
}

func openReceivers(hang map[string]time.Duration) (*receivers, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening for deliveries: %w", err)
	}
	r := &receivers{url: "http://" + listener.Addr().String(), hang: hang}
	r.server = &http.Server{Handler: http.HandlerFunc(r.receive), ReadHeaderTimeout: time.Minute}
	go func() { _ = r.server.Serve(listener) }()
	return r, nil
}

func (r *receivers) close() { _ = r.server.Close() }

// sentAt is the member of an event's data that says when its publish began, in
// nanoseconds.
var sentAt = []byte(`"sent_at":`)

func (r *receivers) receive(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	arrived := time.Now()
	if err != nil {
		return
	}
	if pause := r.hang[request.URL.Path]; pause > 0 {
		select {
		case <-time.After(pause):
		case <-request.Context().Done():
			return
		}
		w.WriteHeader(http.StatusNoContent)
		return
	}
	w.WriteHeader(http.StatusNoContent)
	r.received.Add(1)
	if r.keeping.Load() {
		if sent, ok := readSentAt(body); ok {
			r.mu.Lock()
			r.latencies = append(r.latencies, arrived.Sub(sent))
			r.mu.Unlock()
		}
	}
}

func readSentAt(body []byte) (time.Time, bool) {
	at := bytes.Index(body, sentAt)
	if at < 0 {
		return time.Time{}, false
	}
	digits := body[at+len(sentAt):]
	end := bytes.IndexFunc(digits, func(c rune) bool { return c < '0' || c > '9' })
	if end <= 0 {
		return time.Time{}, false
	}
	nanoseconds, err := strconv.ParseInt(string(digits[:end]), 10, 64)
	return time.Unix(0, nanoseconds), err == nil
}

// keep begins to note latencies, anew.
func (r *receivers) keep() {
	r.mu.Lock()
	r.latencies = nil
	r.mu.Unlock()
	r.keeping.Store(true)
}

// kept ends it, and gives them sorted.
func (r *receivers) kept() []time.Duration {
	r.keeping.Store(false)
	r.mu.Lock()
	defer r.mu.Unlock()
	sorted := slices.Clone(r.latencies)
	slices.Sort(sorted)
	return sorted
}
