package sender

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/webhook"
)

// lookup is a resolver made of a function.
type lookup func(ctx context.Context, host string) ([]netip.Addr, error)

func (l lookup) LookupNetIP(ctx context.Context, _, host string) ([]netip.Addr, error) {
	return l(ctx, host)
}

func answers(addresses ...string) lookup {
	return func(context.Context, string) ([]netip.Addr, error) {
		var found []netip.Addr
		for _, address := range addresses {
			found = append(found, netip.MustParseAddr(address))
		}
		return found, nil
	}
}

func fails(err error) lookup {
	return func(context.Context, string) ([]netip.Addr, error) { return nil, err }
}

func TestSend_D13_URLNoLongerAllowed(t *testing.T) {
	t.Parallel()
	sender := newSender(t, Options{Resolver: fails(errors.New("nothing may be looked up"))})
	for _, target := range []string{
		"http://10.0.0.1/", "http://[::1]/", "http://①②⑦.⓪.⓪.①/", "http://2130706433/", "http://127.1/",
		"https://user:pass@hooks.example.com/", "https://hooks.example.com:22/", "ftp://hooks.example.com/", "", "https://printer.local/",
	} {
		outcome := send(t, sender, claimFor(target), standard(patient))
		require.Equal(t, delivery.URLNotAllowed, outcome.Error, target)
	}
}

func TestSend_G08_D13_BlockedAddress(t *testing.T) {
	t.Parallel()
	for name, addresses := range map[string][]string{
		"metadata":     {"169.254.169.254"},
		"private":      {"10.1.2.3"},
		"v4-mapped":    {"::ffff:10.1.2.3"},
		"mixed answer": {"93.184.216.34", "10.1.2.3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sender := newSender(t, Options{Resolver: answers(addresses...)}, 443)
			outcome := send(t, sender, claimFor("https://hooks.example.com/"), standard(patient))
			require.Equal(t, delivery.BlockedAddress, outcome.Error)
			require.NotContains(t, outcome.ErrorText, "10.1.2.3", "where an inside name points is nobody's business")
			require.NotContains(t, outcome.ErrorText, "169.254")
		})
	}
}

// The name is looked up once, and goes on as Host.
func TestSend_G08_PinsTheAddressAndKeepsTheHost(t *testing.T) {
	t.Parallel()
	var lookups atomic.Int32
	receiver := serve(t, always(ok))
	resolver := lookup(func(ctx context.Context, host string) ([]netip.Addr, error) {
		lookups.Add(1)
		return answers("127.0.0.1")(ctx, host)
	})
	sender := newSender(t, Options{Resolver: resolver}, receiver.port)
	outcome := send(t, sender, claimFor(receiver.named("hooks.example.com")), standard(patient))
	require.Equal(t, 200, outcome.Status, "%+v", outcome)
	require.EqualValues(t, 1, lookups.Load())
	require.Contains(t, receiver.request(t, 0).fields, fmt.Sprintf("Host: hooks.example.com:%d", receiver.port))
}

func TestSend_DNSFaults(t *testing.T) {
	t.Parallel()
	notFound := &net.DNSError{Err: "no such host", Name: "hooks.example.com", IsNotFound: true}
	broken := &net.DNSError{Err: "server misbehaving", Name: "hooks.example.com", Server: "10.9.9.9:53", IsTemporary: true}
	slow := &net.DNSError{Err: "i/o timeout", Name: "hooks.example.com", Server: "10.9.9.9:53", IsTimeout: true}
	for name, resolver := range map[string]lookup{
		"NXDOMAIN": fails(notFound), "SERVFAIL": fails(broken), "resolver's own time-out": fails(slow), "empty": answers(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			outcome := send(t, newSender(t, Options{Resolver: resolver}), claimFor("https://hooks.example.com/"), standard(patient))
			require.Equal(t, delivery.DNS, outcome.Error, "%+v", outcome)
			require.Contains(t, outcome.ErrorText, "hooks.example.com")
			require.NotContains(t, outcome.ErrorText, "10.9.9.9", "the operator's name servers are nobody's business")
		})
	}
}

