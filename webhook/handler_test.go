package webhook_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/webhook"
)

// seen collects what a handler's observer is told.
type seen struct {
	mu  sync.Mutex
	all []webhook.Observation
}

func (s *seen) observe(_ context.Context, o webhook.Observation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, o)
}

func (s *seen) last(t testing.TB) webhook.Observation {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	require.NotEmpty(t, s.all)
	return s.all[len(s.all)-1]
}

func genuine(t testing.TB, id, body string) *http.Request {
	t.Helper()
	signature, err := webhook.Sign(id, specTime, []byte(body), mustParse(t, specSecret))
	require.NoError(t, err)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/hooks", strings.NewReader(body))
	r.Header = headers(id, specTime, signature)
	return r
}

func serve(handler http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

func requireProblem(t testing.TB, w *httptest.ResponseRecorder, status int, code string) {
	t.Helper()
	require.Equal(t, status, w.Code)
	require.Equal(t, "application/problem+json", w.Header().Get("Content-Type"))
	var problem struct {
		Type, Title, Detail, Code string
		Status                    int
	}
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &problem))
	require.Equal(t, code, problem.Code)
	require.Equal(t, status, problem.Status)
	require.NotEmpty(t, problem.Title)
	require.NotEmpty(t, problem.Detail)
}

func accept(context.Context, webhook.Message) error { return nil }

func TestHandler_HandlesOnceAndAnswersDuplicatesWith200(t *testing.T) {
	t.Parallel()
	var got []webhook.Message
	var observed seen
	handler := webhook.Handler(newVerifier(t, specSecret), func(_ context.Context, m webhook.Message) error {
		got = append(got, m)
		return nil
	}, webhook.WithObserver(observed.observe))
	body := "{\"emoji\":\"😀\\u0000\",\"n\":12345678901234567890}\n"

	w := serve(handler, genuine(t, "evt_1", body))
	require.Equal(t, http.StatusOK, w.Code)
	require.JSONEq(t, `{"id":"evt_1","duplicate":false}`, w.Body.String())
	require.Equal(t, webhook.OutcomeHandled, observed.last(t).Outcome)

	w = serve(handler, genuine(t, "evt_1", body))
	require.Equal(t, http.StatusOK, w.Code)
	require.JSONEq(t, `{"id":"evt_1","duplicate":true}`, w.Body.String())
	require.Equal(t, webhook.OutcomeDuplicate, observed.last(t).Outcome)
	require.Equal(t, "evt_1", observed.last(t).Message.ID)

	require.Len(t, got, 1)
	require.Equal(t, body, string(got[0].Body))
}

func TestHandler_Refuses(t *testing.T) {
	t.Parallel()
	handle := func(context.Context, webhook.Message) error {
		t.Error("a refused request was handled")
		return nil
	}
	var observed seen
	handler := webhook.Handler(newVerifier(t, specSecret), handle, webhook.WithMaxBody(64), webhook.WithObserver(observed.observe))
	for name, c := range map[string]struct {
		change func(*http.Request)
		status int
		code   string
	}{
		"GET":             {func(r *http.Request) { r.Method = http.MethodGet }, 405, "method_not_allowed"},
		"no headers":      {func(r *http.Request) { clear(r.Header) }, 400, "missing_header"},
		"bad timestamp":   {func(r *http.Request) { r.Header.Set("webhook-timestamp", "x") }, 400, "malformed"},
		"old":             {func(r *http.Request) { r.Header.Set("webhook-timestamp", "1614265029") }, 401, "stale"},
		"ahead":           {func(r *http.Request) { r.Header.Set("webhook-timestamp", "1614265631") }, 401, "future"},
		"wrong signature": {func(r *http.Request) { r.Header.Set("webhook-id", "evt_2") }, 401, "bad_signature"},
		"other body":      {func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader("{}")) }, 401, "bad_signature"},
		"large, declared": {func(r *http.Request) { r.ContentLength = 65 }, 413, "body_too_large"},
		"large, chunked": {func(r *http.Request) {
			r.ContentLength = -1
			r.Body = io.NopCloser(strings.NewReader(strings.Repeat("x", 65)))
		}, 413, "body_too_large"},
		"broken off": {func(r *http.Request) { r.Body = io.NopCloser(&brokenBody{}) }, 400, "body_unreadable"},
	} {
		r := genuine(t, "evt_1", "{\"a\":1}")
		c.change(r)
		w := serve(handler, r)
		requireProblem(t, w, c.status, c.code)
		o := observed.last(t)
		require.Equal(t, webhook.OutcomeRefused, o.Outcome, name)
		require.Equal(t, c.status, o.Status, name)
		require.Error(t, o.Err, name)
		require.Empty(t, o.Message, name)
	}
	w := serve(handler, httptest.NewRequestWithContext(t.Context(), http.MethodPut, "/", nil))
	require.Equal(t, http.MethodPost, w.Header().Get("Allow"))

	exact := strings.Repeat("x", 64)
	w = serve(webhook.Handler(newVerifier(t, specSecret), accept, webhook.WithMaxBody(64)), genuine(t, "evt_1", exact))
	require.Equal(t, http.StatusOK, w.Code)
}

