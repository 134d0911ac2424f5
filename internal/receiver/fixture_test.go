package receiver_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/malotehq/malote/internal/receiver"
	"github.com/malotehq/malote/webhook"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// fixture is a receiver that is being served, and a sender that knows its secret.
type fixture struct {
	*receiver.Receiver
	t      *testing.T
	url    string
	secret webhook.Secret
	stop   func() error
	out    *lockedBuffer
	client *http.Client
}

type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func newFixture(t *testing.T, options receiver.Options) *fixture {
	t.Helper()
	f := &fixture{t: t, secret: webhook.GenerateSecret(), out: &lockedBuffer{}}
	if options.Verifier == nil {
		verifier, err := webhook.NewVerifier([]webhook.Secret{f.secret})
		require.NoError(t, err)
		options.Verifier = verifier
	}
	options.Out = f.out
	f.serve(receiver.New(options))
	return f
}

func newUnverified(t *testing.T) *fixture {
	f := &fixture{t: t, secret: webhook.GenerateSecret(), out: &lockedBuffer{}}
	f.serve(receiver.New(receiver.Options{Out: f.out}))
	return f
}

func (f *fixture) serve(rc *receiver.Receiver) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(f.t, err)
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- receiver.ServeHandler(ctx, listener, rc) }()
	f.Receiver, f.url = rc, "http://"+listener.Addr().String()
	f.client = &http.Client{
		Transport:     &http.Transport{},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	f.stop = sync.OnceValue(func() error {
		cancel()
		f.client.CloseIdleConnections()
		return <-served
	})
	f.t.Cleanup(func() { require.NoError(f.t, f.stop()) })
}

// request is a signed webhook; change it before it is sent.
func (f *fixture) request(id, body string) *http.Request {
	request, err := http.NewRequestWithContext(f.t.Context(), http.MethodPost, f.url, bytes.NewReader([]byte(body)))
	require.NoError(f.t, err)
	now := time.Now()
	signature, err := webhook.Sign(id, now, []byte(body), f.secret)
	require.NoError(f.t, err)
	request.Header.Set(webhook.HeaderID, id)
	request.Header.Set(webhook.HeaderTimestamp, strconv.FormatInt(now.Unix(), 10))
	request.Header.Set(webhook.HeaderSignature, signature)
	request.Header.Set(webhook.HeaderAttempt, "3")
	return request
}

func (f *fixture) send(request *http.Request) (*http.Response, string) {
	response, err := f.client.Do(request)
	require.NoError(f.t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(f.t, err)
	return response, string(body)
}

func (f *fixture) post(id, body string) (*http.Response, string) {
	return f.send(f.request(id, body))
}
