package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
)

// Resolver looks names up. network is "ip" for both families.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// SystemResolver returns the resolver for production: Go's own, which knows no
// numeric spellings of addresses, asked for names as they are, without the
// machine's search domains.
func SystemResolver() Resolver {
	return rootedResolver{&net.Resolver{PreferGo: true}}
}

// rootedResolver appends the root's dot: otherwise hooks.example.com is tried
// under every search domain first, and in a cluster each of those could answer.
type rootedResolver struct{ resolver Resolver }

func (r rootedResolver) LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error) {
	return r.resolver.LookupNetIP(ctx, network, host+".")
}

// Failure says how a look-up failed.
type Failure string

// The ways in which a look-up fails. All of them may pass.
const (
	NoSuchName    Failure = "no_such_name" // NXDOMAIN, or no address under the name
	ServerFailure Failure = "server_failure"
	LookupTimeout Failure = "timeout"
	Canceled      Failure = "canceled"
)

// ResolveError is a look-up without an answer. It unwraps to the resolver's error.
type ResolveError struct {
	Host    string
	Failure Failure
	Err     error // nil for an empty answer
}

func (e *ResolveError) Error() string {
	switch e.Failure {
	case NoSuchName:
		return fmt.Sprintf("%s has no address: check the name's spelling and its DNS records", e.Host)
	case LookupTimeout:
		return fmt.Sprintf("looking up %s took too long: check that its name servers answer", e.Host)
	case Canceled:
		return fmt.Sprintf("looking up %s was interrupted", e.Host)
	default:
		return fmt.Sprintf("looking up %s failed: check that its name servers answer", e.Host)
	}
}

func (e *ResolveError) Unwrap() error { return e.Err }

func lookupFailed(host string, err error) *ResolveError {
	failed := &ResolveError{Host: host, Failure: ServerFailure, Err: err}
	dnsError, isDNS := errors.AsType[*net.DNSError](err)
	switch {
	case errors.Is(err, context.Canceled):
		failed.Failure = Canceled
	case errors.Is(err, context.DeadlineExceeded), isDNS && dnsError.IsTimeout:
		failed.Failure = LookupTimeout
	case isDNS && dnsError.IsNotFound:
		failed.Failure = NoSuchName
	}
	return failed
}

// checkAnswer returns the addresses of one answer, IPv4 in its own form. One
// forbidden address spoils the answer: a name that is public and private at the
// same time belongs to somebody who is trying something.
func (g *Guard) checkAnswer(host string, answer []netip.Addr) ([]netip.Addr, error) {
	if len(answer) == 0 {
		return nil, &ResolveError{Host: host, Failure: NoSuchName}
	}
	vetted := make([]netip.Addr, 0, len(answer))
	var blocked *BlockedError
	for _, addr := range answer {
		refused, isBlocked := errors.AsType[*BlockedError](g.CheckAddr(addr))
		if !isBlocked {
			vetted = append(vetted, addr.Unmap())
		} else if blocked == nil {
			blocked = refused
		}
	}
	if blocked == nil {
		return vetted, nil
	}
	blocked.Host = host
	if len(vetted) > 0 {
		blocked.Rule = RuleMixedAnswer
	}
	return nil, blocked
}

// withoutLookup returns the addresses of a host that is never looked up: a
// literal, and localhost where it is opened (RFC 6761 lets it mean nothing
// but loopback, and a hosts file may list a loopback address that is closed).
func (g *Guard) withoutLookup(host destination) []netip.Addr {
	if host.addr.IsValid() {
		return []netip.Addr{host.addr}
	}
	if host.opened {
		return g.loopback
	}
	return nil
}
