package sender

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/egress"
)

// unfinished says what a phase was still busy with.
var unfinished = map[phase]string{
	resolving:   "the host name was still being resolved",
	connecting:  "no connection had been made",
	handshaking: "the TLS handshake was not complete",
	sending:     "the request had not been taken in full",
	waiting:     "no answer had come",
	heading:     "the answer's headers were not complete",
	reading:     "the answer's body was not complete",
}

func (a *attempt) timeout() *failure {
	text := fmt.Sprintf("After %s %s.", a.allowed, unfinished[phase(a.reached.Load())])
	return &failure{delivery.Timeout, text}
}

// blockedText leaves the address out: where a name resolves to inside the
// operator's network is not the tenant's to learn.
func blockedText(blocked *egress.BlockedError) string {
	if blocked.Rule == egress.RuleMixedAnswer {
		return "The endpoint's host name resolves to public addresses and to one that may not be called, so none is."
	}
	return delivery.BlockedAddress.Explain()
}

func resolveText(unresolved *egress.ResolveError) string {
	switch unresolved.Failure {
	case egress.NoSuchName:
		return fmt.Sprintf("The host name %s has no address.", unresolved.Host)
	case egress.LookupTimeout:
		return fmt.Sprintf("The name servers of %s did not answer in time.", unresolved.Host)
	default:
		return fmt.Sprintf("The host name %s could not be resolved.", unresolved.Host)
	}
}

// tlsText says which of the usual things is wrong, without a word from the
// certificate: its names are the endpoint's to choose.
func tlsText(err error) string {
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok && invalid.Reason == x509.Expired {
		return "The endpoint's TLS certificate has expired or is not valid yet."
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return "The endpoint's TLS certificate is for another host name."
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "The endpoint's TLS certificate comes from an unknown authority; perhaps it is self-signed, or its chain is incomplete."
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return "The endpoint does not speak TLS on this port."
	}
	if alert, ok := errors.AsType[*net.OpError](err); ok && isAlert(err) {
		return fmt.Sprintf("The TLS handshake failed: %v.", alert.Err) // one of a fixed list of sentences
	}
	return delivery.TLS.Explain()
}
