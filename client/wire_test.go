package client_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/client"
)

const key = "mlt_0123456789abcdef"

// wire carries requests to a function instead of a network, and notes them.
type wire struct {
	answer func(n int, r sent) (*http.Response, error) // n counts from 1

	mu   sync.Mutex
	sent []sent
}

type sent struct {
	method, path, query, body string
	header                    http.Header
	whole                     *http.Request
}

// RoundTrip implements http.RoundTripper.
func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err := errors.Join(err, r.Context().Err()); err != nil {
		return nil, err
	}
	w.mu.Lock()
	request := sent{r.Method, r.URL.EscapedPath(), r.URL.RawQuery, string(body), r.Header, r}
	w.sent = append(w.sent, request)
	n := len(w.sent)
	w.mu.Unlock()
	return w.answer(n, request)
}

func (w *wire) seen() []sent {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]sent(nil), w.sent...)
}

// over makes a client whose requests go over a wire.
func over(t testing.TB, answer func(n int, r sent) (*http.Response, error), options ...client.Option) (*client.Client, *wire) {
	t.Helper()
	w := &wire{answer: answer}
	c, err := client.New("https://malote.example/api/", key, append([]client.Option{client.WithTransport(w)}, options...)...)
	require.NoError(t, err)
	return c, w
}

// always gives every request the same answer.
func always(status int, body string, header ...string) func(int, sent) (*http.Response, error) {
	return func(int, sent) (*http.Response, error) { return answer(status, body, header...), nil }
}

func answer(status int, body string, header ...string) *http.Response {
	r := &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
	r.Header.Set("Content-Type", "application/json")
	if status >= 300 {
		r.Header.Set("Content-Type", "application/problem+json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return r
}

const unavailable = `{"code":"unavailable","title":"Service Unavailable","status":503,"detail":"The database is away."}`