type brokenBody struct{}

func (*brokenBody) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// A body is not read for a request whose headers are refused already.
func TestHandler_ChecksHeadersBeforeTheBody(t *testing.T) {
	t.Parallel()
	handler := webhook.Handler(newVerifier(t, specSecret), accept, webhook.WithObserver((&seen{}).observe))
	r := genuine(t, "evt_1", "x")
	r.Header.Del(webhook.HeaderSignature)
	r.Body = io.NopCloser(readerFunc(func([]byte) (int, error) {
		t.Error("the body was read")
		return 0, io.EOF
	}))
	requireProblem(t, serve(handler, r), 400, "missing_header")
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestHandler_DefaultCapIsOneMiB(t *testing.T) {
	t.Parallel()
	handler := webhook.Handler(newVerifier(t, specSecret), accept, webhook.WithObserver((&seen{}).observe))
	body := strings.Repeat("x", 1<<20)
	require.Equal(t, http.StatusOK, serve(handler, genuine(t, "evt_1", body)).Code)
	requireProblem(t, serve(handler, genuine(t, "evt_2", body+"x")), 413, "body_too_large")
}

func TestHandler_AFailureLeavesTheIDFree(t *testing.T) {
	t.Parallel()
	broken := errors.New("the database is on fire")
	var next error
	var observed seen
	calls := 0
	handler := webhook.Handler(newVerifier(t, specSecret), func(context.Context, webhook.Message) error {
		calls++
		return next
	}, webhook.WithObserver(observed.observe))

	for _, c := range []struct {
		err        error
		status     int
		retryAfter string
	}{
		{broken, 500, ""},
		{&webhook.StatusError{Status: 429, RetryAfter: 1500 * time.Millisecond, Err: broken}, 429, "2"},
		{errors.Join(broken, &webhook.StatusError{Status: 410}), 410, ""},
		{&webhook.StatusError{Status: 200, Err: broken}, 500, ""},
		{&webhook.StatusError{Status: 600, RetryAfter: time.Minute}, 500, "60"},
		{nil, 200, ""},
	} {
		next = c.err
		w := serve(handler, genuine(t, "evt_1", "{}"))
		require.Equal(t, c.status, w.Code)
		require.Equal(t, c.retryAfter, w.Header().Get("Retry-After"))
		require.NotContains(t, w.Body.String(), "fire")
		if c.err != nil {
			requireProblem(t, w, c.status, "handler_failed")
			require.ErrorIs(t, observed.last(t).Err, c.err)
			require.Equal(t, webhook.OutcomeFailed, observed.last(t).Outcome)
			require.Equal(t, "evt_1", observed.last(t).Message.ID)
		}
	}
	require.Equal(t, 6, calls)
	serve(handler, genuine(t, "evt_1", "{}"))
	require.Equal(t, 6, calls, "handled, so not again")
}

func TestHandler_APanicLeavesTheIDFree(t *testing.T) {
	t.Parallel()
	panics := true
	handler := webhook.Handler(newVerifier(t, specSecret), func(context.Context, webhook.Message) error {
		if panics {
			panic(http.ErrAbortHandler)
		}
		return nil
	})
	require.PanicsWithError(t, http.ErrAbortHandler.Error(), func() { serve(handler, genuine(t, "evt_1", "{}")) })
	panics = false
	require.JSONEq(t, `{"id":"evt_1","duplicate":false}`, serve(handler, genuine(t, "evt_1", "{}")).Body.String())
}

// 24 requests with one id over real connections: the first is handled, whoever
// comes meanwhile is told to come again, whoever comes later gets 200.
func TestHandler_ConcurrentDuplicates(t *testing.T) {
	t.Parallel()
	var calls, busy atomic.Int32
	var observed seen
	release := make(chan struct{})
	server := httptest.NewServer(webhook.Handler(newVerifier(t, specSecret), func(context.Context, webhook.Message) error {
		calls.Add(1)
		<-release
		return nil
	}, webhook.WithObserver(observed.observe)))
	defer server.Close()
	post := func() *http.Response {
		r := genuine(t, "evt_1", specBody)
		out, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader(specBody))
		if err != nil {
			t.Error(err)
			return nil
		}
		out.Header = r.Header
		w, err := server.Client().Do(out)
		if err != nil {
			t.Error(err)
			return nil
		}
		_ = w.Body.Close()
		return w
	}
	var wait sync.WaitGroup
	for range 24 {
		wait.Go(func() {
			switch w := post(); {
			case w == nil:
			case w.StatusCode == http.StatusServiceUnavailable && w.Header.Get("Retry-After") == "5":
				if busy.Add(1) == 23 {
					close(release)
				}
			case w.StatusCode != http.StatusOK:
				t.Errorf("status %d", w.StatusCode)
			}
		})
	}
	wait.Wait()
	require.EqualValues(t, 1, calls.Load())
	require.EqualValues(t, 23, busy.Load())
	require.Equal(t, webhook.OutcomeHandled, observed.last(t).Outcome)
	for _, o := range observed.all[:23] {
		require.Equal(t, webhook.OutcomeBusy, o.Outcome)
		require.ErrorIs(t, o.Err, webhook.ErrBeingHandled)
	}
	require.Equal(t, http.StatusOK, post().StatusCode)
	require.EqualValues(t, 1, calls.Load())
}

