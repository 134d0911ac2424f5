package api

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/publish"
)

func guarded(log io.Writer, h http.HandlerFunc) http.Handler {
	s := &server{log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	return s.guard(h)
}

func TestGuard_APanicIsAnAnswerAndALine(t *testing.T) {
	t.Parallel()
	log := &safeBuffer{}
	recorder := httptest.NewRecorder()
	guarded(log, func(http.ResponseWriter, *http.Request) { panic("secret detail") }).ServeHTTP(recorder, httptest.NewRequest("GET", "/x", nil))
	p := reply{recorder}.problem(t, Internal)
	require.NotContains(t, recorder.Body.String(), "secret detail")
	require.Contains(t, log.String(), "secret detail")
	require.Contains(t, log.String(), p.RequestID)
	require.Contains(t, log.String(), "guard_test.go", "where it happened")
}

func TestGuard_AnAnswerThatBeganIsCutOff(t *testing.T) {
	t.Parallel()
	handler := guarded(io.Discard, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "half")
		panic("late")
	})
	require.PanicsWithValue(t, http.ErrAbortHandler, func() {
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/x", nil))
	})
	aborting := guarded(io.Discard, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	require.PanicsWithValue(t, http.ErrAbortHandler, func() {
		aborting.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/x", nil))
	})
}

// slowPublisher commits after a while.
type slowPublisher struct{ takes time.Duration }

func (s slowPublisher) Publish(ctx context.Context, requests []publish.Request) ([]publish.Result, error) {
	select {
	case <-time.After(s.takes):
		return make([]publish.Result, len(requests)), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// pipe serves one connection without a network, so that its deadlines keep to
// the time of the test.
func pipe(t *testing.T, handler http.Handler) net.Conn {
	t.Helper()
	client, connection := net.Pipe()
	listener := &oneConnection{connection: connection, closed: make(chan struct{})}
	server := &http.Server{Handler: handler}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = client.Close(); _ = server.Close() })
	return client
}

// oneConnection is a listener for pipe.
type oneConnection struct {
	connection net.Conn
	closed     chan struct{}
}

func (l *oneConnection) Accept() (net.Conn, error) {
	if connection := l.connection; connection != nil {
		l.connection = nil
		return connection, nil
	}
	<-l.closed
	return nil, net.ErrClosed
}

func (l *oneConnection) Close() error   { close(l.closed); return nil }
func (l *oneConnection) Addr() net.Addr { return &net.IPAddr{} }

func TestReadBody_ASlowBodyIsGivenUp(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for head, want := range map[string]string{
		"POST /v1/events HTTP/1.1\r\nAuthorization: Bearer " + adminKey:  "HTTP/1.1 408",
		"POST /v1/events HTTP/1.1\r\nAuthorization: Bearer wrong":        "HTTP/1.1 401", // nobody reads it
		"POST /v1/tenants HTTP/1.1\r\nAuthorization: Bearer " + adminKey: "HTTP/1.1 408",
		"POST /v1/nowhere HTTP/1.1":                                      "HTTP/1.1 404",
		"GET /v1/tenants HTTP/1.1\r\nAuthorization: Bearer " + adminKey:  "HTTP/1.1 200",
	} {
		synctest.Test(t, func(t *testing.T) {
			connection := pipe(t, r.handler)
			begin := time.Now()
			_, err := io.WriteString(connection, head+"\r\nHost: x\r\nContent-Length: 50\r\n\r\n{")
			require.NoError(t, err)
			answer, err := io.ReadAll(connection)
			require.NoError(t, err, "the connection is closed")
			require.Equal(t, want, string(answer[:12]))
			require.Equal(t, bodyTime, time.Since(begin))
		})
	}
}

func TestReadBody_ItsDeadlineEndsWithTheBody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &server{log: slog.New(slog.DiscardHandler)}
		connection := pipe(t, s.guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, err := readBody(r, 100); err != nil {
				return
			}
			select {
			case <-time.After(2 * bodyTime):
				w.WriteHeader(http.StatusTeapot)
			case <-r.Context().Done():
			}
		})))
		_, err := io.WriteString(connection, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}")
		require.NoError(t, err)
		answer := make([]byte, 12)
		_, err = io.ReadFull(connection, answer)
		require.NoError(t, err)
		require.Equal(t, "HTTP/1.1 418", string(answer), "a deadline that passes later looks like a client that has gone")
	})
}

func TestPublish_AHungStoreIsNoticedSoon(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &server{log: slog.New(slog.DiscardHandler), translate: translate, limits: limitsFor(1000)}
		m := newMemory()
		m.keys["k"] = Key{Scope: ScopePublish, Tenant: "acme"}
		s.gate = newGate(m, nil)
		s.Publisher = slowPublisher{takes: time.Hour}
		begin := time.Now()
		request := httptest.NewRequest("POST", "/v1/events", strings.NewReader(`{"type":"a","data":1}`))
		request.Header.Set("Authorization", "Bearer k")
		recorder := httptest.NewRecorder()
		s.publishOne(recorder, request)
		reply{recorder}.problem(t, Unavailable)
		require.Equal(t, publishTime, time.Since(begin))
	})
}
