package torture_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/torture"
	"github.com/malotehq/malote/webhook"
)

// receivers are all endpoints' other side: one server, a path for each.
type receivers struct {
	began    time.Time
	listener net.Listener
	server   *http.Server

	mu       sync.Mutex
	requests []*torture.Request
	open     map[*torture.Request]bool
	random   *rand.Rand
	byName   map[string]*receiver
	polite   atomic.Bool // all of them, from now on
	tardy    atomic.Bool // all of them answer just within the deadline
}

// receiver is one endpoint's.
type receiver struct {
	torture.Endpoint
	verifier *webhook.Verifier
	manner   atomic.Int32  // what it does to everybody at present; 0: nothing bad
	slow     time.Duration // how long it takes at most, at best
	rude     float64       // share of requests that are treated badly at any time
}

func newReceivers(t *testing.T, seed uint64) *receivers {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	r := &receivers{
		began: time.Now(), listener: listener, open: make(map[*torture.Request]bool),
		random: rand.New(rand.NewPCG(seed, 2)), byName: make(map[string]*receiver),
	}
	r.server = &http.Server{Handler: r, ErrorLog: log.New(io.Discard, "", 0)}
	go r.server.Serve(listener) //nolint:errcheck // it ends with the run
	t.Cleanup(func() { _ = r.server.Close() })
	return r
}

// manners are the ways to treat a request badly.
var manners = []func(http.ResponseWriter, *http.Request){
	func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
	func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusServiceUnavailable)
	},
	func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) },
	func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) },
	func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, // hangs
	func(w http.ResponseWriter, _ *http.Request) { // resets
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(http.ErrAbortHandler) // HTTP/2, which resets the stream
		}
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		_ = conn.Close()
	},
	func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, // closes
	func(w http.ResponseWriter, r *http.Request) { // drips its answer for ever
		w.WriteHeader(http.StatusBadGateway)
		for r.Context().Err() == nil {
			_, _ = w.Write([]byte("x"))
			_ = http.NewResponseController(w).Flush()
			wait(r.Context(), 50*time.Millisecond)
		}
	},
}

// ServeHTTP notes the request from its first to its last moment.
func (rs *receivers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	to := rs.byName[strings.TrimPrefix(r.URL.Path, "/")]
	if to == nil {
		rs.note(&torture.Request{Endpoint: r.URL.Path, Start: time.Since(rs.began)}) // a followed redirect, say
		return
	}
	seen := &torture.Request{Endpoint: to.ID, EventID: r.Header.Get(webhook.HeaderID), Start: time.Since(rs.began)}
	seen.Attempt, _ = strconv.Atoi(r.Header.Get(webhook.HeaderAttempt))
	rs.note(seen)
	defer rs.over(seen, false)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	_, err = to.verifier.Verify(r.Header, body)
	delay, treat := rs.decide(seen, to, body, err)
	wait(r.Context(), delay)
	switch {
	case treat != nil:
		treat(&lastWord{w, func() { rs.over(seen, false) }}, r)
	case r.Context().Err() == nil:
		rs.over(seen, true)
		w.WriteHeader(http.StatusNoContent)
	}
}

// lastWord notes that a request is over before its answer leaves: what comes next
// may be on its way before the handler has returned.
type lastWord struct {
	http.ResponseWriter
	over func()
}

func (w *lastWord) WriteHeader(status int) {
	w.over()
	w.ResponseWriter.WriteHeader(status)
}

// Hijack is how a request is reset: that is its answer.
func (w *lastWord) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	w.over()
	return http.NewResponseController(w.ResponseWriter).Hijack()
}

// Unwrap implements what http.ResponseController needs.
func (w *lastWord) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (rs *receivers) note(seen *torture.Request) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.requests = append(rs.requests, seen)
	rs.open[seen] = true
}

func (rs *receivers) over(seen *torture.Request, accepted bool) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.open[seen] {
		delete(rs.open, seen)
		seen.End, seen.Accepted = time.Since(rs.began), accepted
	}
}

func (rs *receivers) decide(seen *torture.Request, to *receiver, body []byte, problem error) (delay time.Duration, treat http.HandlerFunc) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	seen.Whole, seen.Digest = true, sha256.Sum256(body)
	if problem != nil {
		seen.Problem = problem.Error()
	}
	delay = time.Duration(rs.random.Int64N(int64(to.slow)))
	if rs.tardy.Load() {
		delay = deadline/2 + time.Duration(rs.random.Int64N(int64(deadline)*4/10))
	}
	chance, which := rs.random.Float64(), rs.random.IntN(len(manners))
	switch bad := int(to.manner.Load()); {
	case rs.polite.Load():
	case bad > 0 && chance < 0.8:
		treat = manners[bad%len(manners)]
	case chance < to.rude:
		treat = manners[which]
	}
	return delay, treat
}

// log is all that was seen.
func (rs *receivers) log() []torture.Request {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	list := make([]torture.Request, len(rs.requests))
	for i, r := range rs.requests {
		list[i] = *r
		if rs.open[r] {
			list[i].End = time.Since(rs.began)
		}
	}
	return list
}

// errNoReceiver says that a fault names an endpoint that is not there.
var errNoReceiver = errors.New("no such receiver")

// What a sender has been told of, is over by the receivers' log, or the next request
// would count beside it.
func TestReceivers_ARequestIsOverBeforeItsSenderKnows(t *testing.T) {
	t.Parallel()
	for i, treat := range manners {
		var isOver atomic.Bool
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer isOver.Store(true)
			treat(&lastWord{w, func() { isOver.Store(true) }}, r)
			<-r.Context().Done() // as if the handler were slow to return
		}))
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL, http.NoBody)
		require.NoError(t, err)
		hangs := time.AfterFunc(100*time.Millisecond, cancel) // its sender ends that, and knows
		answer, err := http.DefaultTransport.RoundTrip(request)
		if err == nil {
			_ = answer.Body.Close()
		}
		if hangs.Stop() {
			require.True(t, isOver.Load(), "manner %d", i)
		}
		cancel()
		server.CloseClientConnections()
		server.Close()
	}
}
