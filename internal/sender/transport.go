package sender

import (
	"cmp"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"time"

	"github.com/malotehq/malote/internal/egress"
)

const (
	// maxHeaderBytes bounds the headers of a response, trailers of HTTP/2 included.
	maxHeaderBytes = 64 << 10

	// Idle connections cost the process descriptors and memory, and the endpoint, too.
	maxIdleConns       = 1024
	defaultIdlePerHost = 64

	// idleTimeout is below the 5 s after which common servers close idle
	// connections. A request that meets such a close on its way fails, since
	// nobody can know whether it was processed, and costs an attempt.
	idleTimeout = 4 * time.Second

	// resumableSessions is how many TLS sessions are kept: with a policy that
	// reads no bodies most attempts need a connection of their own (F01).
	resumableSessions = 4096

	// The HTTP/2 windows bound what an endpoint can make us hold: net/http's
	// own are 4 MiB for a stream and 1 GiB for a connection.
	streamWindow     = 64 << 10
	connectionWindow = 1 << 20

	// A dead HTTP/2 connection is found by a ping, or every attempt would be
	// put on it and time out until the kernel gave it up.
	pingAfter        = 5 * time.Second
	pingTimeout      = 5 * time.Second
	writeByteTimeout = 10 * time.Second

	// tunnelHandshakeTimeout bounds TLS through a proxy's tunnel; everywhere
	// else the attempt's own deadline does.
	tunnelHandshakeTimeout = 30 * time.Second
)

// newTransport returns the one way out. It follows no redirects, keeps no
// cookies and obeys no Alt-Svc: a bare RoundTrip does none of these.
func newTransport(options Options) *http.Transport {
	dialer := newDialer(options)
	transport := &http.Transport{
		DialContext:            dialer.plain,
		DialTLSContext:         dialer.secure,
		TLSClientConfig:        dialer.tls,
		TLSHandshakeTimeout:    tunnelHandshakeTimeout,
		DisableCompression:     true, // what inflates is not bounded by what is read
		MaxResponseHeaderBytes: maxHeaderBytes,
		MaxIdleConns:           maxIdleConns,
		MaxIdleConnsPerHost:    cmp.Or(options.IdlePerHost, defaultIdlePerHost),
		IdleConnTimeout:        idleTimeout,
		Protocols:              new(http.Protocols),
		HTTP2: &http.HTTP2Config{
			MaxReceiveBufferPerConnection: connectionWindow,
			MaxReceiveBufferPerStream:     streamWindow,
			SendPingTimeout:               pingAfter,
			PingTimeout:                   pingTimeout,
			WriteByteTimeout:              writeByteTimeout,
		},
	}
	transport.Protocols.SetHTTP1(true)
	transport.Protocols.SetHTTP2(true)
	if options.Proxy != nil {
		transport.Proxy = http.ProxyURL(options.Proxy)
	}
	return transport
}

// dialer opens the transport's connections.
type dialer struct {
	dial func(ctx context.Context, network, address string) (net.Conn, error)
	tls  *tls.Config
}

func newDialer(options Options) *dialer {
	d := &dialer{tls: &tls.Config{
		MinVersion:         tls.VersionTLS12,
		RootCAs:            options.RootCAs,
		NextProtos:         []string{"h2", "http/1.1"},
		ClientSessionCache: tls.NewLRUClientSessionCache(resumableSessions),
	}}
	if options.Proxy != nil {
		d.dial = new(net.Dialer).DialContext // to the operator's proxy, nowhere else
	} else {
		d.dial = egress.NewDialer(options.Guard, options.Resolver).DialContext
	}
	return d
}

// plain connects. A failure is a *dialError.
func (d *dialer) plain(ctx context.Context, network, address string) (net.Conn, error) {
	if following(ctx).dials.Add(1) > maxDials {
		return nil, &dialError{errDials}
	}
	ctx, cancel := bounded(ctx)
	defer cancel()
	conn, err := d.dial(ctx, network, address)
	if err != nil {
		return nil, &dialError{err}
	}
	return conn, nil
}

// secure connects and shakes hands. A failure is a *dialError or a *handshakeError.
func (d *dialer) secure(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	conn, err := d.plain(ctx, network, address)
	if err != nil {
		return nil, err
	}
	following(ctx).reach(handshaking)
	config := d.tls.Clone()
	config.ServerName, _, _ = net.SplitHostPort(address) // the dial has split it before
	secured := tls.Client(conn, config)
	if err := secured.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, &handshakeError{err}
	}
	return secured, nil
}

// bounded puts the attempt's deadline back: net/http takes a dial out of its
// request's context, and it would otherwise outlive the attempt by minutes.
// The attempt's end alone does not end the dial, whose connection can serve
// another.
func bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithDeadline(ctx, following(ctx).deadline)
}
