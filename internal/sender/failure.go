package sender

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"syscall"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/egress"
)

// failure is why an attempt has no whole answer. text is a sentence for the
// operator, and perhaps the tenant: it holds nothing that the endpoint sent,
// and no address that its name resolved to.
type failure struct {
	code delivery.ErrorCode
	text string
}

func (f *failure) outcome() delivery.Outcome {
	return delivery.Outcome{Error: f.code, ErrorText: f.text}
}

var (
	malformed   = &failure{delivery.Protocol, delivery.Protocol.Explain()}
	interrupted = &failure{delivery.InterruptedSend, delivery.InterruptedSend.Explain()}
)

// dialError is a connection that was not made, handshakeError one that was made
// and then failed in TLS.
type (
	dialError      struct{ err error }
	handshakeError struct{ err error }
)

func (e *dialError) Error() string      { return "connecting: " + e.err.Error() }
func (e *dialError) Unwrap() error      { return e.err }
func (e *handshakeError) Error() string { return "shaking hands: " + e.err.Error() }
func (e *handshakeError) Unwrap() error { return e.err }

// failure says why there was no answer. Where net/http's errors have no type,
// what counts is how far the attempt had come, never an error's text: before the
// first byte of the answer the connection failed, after it the answer did.
func (a *attempt) failure(ctx context.Context, err error) *failure {
	if a.given.Load() {
		return &failure{delivery.Reset, "The endpoint gave the request back without an answer."}
	}
	if ended := a.ended(ctx); ended != nil {
		return ended
	}
	if a.misled.Load() {
		return &failure{delivery.Protocol, "The endpoint sent interim answers (1xx) in place of a final one."}
	}
	if refused := dialRefused(err); refused != nil {
		return refused
	}
	if refused := tlsRefused(err); refused != nil {
		return refused
	}
	switch reached := phase(a.reached.Load()); {
	case reached < sending:
		return &failure{delivery.Connect, delivery.Connect.Explain()}
	case reached < heading || brokenOff(err):
		return &failure{delivery.Reset, delivery.Reset.Explain()}
	default:
		return malformed
	}
}

// ended is nil unless the attempt's own end came before the endpoint's.
func (a *attempt) ended(ctx context.Context) *failure {
	switch {
	case ctx.Err() != nil && !errors.Is(context.Cause(ctx), errDeadline):
		return interrupted
	case !time.Now().Before(a.deadline):
		return a.timeout()
	}
	return nil
}

// broken says why a body whose headers were there has no end.
func (a *attempt) broken(ctx context.Context) *failure {
	if ended := a.ended(ctx); ended != nil {
		return ended
	}
	return &failure{delivery.ResponseTruncated, delivery.ResponseTruncated.Explain()}
}

func dialRefused(err error) *failure {
	dial, ok := errors.AsType[*dialError](err)
	if !ok {
		return nil
	}
	if proxied(err) {
		return &failure{delivery.Connect, "The egress proxy could not be reached."}
	}
	if blocked, ok := errors.AsType[*egress.BlockedError](dial.err); ok {
		return &failure{delivery.BlockedAddress, blockedText(blocked)}
	}
	if _, ok := errors.AsType[*egress.URLError](dial.err); ok {
		return urlRefused(dial.err)
	}
	if unresolved, ok := errors.AsType[*egress.ResolveError](dial.err); ok {
		return &failure{delivery.DNS, resolveText(unresolved)}
	}
	switch {
	case errors.Is(dial.err, syscall.ECONNREFUSED):
		return &failure{delivery.ConnectRefused, delivery.ConnectRefused.Explain()}
	case errors.Is(dial.err, syscall.ECONNRESET): // it came faster than the dial's end
		return &failure{delivery.Reset, delivery.Reset.Explain()}
	default:
		return &failure{delivery.Connect, delivery.Connect.Explain()}
	}
}

// proxied says whether it was the connection to the proxy that failed.
func proxied(err error) bool {
	operation, ok := errors.AsType[*net.OpError](err)
	return ok && operation.Op == "proxyconnect"
}

// tlsRefused also finds the alert of an endpoint that wants a client
// certificate: since TLS 1.3 it comes after the handshake.
func tlsRefused(err error) *failure {
	if _, ok := errors.AsType[*handshakeError](err); ok {
		return &failure{delivery.TLS, tlsText(err)}
	}
	_, isRecord := errors.AsType[tls.RecordHeaderError](err)
	_, isCertificate := errors.AsType[*tls.CertificateVerificationError](err)
	if isRecord || isCertificate || isAlert(err) {
		return &failure{delivery.TLS, tlsText(err)}
	}
	return nil
}

// isAlert finds a TLS alert, sent or received: crypto/tls gives it no exported
// type, but an operation of its own.
func isAlert(err error) bool {
	operation, ok := errors.AsType[*net.OpError](err)
	return ok && (operation.Op == "remote error" || operation.Op == "local error")
}

// brokenOff tells a connection's end from bytes that are no HTTP.
func brokenOff(err error) bool {
	_, isNetwork := errors.AsType[*net.OpError](err)
	return isNetwork || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}
