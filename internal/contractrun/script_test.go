package contractrun

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/receiver"
)

// script is a receiver that plays a part per path and takes down every request.
// All contracts meet the same one.
type script struct {
	t   *testing.T
	url string

	mu       sync.Mutex
	parts    map[string]http.Handler
	requests []request
	now      map[string]int // requests under way, by path
}

// request is one as it arrived.
type request struct {
	path   string
	at     time.Time
	header http.Header
	body   []byte
}

func newScript(t *testing.T) *script {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &script{t: t, url: "http://" + listener.Addr().String(), parts: make(map[string]http.Handler), now: make(map[string]int)}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- receiver.ServeHandler(ctx, listener, s) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-served)
	})
	return s
}

// play gives a path its part, from now on, and says where it is.
func (s *script) play(path string, part http.Handler) (url string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parts[path] = part
	return s.url + path
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // what is missing shows in the signature
	part := s.note(request{path: r.URL.Path, at: time.Now(), header: r.Header, body: body})
	over := sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.now[r.URL.Path]--
	})
	defer over()
	if part == nil {
		part = http.NotFoundHandler()
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	// Counted as over before the answer leaves: what comes next may be on its
	// way before the handler returns.
	part.ServeHTTP(&answering{w, over}, r)
}

func (s *script) note(arrived request) (part http.Handler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, arrived)
	s.now[arrived.path]++
	return s.parts[arrived.path]
}

type answering struct {
	http.ResponseWriter
	over func()
}

func (w *answering) WriteHeader(status int) {
	w.over()
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap is for http.ResponseController.
func (w *answering) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// to gives the requests to a path, in the order of their arrival.
func (s *script) to(path string) (found []request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.requests {
		if r.path == path {
			found = append(found, r)
		}
	}
	return found
}

func (s *script) underWay(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now[path]
}

// always plays a manner of package receiver's.
func always(manner receiver.Manner) http.Handler {
	return receiver.New(receiver.Options{Manner: manner})
}

func status(code int) http.Handler { return always(receiver.Status(code)) }

// saying answers with a status and a body.
func saying(code int, body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body) // the sender may have read enough
	})
}

// askingForTime answers with a status and a Retry-After.
func askingForTime(code int, retryAfter func() string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", retryAfter())
		w.WriteHeader(code)
	})
}

// stalling answers 200, sends so many bytes of a body and then nothing more.
func stalling(bytes int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusOK)
		_, _ = io.WriteString(w, strings.Repeat(" ", bytes))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	})
}

// inTurn plays its parts one after another, and the last one for ever.
func inTurn(parts ...http.Handler) http.Handler {
	var mu sync.Mutex
	next := 0
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		part := parts[min(next, len(parts)-1)]
		next++
		mu.Unlock()
		part.ServeHTTP(w, r)
	})
}
