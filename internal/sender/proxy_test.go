package sender

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/egress"
)

// throughProxy is a sender in production's rules, with a proxy on loopback: the
// operator's word for it is enough.
func throughProxy(t *testing.T, address string) *Sender {
	t.Helper()
	guard, err := egress.NewGuard(egress.Rules{})
	require.NoError(t, err)
	sender := New(Options{Guard: guard, Proxy: &url.URL{Scheme: "http", Host: address}})
	t.Cleanup(sender.Close)
	return sender
}

func TestSend_ThroughTheProxyThatWasConfigured(t *testing.T) {
	t.Parallel()
	proxy := serve(t, once(ok))
	outcome := send(t, throughProxy(t, proxy.address), claimFor("http://hooks.example.com/a"), standard(patient))
	require.Equal(t, 200, outcome.Status, "%+v", outcome)
	require.Equal(t, "POST http://hooks.example.com/a HTTP/1.1", proxy.request(t, 0).line)
}

func TestSend_D13_ProxyDoesNotOpenForbiddenURLs(t *testing.T) {
	t.Parallel()
	proxy := serve(t, once(ok))
	outcome := send(t, throughProxy(t, proxy.address), claimFor("http://127.0.0.1/"), standard(patient))
	require.Equal(t, delivery.URLNotAllowed, outcome.Error)
	conns, _ := proxy.seen()
	require.Zero(t, conns)
}

func TestSend_ProxyFaults(t *testing.T) {
	t.Parallel()
	silent := serve(t, (*peer).hold)
	denying := serve(t, func(p *peer) {
		if _, err := p.takeHead(); err == nil {
			p.say("HTTP/1.1 403 Forbidden\r\n\r\n")
		}
	})
	for name, c := range map[string]struct {
		address string
		code    delivery.ErrorCode
	}{
		"refused": {"127.0.0.1:1", delivery.Connect},
		"denies":  {denying.address, delivery.Connect},
		"silent":  {silent.address, delivery.Timeout},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			outcome := send(t, throughProxy(t, c.address), claimFor("https://hooks.example.com/"), standard(hasty))
			require.Equal(t, c.code, outcome.Error, "%+v", outcome)
		})
	}
}