// faultyStore fails where it is told to.
type faultyStore struct {
	claim, keep, release error
	settled              []string
	ctx                  context.Context
}

func (s *faultyStore) Claim(context.Context, string) (webhook.Claim, error) { return s, s.claim }

func (s *faultyStore) Keep(ctx context.Context) error {
	s.settled, s.ctx = append(s.settled, "kept"), ctx
	return errors.Join(s.keep, ctx.Err())
}

func (s *faultyStore) Release(ctx context.Context) error {
	s.settled, s.ctx = append(s.settled, "released"), ctx
	return errors.Join(s.release, ctx.Err())
}

func TestHandler_StoreFaults(t *testing.T) {
	t.Parallel()
	broken, mine := errors.New("store"), errors.New("mine")
	for name, c := range map[string]struct {
		store   faultyStore
		handle  error
		status  int
		outcome webhook.Outcome
		settled []string
		err     error
	}{
		"cannot tell":    {faultyStore{claim: broken}, nil, 503, webhook.OutcomeFailed, nil, broken},
		"cannot keep":    {faultyStore{keep: broken}, nil, 200, webhook.OutcomeHandled, []string{"kept"}, broken},
		"cannot release": {faultyStore{release: broken}, mine, 500, webhook.OutcomeFailed, []string{"released"}, broken},
		"sound":          {faultyStore{}, nil, 200, webhook.OutcomeHandled, []string{"kept"}, nil},
		"not committed": {faultyStore{keep: fmt.Errorf("mine: %w", webhook.ErrNotCommitted)}, nil, 500, webhook.OutcomeFailed,
			[]string{"kept", "released"}, webhook.ErrNotCommitted},
	} {
		var observed seen
		handler := webhook.Handler(newVerifier(t, specSecret), func(context.Context, webhook.Message) error { return c.handle },
			webhook.WithSeen(&c.store), webhook.WithObserver(observed.observe))
		w := serve(handler, genuine(t, "evt_1", "{}"))
		require.Equal(t, c.status, w.Code, name)
		require.Equal(t, c.outcome, observed.last(t).Outcome, name)
		require.Equal(t, c.settled, c.store.settled, name)
		require.ErrorIs(t, observed.last(t).Err, c.err, name)
		if c.status == 503 {
			requireProblem(t, w, 503, "store_unavailable")
			require.Equal(t, "5", w.Header().Get("Retry-After"))
		}
	}
}

// Whoever handles a webhook finds its claim, and nobody else does.
func TestHandler_HandsOnTheClaim(t *testing.T) {
	t.Parallel()
	var store faultyStore
	handler := webhook.Handler(newVerifier(t, specSecret), func(ctx context.Context, _ webhook.Message) error {
		claim, ok := webhook.ClaimFrom(ctx)
		require.True(t, ok)
		require.Same(t, &store, claim)
		return nil
	}, webhook.WithSeen(&store))
	require.Equal(t, http.StatusOK, serve(handler, genuine(t, "evt_1", "{}")).Code)
	_, ok := webhook.ClaimFrom(t.Context())
	require.False(t, ok)
}

// A sender that hangs up ends the handler's context, never the bookkeeping.
func TestHandler_SettlesAfterTheSenderHungUp(t *testing.T) {
	t.Parallel()
	for _, handled := range []error{nil, context.Canceled} {
		ctx, hangUp := context.WithCancel(t.Context())
		var store faultyStore
		var observed seen
		handler := webhook.Handler(newVerifier(t, specSecret), func(ctx context.Context, _ webhook.Message) error {
			hangUp()
			<-ctx.Done()
			return handled
		}, webhook.WithSeen(&store), webhook.WithObserver(observed.observe))
		serve(handler, genuine(t, "evt_1", "{}").WithContext(ctx))
		require.Len(t, store.settled, 1)
		_, bounded := store.ctx.Deadline()
		require.True(t, bounded)
		require.ErrorIs(t, observed.last(t).Err, handled)
		if handled == nil {
			require.Equal(t, []string{"kept"}, store.settled)
		}
	}
}
