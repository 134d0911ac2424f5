package fetch

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/egress"
	"github.com/malotehq/malote/internal/source"
)

func TestMain(m *testing.M) {
	// Nothing obeys it: a call that did would fail.
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"} {
		os.Setenv(name, "http://127.0.0.1:1")
	}
	goleak.VerifyTestMain(m)
}

// host is one that the test server's certificate is for.
const host = "example.com"

// provider is a provider's server, and a fetcher whose connections all go there.
type provider struct {
	*Fetcher
	calls atomic.Int32
	log   strings.Builder
}

func newProvider(t *testing.T, handler http.HandlerFunc) *provider {
	t.Helper()
	p := &provider{}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.calls.Add(1)
		handler(w, r)
	}))
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)
	server.StartTLS()
	t.Cleanup(server.Close)
	p.Fetcher = newFetcher(t, Options{
		RootCAs: server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs,
		Timeout: 5 * time.Second, Log: slog.New(slog.NewTextHandler(&p.log, nil)),
	})
	p.transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		if address != host+":443" {
			return nil, errors.New("another address: " + address)
		}
		return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
	}
	return p
}

func newFetcher(t *testing.T, options Options) *Fetcher {
	t.Helper()
	guard, err := egress.NewGuard(egress.Rules{})
	require.NoError(t, err)
	options.Guard = guard
	return New(options)
}

func newOwner() delivery.ID { return delivery.NewID(1, time.Now(), rand.Reader) }

func certificate(path string) source.Fetch {
	return source.Fetch{Purpose: source.FetchCertificate, Method: "GET", URL: "https://" + host + path, Host: host, Key: path, MaxBytes: 100}
}

func failureOf(t *testing.T, err error) Failure {
	t.Helper()
	failed, ok := errors.AsType[*Error](err)
	require.True(t, ok, "%v", err)
	require.NotEmpty(t, failed.Error())
	return failed.Failure
}

func TestFetch_IsMadeOnceAndKept(t *testing.T) {
	t.Parallel()
	p := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, host, r.Host)
		require.Equal(t, "Malote", r.UserAgent())
		require.Empty(t, r.Header.Get("Accept-Encoding"))
		fmt.Fprint(w, "content of ", r.URL.Path)
	})
	var crowd sync.WaitGroup
	for range 50 {
		crowd.Go(func() {
			content, err := p.Fetch(t.Context(), newOwner(), certificate("/a"))
			require.NoError(t, err)
			require.Equal(t, "content of /a", string(content))
		})
	}
	crowd.Wait()
	require.EqualValues(t, 1, p.calls.Load())
	content, err := p.Fetch(t.Context(), newOwner(), certificate("/b"))
	require.NoError(t, err)
	require.Equal(t, "content of /b", string(content))
}

// What is known already costs an owner nothing; what is not, only so much.
func TestFetch_OwnersHaveAnAllowance(t *testing.T) {
	t.Parallel()
	p := newProvider(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "x") })
	greedy := newOwner()
	for i := range allowanceBurst {
		_, err := p.Fetch(t.Context(), greedy, certificate(fmt.Sprint("/", i)))
		require.NoError(t, err)
	}
	_, err := p.Fetch(t.Context(), greedy, certificate("/more"))
	require.Equal(t, Busy, failureOf(t, err))
	for range 20 {
		_, err = p.Fetch(t.Context(), greedy, certificate("/0"))
		require.NoError(t, err)
	}
	_, err = p.Fetch(t.Context(), newOwner(), certificate("/more"))
	require.NoError(t, err, "others are not concerned, and being busy is not kept")
}

// age makes all content older.
func (c *cache) age(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for at := c.order.Front(); at != nil; at = at.Next() {
		kept := at.Value.(entry)
		kept.since, kept.expires = kept.since.Add(-by), kept.expires.Add(-by)
		at.Value = kept
	}
}