// A name that changes its mind is checked anew for every connection.
func TestSend_G08_FlippingName(t *testing.T) {
	t.Parallel()
	var lookups atomic.Int32
	receiver := serve(t, parting("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"))
	resolver := lookup(func(ctx context.Context, host string) ([]netip.Addr, error) {
		if lookups.Add(1)%2 == 1 {
			return answers("127.0.0.1")(ctx, host)
		}
		return answers("10.1.2.3")(ctx, host)
	})
	sender := newSender(t, Options{Resolver: resolver}, receiver.port)
	for _, want := range []delivery.ErrorCode{"", delivery.BlockedAddress, "", delivery.BlockedAddress} {
		require.Equal(t, want, send(t, sender, claimFor(receiver.named("hooks.example.com")), standard(patient)).Error)
	}
}

func TestSend_D13_NothingIsSentUnsigned(t *testing.T) {
	t.Parallel()
	_, public := webhook.GenerateKeyPair()
	private, _ := webhook.GenerateKeyPair()
	for name, secrets := range map[string][]delivery.Secret{
		"none":        nil,
		"expired":     {newSecret(webhook.GenerateSecret(), time.Now().Add(-time.Second))},
		"unreadable":  {{Value: "whsec_!"}},
		"too short":   {{Value: "whsec_c2hvcnQ="}},
		"public half": {newSecret(public, time.Time{})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			receiver := serve(t, always(ok))
			claim := claimFor(receiver.url())
			claim.Endpoint.Secrets = secrets
			outcome := send(t, newSender(t, Options{}), claim, standard(patient))
			require.Equal(t, delivery.NoSecret, outcome.Error)
			conns, _ := receiver.seen()
			require.Zero(t, conns)
		})
	}
	t.Run("no secret of the scheme", func(t *testing.T) {
		t.Parallel()
		claim := claimFor("http://127.0.0.1:1/")
		claim.Endpoint.Secrets = []delivery.Secret{newSecret(private, time.Time{})}
		require.Equal(t, delivery.NoSecret, send(t, newSender(t, Options{}), claim, fairQueue(patient)).Error)
	})
}

func TestSend_F02_S01_R02_D01_RedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	elsewhere := serve(t, always(ok))
	for _, status := range []int{300, 301, 302, 303, 304, 305, 307, 308} {
		answer := fmt.Sprintf("HTTP/1.1 %d Moved\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n", status, elsewhere.url())
		receiver := serve(t, always(answer))
		p := standard(patient)
		outcome := send(t, newSender(t, Options{}), claimFor(receiver.url()), p)
		require.Equal(t, status, outcome.Status)
		require.False(t, p.Succeeds(outcome))
	}
	conns, _ := elsewhere.seen()
	require.Zero(t, conns)
}

func TestSend_KeepsNeitherCookiesNorAlternatives(t *testing.T) {
	t.Parallel()
	elsewhere := serve(t, always(ok))
	receiver := serve(t, always("HTTP/1.1 200 OK\r\nSet-Cookie: session=1; Path=/\r\nAlt-Svc: http/1.1=\""+elsewhere.address+
		"\"; persist=1\r\nRefresh: 0; url="+elsewhere.url()+"\r\nContent-Length: 0\r\n\r\n"))
	sender := newSender(t, Options{})
	for range 2 {
		require.Equal(t, 200, send(t, sender, claimFor(receiver.url()), standard(patient)).Status)
	}
	require.Empty(t, receiver.request(t, 1).header.Get("Cookie"))
	conns, _ := elsewhere.seen()
	require.Zero(t, conns)
}

// The environment's proxy variables are set during all tests; the name is
// one that they would apply to.
func TestSend_IgnoresTheEnvironmentsProxy(t *testing.T) {
	t.Parallel()
	receiver := serve(t, always(ok))
	sender := newSender(t, Options{Resolver: answers("127.0.0.1")}, receiver.port)
	target, err := url.Parse(receiver.named("hooks.example.com"))
	require.NoError(t, err)
	through, err := http.ProxyFromEnvironment(&http.Request{URL: target})
	require.NoError(t, err)
	require.NotNil(t, through, "the environment names no proxy, so this proves nothing")

	require.Equal(t, 200, send(t, sender, claimFor(target.String()), standard(patient)).Status)
	require.Zero(t, proxyCalls.Load())
}
