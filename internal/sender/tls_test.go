package sender

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

const host = "hooks.example.com"

// authority is a certificate authority of one test.
type authority struct {
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
	pool *x509.CertPool
}

func newAuthority(t testing.TB) *authority {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	key, cert := certify(t, template, nil, nil)
	a := &authority{key: key, cert: cert, pool: x509.NewCertPool()}
	a.pool.AddCert(cert)
	return a
}

func certify(t testing.TB, template, parent *x509.Certificate, signer *ecdsa.PrivateKey) (*ecdsa.PrivateKey, *x509.Certificate) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return key, cert
}

// server returns the configuration of a server with a certificate for name.
func (a *authority) server(t testing.TB, name string, expires time.Time) *tls.Config {
	t.Helper()
	key, cert := certify(t, &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: expires,
	}, a.cert, a.key)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{cert.Raw}, PrivateKey: key}}}
}

func selfSigned(t testing.TB) *tls.Config {
	t.Helper()
	key, cert := certify(t, &x509.Certificate{
		SerialNumber: big.NewInt(3), DNSNames: []string{host},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}, nil, nil)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{cert.Raw}, PrivateKey: key}}}
}

func with(config *tls.Config, change func(*tls.Config)) *tls.Config {
	change(config)
	return config
}

func TestSend_D01_TLSFaults(t *testing.T) {
	t.Parallel()
	ca, later := newAuthority(t), time.Now().Add(time.Hour)
	good := func() *tls.Config { return ca.server(t, host, later) }
	for name, c := range map[string]struct {
		config *tls.Config
		code   delivery.ErrorCode
		text   string
	}{
		"good":                     {good(), "", ""},
		"TLS 1.2":                  {with(good(), func(c *tls.Config) { c.MaxVersion = tls.VersionTLS12 }), "", ""},
		"client certificate asked": {with(good(), func(c *tls.Config) { c.ClientAuth = tls.RequestClientCert }), "", ""},
		"client certificate needed": {
			with(good(), func(c *tls.Config) { c.ClientAuth = tls.RequireAnyClientCert }), delivery.TLS, "certificate required",
		},
		"client certificate needed, TLS 1.2": {with(good(), func(c *tls.Config) {
			c.ClientAuth, c.MaxVersion = tls.RequireAnyClientCert, tls.VersionTLS12
		}), delivery.TLS, "handshake"},
		"expired":     {ca.server(t, host, time.Now().Add(-time.Hour)), delivery.TLS, "expired"},
		"wrong host":  {ca.server(t, "other.example.com", later), delivery.TLS, "another host name"},
		"self-signed": {selfSigned(t), delivery.TLS, "unknown authority"},
		"TLS 1.1":     {with(good(), func(c *tls.Config) { c.MinVersion, c.MaxVersion = tls.VersionTLS10, tls.VersionTLS11 }), delivery.TLS, ""},
		"TLS 1.0":     {with(good(), func(c *tls.Config) { c.MinVersion, c.MaxVersion = tls.VersionTLS10, tls.VersionTLS10 }), delivery.TLS, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			receiver := serveTLS(t, c.config, always(ok))
			sender := newSender(t, Options{RootCAs: ca.pool, Resolver: answers("127.0.0.1")}, receiver.port)
			outcome := send(t, sender, claimFor(receiver.named(host)), standard(patient))
			require.Equal(t, c.code, outcome.Error, "%+v", outcome)
			require.Contains(t, outcome.ErrorText, c.text)
			require.NotContains(t, outcome.ErrorText, "other.example.com", "the certificate's names are the endpoint's to choose")
			require.Less(t, outcome.Duration, patient/2)
			if _, requests := receiver.seen(); c.code != "" {
				require.Zero(t, requests)
			}
		})
	}
}

func TestSend_NoTLSAtAll(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script func(*peer)
		text   string
	}{
		"a plain server":     {func(p *peer) { p.say("HTTP/1.1 400 Bad Request\r\n\r\n"); p.hold() }, "does not speak TLS"},
		"end in handshake":   {func(p *peer) { _, _ = p.in.ReadByte() }, ""},
		"reset in handshake": {func(p *peer) { _, _ = p.in.ReadByte(); p.reset() }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			receiver := serve(t, c.script)
			outcome := send(t, newSender(t, Options{}), claimFor(strings.Replace(receiver.url(), "http:", "https:", 1)), standard(patient))
			require.Equal(t, delivery.TLS, outcome.Error, "%+v", outcome)
			require.Contains(t, outcome.ErrorText, c.text)
		})
	}
}

// G08: the name that was checked is the one that TLS asks for and verifies.
func TestSend_G08_KeepsTheServerName(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	asked := make(chan string, 1)
	config := ca.server(t, host, time.Now().Add(time.Hour))
	config.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		asked <- hello.ServerName
		return nil, nil
	}
	receiver := serveTLS(t, config, always(ok))
	sender := newSender(t, Options{RootCAs: ca.pool, Resolver: answers("127.0.0.1")}, receiver.port)
	require.Equal(t, 200, send(t, sender, claimFor(receiver.named(host)), standard(patient)).Status)
	require.Equal(t, host, <-asked)
}

func TestSend_TLSConnectionsAreReusedAndSessionsResumed(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	resumed := make(chan bool, 4)
	config := ca.server(t, host, time.Now().Add(time.Hour))
	receiver := serveTLS(t, config, func(p *peer) {
		for p.take() {
			resumed <- p.Conn.(*tls.Conn).ConnectionState().DidResume
			p.say(withLength(200, "x")) // unread: one connection for each (F01)
		}
	})
	sender := newSender(t, Options{RootCAs: ca.pool, Resolver: answers("127.0.0.1")}, receiver.port)
	claim := claimFor(receiver.named(host))
	for range 2 {
		require.Equal(t, 200, send(t, sender, claim, standard(patient)).Status)
	}
	conns, _ := receiver.seen()
	require.Equal(t, 1, conns)
	for range 2 {
		require.Equal(t, 200, send(t, sender, claim, fairQueue(patient)).Status)
	}
	conns, _ = receiver.seen()
	require.Equal(t, 2, conns)
	require.Equal(t, []bool{false, false, false, true}, []bool{<-resumed, <-resumed, <-resumed, <-resumed})
}
