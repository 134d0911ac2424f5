package bench

import (
	"bytes"
	"context"
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

// receivers are all endpoints: one server, a path each. Those below `special` have
// a manner of their own, the others answer at once.
type receivers struct {
	server   *http.Server
	url      string
	received atomic.Int64 // and accepted, from all but the special ones

	special  int                           // paths from 0 on
	manner   func(*http.Request) (ok bool) // how special ones take a request; it may wait
	taken    atomic.Int64                  // by special ones
	declined atomic.Int64                  // by special ones: refused, or cut off while waiting
	arrived  atomic.Int64                  // at special ones

	mu        sync.Mutex
	latencies []time.Duration // of those that are not special
	keeping   atomic.Bool
}

func openReceivers(ctx context.Context) (*receivers, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening for deliveries: %w", err)
	}
	r := &receivers{url: "http://" + listener.Addr().String()}
	r.server = &http.Server{Handler: http.HandlerFunc(r.receive), ReadHeaderTimeout: time.Minute}
	go func() { _ = r.server.Serve(listener) }()
	return r, nil
}

func (r *receivers) close() { _ = r.server.Close() }

// behave gives the first so many endpoints a manner. It is called before any is
// sent to.
func (r *receivers) behave(special int, manner func(*http.Request) bool) {
	r.special, r.manner = special, manner
}

// hang takes every request, late.
func hang(d time.Duration) func(*http.Request) bool {
	return func(request *http.Request) bool { return pause(request.Context(), d) == nil }
}

// sentAt is the member of an event's data that says when its publish began, in
// nanoseconds.
var sentAt = []byte(`"sent_at":`)

func (r *receivers) receive(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	arrived := time.Now()
	if err != nil {
		return
	}
	if r.special > 0 && r.isSpecial(request.URL.Path) {
		r.receiveSpecially(w, request)
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

func (r *receivers) isSpecial(path string) bool {
	number, err := strconv.Atoi(path[1:])
	return err == nil && number < r.special
}

func (r *receivers) receiveSpecially(w http.ResponseWriter, request *http.Request) {
	r.arrived.Add(1)
	if !r.manner(request) {
		r.declined.Add(1)
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	r.taken.Add(1)
	w.WriteHeader(http.StatusNoContent)
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

// noted is how many were noted so far.
func (r *receivers) noted() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return int64(len(r.latencies))
}

// kept ends it, and gives them in the order of arrival.
func (r *receivers) kept() []time.Duration {
	r.keeping.Store(false)
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.latencies)
}