// What a provider really uses is had anew whatever strangers ask for in between,
// and is used until then, but not for ever.
func TestFetch_StrangersDoNotStarveWhatWasGood(t *testing.T) {
	t.Parallel()
	var down atomic.Int32
	p := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case down.Load() != 0:
			w.WriteHeader(int(down.Load()))
		case r.URL.Path == "/good":
			fmt.Fprint(w, "key")
		default:
			w.WriteHeader(404)
		}
	})
	owner := newOwner()
	good := func() error {
		content, err := p.Fetch(t.Context(), owner, certificate("/good"))
		if err == nil {
			require.Equal(t, "key", string(content))
		}
		return err
	}
	require.NoError(t, good())
	for i := range cached + allowanceBurst { // other owners' too
		if i%allowanceBurst == 0 {
			_, err := p.Fetch(t.Context(), owner, certificate(fmt.Sprint("/bogus", i)))
			require.Error(t, err)
		}
		_, err := p.Fetch(t.Context(), newOwner(), certificate(fmt.Sprint("/bogus-", i)))
		require.Error(t, err)
	}
	_, err := p.Fetch(t.Context(), owner, certificate("/bogus-x"))
	require.Equal(t, Busy, failureOf(t, err))
	calls := p.calls.Load()
	require.NoError(t, good(), "it is kept")
	require.Equal(t, calls, p.calls.Load())

	p.good.age(keepContent)
	down.Store(503)
	for range 20 {
		require.NoError(t, good(), "it is used while it cannot be had anew")
	}
	name := nameOf(certificate("/good"))
	require.Eventually(t, func() bool { _, failed := p.failed.get(name); return failed }, 5*time.Second, time.Millisecond)
	require.NoError(t, good())
	require.Equal(t, calls+1, p.calls.Load(), "and is asked for now and then only")
	p.good.age(useContent)
	require.Equal(t, Unavailable, failureOf(t, good()), "not for ever")
	down.Store(0)
	p.failed.drop(name)
	require.NoError(t, good(), "nor does that cost anything")

	p.good.age(keepContent)
	down.Store(404)
	require.NoError(t, good())
	require.Eventually(t, func() bool { _, is := p.good.get(name); return !is }, 5*time.Second, time.Millisecond)
	require.Equal(t, Refused, failureOf(t, good()), "what the provider took back is of no use")
}

func TestFetch_RefusesAddressesBeforeAnythingIsSent(t *testing.T) {
	t.Parallel()
	p := newProvider(t, func(http.ResponseWriter, *http.Request) {})
	for _, address := range []string{
		"http://example.com/a", "https://example.com:8443/a", "https://example.com:443/a", "https://user@example.com/a",
		"https://example.com.evil.net/a", "https://evil.net/example.com", "https://example.com\\@evil.net/", "https://EXAMPLE.com/a",
		"https://169.254.169.254/", "https://[::1]/", "https://example.com./a", "//example.com/a", "", "ftp://example.com/",
		"https://exаmple.com/", "https://example.com%2f@evil.net/",
	} {
		want := certificate("/")
		want.URL = address
		_, err := p.Fetch(t.Context(), newOwner(), want)
		require.Equal(t, NotAllowed, failureOf(t, err), address)
		require.True(t, err.(*Error).Final())
	}
	for _, change := range []func(*source.Fetch){
		func(f *source.Fetch) { f.Host = "" }, func(f *source.Fetch) { f.Host = "www.example.com" },
		func(f *source.Fetch) { f.Method = "DELETE" }, func(f *source.Fetch) { f.Method = "" },
		func(f *source.Fetch) { f.URL, f.Host = "https://169.254.169.254/", "169.254.169.254" },
	} {
		want := certificate("/")
		change(&want)
		_, err := p.Fetch(t.Context(), newOwner(), want)
		require.Equal(t, NotAllowed, failureOf(t, err))
	}
	require.Zero(t, p.calls.Load())
}

// answers is a Resolver that always says the same.
type answers []netip.Addr

func (a answers) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) { return a, nil }

// A name that leads inside the operator's network is not called (G08), whoever's
// name it is.
func TestFetch_Gateway_G08_GoesThroughTheGuard(t *testing.T) {
	t.Parallel()
	for _, addresses := range []answers{
		{netip.MustParseAddr("169.254.169.254")}, {netip.MustParseAddr("127.0.0.1")},
		{netip.MustParseAddr("93.184.216.34"), netip.MustParseAddr("10.0.0.1")},
	} {
		f := newFetcher(t, Options{Resolver: addresses})
		_, err := f.Fetch(t.Context(), newOwner(), certificate("/a"))
		require.Equal(t, Unavailable, failureOf(t, err))
		_, blocked := errors.AsType[*egress.BlockedError](err)
		require.True(t, blocked, "%v", err)
		require.Equal(t, "fetching from example.com: unavailable", err.(*Error).Summary())
	}
}

