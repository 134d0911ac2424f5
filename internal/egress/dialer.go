package egress

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"syscall"
)

// Dialer connects to allowed destinations only. Its DialContext is made for
// http.Transport, which goes on to use the name for Host and SNI, so only the
// address is pinned (G08). Goroutines may share it.
type Dialer struct {
	guard    *Guard
	resolver Resolver

	// connect opens a connection to one vetted address.
	connect func(ctx context.Context, target netip.AddrPort) (net.Conn, error)
}

// NewDialer returns a dialer that resolves names with resolver; nil means [SystemResolver].
func NewDialer(guard *Guard, resolver Resolver) *Dialer {
	if resolver == nil {
		resolver = SystemResolver()
	}
	dialer := &Dialer{guard: guard, resolver: resolver}
	dialer.connect = dialer.connectChecked
	return dialer
}

// DialContext connects to a host:port over TCP. The name is looked up once, all
// its addresses must be allowed, and only those are dialled. ctx bounds
// everything; there is no other time limit.
//
// The error holds a *[URLError] when the host is no allowed name, a
// *[ResolveError] when it has no address, a *[BlockedError] when it has a
// forbidden one, and otherwise the network's error for the first address.
func (d *Dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if network != "tcp" {
		return nil, fmt.Errorf("dialling %s: network %q is not supported, only tcp", address, network)
	}
	host, portText, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("dialling %s: %w", address, err)
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("dialling %s: %w", address, refuse(RulePort, "%q is not a port", portText))
	}
	addrs, err := d.vettedAddrs(ctx, host)
	if err != nil {
		return nil, fmt.Errorf("dialling %s: %w", address, err)
	}
	conn, err := raceConnect(ctx, targets(addrs, uint16(port)), d.connect)
	if err != nil {
		return nil, fmt.Errorf("dialling %s: %w", address, err)
	}
	return conn, nil
}

// vettedAddrs returns at least one address, all of them allowed.
func (d *Dialer) vettedAddrs(ctx context.Context, host string) ([]netip.Addr, error) {
	if addr, err := netip.ParseAddr(host); err == nil {
		return d.guard.checkAnswer("", []netip.Addr{addr})
	}
	destination, err := d.guard.checkHost(host, false)
	if err != nil {
		return nil, err
	}
	if addrs := d.guard.withoutLookup(destination); addrs != nil {
		return addrs, nil
	}
	answer, err := d.resolver.LookupNetIP(ctx, "ip", destination.name)
	if err != nil {
		return nil, lookupFailed(destination.name, err)
	}
	return d.guard.checkAnswer(destination.name, answer)
}

// connectChecked dials an address, not a name, so nothing is looked up a second
// time; Control sees the address the kernel is about to be given.
func (d *Dialer) connectChecked(ctx context.Context, target netip.AddrPort) (net.Conn, error) {
	dialer := net.Dialer{Control: d.control}
	return dialer.DialContext(ctx, "tcp", target.String())
}

// control is the last word before connect(2): whatever chose the address, a
// forbidden one gets no packet.
func (d *Dialer) control(_, address string, _ syscall.RawConn) error {
	target, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("reading the address to connect to: %w", err)
	}
	return d.guard.CheckAddr(target.Addr())
}
