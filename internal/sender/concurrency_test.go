package sender

import (
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// echo is a well-behaved server: it answers 500 with the request's body.
func echo(t testing.TB) string {
	t.Helper()
	return httpServer(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = w.Write(body)
	})
}

func httpServer(t testing.TB, handler http.HandlerFunc) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := &http.Server{Handler: handler}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener)
	}()
	t.Cleanup(func() {
		server.Close()
		<-done
	})
	return "http://" + listener.Addr().String() + "/hook"
}

// Many attempts at once through one sender: each gets its own answer.
func TestSend_Concurrent(t *testing.T) {
	t.Parallel()
	const senders, each = 300, 5
	sender, url, p := newSender(t, Options{}), echo(t), standard(30*time.Second)
	var attempts sync.WaitGroup
	for i := range senders {
		attempts.Go(func() {
			for j := range each {
				claim := claimFor(url)
				claim.Event.Body = strconv.AppendInt(nil, int64(i*each+j), 10)
				outcome := sender.Send(t.Context(), claim, p, time.Now())
				assertEqual(t, 500, outcome.Status)
				assertEqual(t, string(claim.Event.Body), string(outcome.Response))
			}
		})
	}
	attempts.Wait()
}

func BenchmarkSend(b *testing.B) {
	url := httpServer(b, func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) })
	sender, claim, p := newSender(b, Options{}), claimFor(url), standard(patient)
	b.ReportAllocs()
	for b.Loop() {
		if outcome := sender.Send(b.Context(), claim, p, time.Now()); outcome.Status != 200 {
			b.Fatalf("%+v", outcome)
		}
	}
}

// BenchmarkSend_Parallel has as many attempts in flight as one process by
// default (F05).
func BenchmarkSend_Parallel(b *testing.B) {
	url := httpServer(b, func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) })
	sender, claim, p := newSender(b, Options{}), claimFor(url), standard(patient)
	b.ReportAllocs()
	b.SetParallelism(32)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if outcome := sender.Send(b.Context(), claim, p, time.Now()); outcome.Status != 200 {
				b.Errorf("%+v", outcome)
				return
			}
		}
	})
}

// BenchmarkRequest is what Malote itself does for an attempt: check the URL, sign,
// put the headers together.
func BenchmarkRequest(b *testing.B) {
	sender, claim, p, now := newSender(b, Options{}), claimFor("https://hooks.example.com/malote"), standard(patient), time.Now()
	b.ReportAllocs()
	for b.Loop() {
		if _, refused := sender.request(claim, p, now); refused != nil {
			b.Fatal(refused.text)
		}
	}
}

// BenchmarkBare is the floor: the same POST without Malote.
func BenchmarkBare(b *testing.B) {
	url := httpServer(b, func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) })
	transport := &http.Transport{}
	b.Cleanup(transport.CloseIdleConnections)
	body := string(claimFor(url).Event.Body)
	b.ReportAllocs()
	for b.Loop() {
		request, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		response, err := transport.RoundTrip(request)
		if err != nil {
			b.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, response.Body)
		response.Body.Close()
	}
}
