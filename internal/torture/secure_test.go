package torture_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// secureReceiver speaks TLS, and at times badly.
type secureReceiver struct {
	listener net.Listener
	server   *http.Server
	fault    atomic.Int32 // index of configs; 0: none
	configs  []*tls.Config
}

// tlsFaults is how many there are.
const tlsFaults = 6

type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) authority {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "torture"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-1000 * time.Hour), NotAfter: time.Now().Add(1000 * time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	certificate, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return authority{certificate, key}
}

func (a authority) issue(t *testing.T, address string, until time.Duration) tls.Certificate {
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: address}, IPAddresses: []net.IP{net.ParseIP(address)},
		NotBefore: time.Now().Add(-900 * time.Hour), NotAfter: time.Now().Add(until),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &key.PublicKey, a.key)
	require.NoError(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func newSecureReceiver(t *testing.T, handler http.Handler, dir string) *secureReceiver {
	t.Helper()
	ours, others := newAuthority(t), newAuthority(t)
	root := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: ours.certificate.Raw})
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ca.pem"), root, 0o600))
	const far = 900 * time.Hour
	with := func(certificate tls.Certificate, change func(*tls.Config)) *tls.Config {
		config := &tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: []string{"h2", "http/1.1"}}
		change(config)
		return config
	}
	nothing := func(*tls.Config) {}
	good := ours.issue(t, "127.0.0.1", far)
	s := &secureReceiver{configs: []*tls.Config{
		with(good, nothing),
		with(ours.issue(t, "127.0.0.1", -800*time.Hour), nothing), // expired
		with(ours.issue(t, "127.0.0.2", far), nothing),            // of another host
		with(others.issue(t, "127.0.0.1", far), nothing),          // of an unknown authority
		with(good, func(c *tls.Config) { c.MinVersion, c.MaxVersion = tls.VersionTLS10, tls.VersionTLS10 }),
		with(good, func(c *tls.Config) { c.ClientAuth = tls.RequireAnyClientCert }),
		nil, // the handshake stalls
	}}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s.listener = listener
	s.server = &http.Server{
		Handler: handler, ErrorLog: log.New(io.Discard, "", 0),
		TLSConfig: &tls.Config{
			Certificates: []tls.Certificate{good}, NextProtos: []string{"h2", "http/1.1"},
			GetConfigForClient: s.choose,
		},
	}
	go s.server.ServeTLS(listener, "", "") //nolint:errcheck // it ends with the run
	t.Cleanup(func() { _ = s.server.Close() })
	return s
}

func (s *secureReceiver) choose(hello *tls.ClientHelloInfo) (*tls.Config, error) {
	config := s.configs[s.fault.Load()]
	if config == nil {
		wait(hello.Context(), 3*deadline)
		return s.configs[0], nil
	}
	return config, nil
}