func TestFetch_Failures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		failure Failure
		final   bool
	}{
		"not there": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }, Refused, true},
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://"+host+"/b", http.StatusFound)
		}, Refused, true},
		"down":      {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }, Unavailable, false},
		"throttled": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(429) }, Unavailable, false},
		"too large": {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, strings.Repeat("x", 101)) }, TooLarge, true},
		"endless": {func(w http.ResponseWriter, _ *http.Request) {
			for range 100_000 {
				if _, err := io.WriteString(w, strings.Repeat("x", 1000)); err != nil {
					return
				}
			}
		}, TooLarge, true},
		"cut off": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "50")
			fmt.Fprint(w, "x")
		}, Unavailable, false},
		"header bomb": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X", strings.Repeat("x", 100<<10))
		}, Unavailable, false},
	} {
		p := newProvider(t, c.handler)
		for range 3 {
			_, err := p.Fetch(t.Context(), newOwner(), certificate("/secret-path?token=abc"))
			require.Equal(t, c.failure, failureOf(t, err), name)
			require.Equal(t, c.final, err.(*Error).Final(), name)
			require.NotContains(t, err.Error(), "secret-path", name)
		}
		require.EqualValues(t, 1, p.calls.Load(), "%s is kept for a while", name)
		require.NotContains(t, p.log.String(), "secret-path", name)
	}
	exactly := newProvider(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, strings.Repeat("x", 100)) })
	content, err := exactly.Fetch(t.Context(), newOwner(), certificate("/a"))
	require.NoError(t, err)
	require.Len(t, content, 100)
}

// Another machine's certificate proves nothing.
func TestFetch_HoldsTheHostToItsCertificate(t *testing.T) {
	t.Parallel()
	p := newProvider(t, func(http.ResponseWriter, *http.Request) {})
	p.transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		server := httptest.NewTLSServer(http.NotFoundHandler())
		t.Cleanup(server.Close)
		server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)
		return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
	}
	want := certificate("/a")
	want.URL, want.Host = "https://api.paypal.com/a", "api.paypal.com"
	_, err := p.Fetch(t.Context(), newOwner(), want)
	require.Equal(t, Unavailable, failureOf(t, err))
	require.ErrorContains(t, err, "certificate")
}

func TestFetch_IsBoundedInTime(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	p := newProvider(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	t.Cleanup(func() { close(release) })
	p.timeout = 50 * time.Millisecond
	_, err := p.Fetch(t.Context(), newOwner(), certificate("/a"))
	require.Equal(t, Unavailable, failureOf(t, err))
	began := time.Now()
	_, err = p.Fetch(t.Context(), newOwner(), certificate("/a"))
	require.Equal(t, Unavailable, failureOf(t, err))
	require.Less(t, time.Since(began), 40*time.Millisecond, "nobody waits for it again so soon")

	p.timeout = 5 * time.Second
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = p.Fetch(ctx, newOwner(), certificate("/b"))
	require.ErrorIs(t, err, context.Canceled)
}

// Only so many calls are under way: what comes on top is told so at once.
func TestFetch_IsBoundedInNumber(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	p := newProvider(t, func(http.ResponseWriter, *http.Request) { <-release })
	var crowd sync.WaitGroup
	for i := range atOnce {
		crowd.Go(func() {
			_, err := p.Fetch(t.Context(), newOwner(), certificate(fmt.Sprint("/", i)))
			require.NoError(t, err)
		})
	}
	require.Eventually(t, func() bool { return len(p.slots) == atOnce }, 5*time.Second, time.Millisecond)
	_, err := p.Fetch(t.Context(), newOwner(), certificate("/more"))
	require.Equal(t, Busy, failureOf(t, err))
	close(release)
	crowd.Wait()
	_, err = p.Fetch(t.Context(), newOwner(), certificate("/more"))
	require.NoError(t, err)
}

// A key is asked for with an owner's credentials: what one's were answered is not
// what another's would be.
func TestFetch_CredentialsTellKeysApart(t *testing.T) {
	t.Parallel()
	p := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		require.Equal(t, "application/json", r.Header.Get("Content-Type"))
		require.Equal(t, "POST", r.Method)
		if string(body) != "good" {
			w.WriteHeader(400)
			return
		}
		fmt.Fprint(w, "key")
	})
	want := certificate("/keys")
	want.Purpose, want.Method, want.Body = source.FetchKey, "POST", []byte("bad")
	_, err := p.Fetch(t.Context(), newOwner(), want)
	require.Equal(t, Refused, failureOf(t, err))
	want.Body = []byte("good")
	content, err := p.Fetch(t.Context(), newOwner(), want)
	require.NoError(t, err)
	require.Equal(t, "key", string(content))
	require.NotContains(t, p.log.String(), "bad")
}

// A subscription that is asked for again is confirmed again.
func TestFetch_ConfirmationsAreNotKept(t *testing.T) {
	t.Parallel()
	p := newProvider(t, func(http.ResponseWriter, *http.Request) {})
	want := certificate("/?Action=ConfirmSubscription")
	want.Purpose = source.FetchSubscription
	for range 2 {
		_, err := p.Fetch(t.Context(), newOwner(), want)
		require.NoError(t, err)
	}
	require.EqualValues(t, 2, p.calls.Load())
}
