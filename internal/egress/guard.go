package egress

import (
	"fmt"
	"net/netip"
	"slices"
)

const (
	httpsPort uint16 = 443
	httpPort  uint16 = 80
)

// DefaultPorts are the ports allowed for both schemes unless [Rules] says otherwise.
var DefaultPorts = []uint16{httpsPort, 8443}

// Rules configure a [Guard]. The zero value is the rule for production.
type Rules struct {
	// Ports may be called with either scheme; nil means [DefaultPorts].
	// Port 80 is allowed besides, but only with http.
	Ports []uint16

	// RequireHTTPS refuses http. Without it http is allowed, since receivers
	// behind somebody's own tunnel exist and bodies are signed in any case.
	RequireHTTPS bool

	// AllowDestinations opens ranges that are closed otherwise, for
	// development. A literal address inside may be called with any port and
	// scheme; so may the name localhost when a loopback address is inside. Other
	// names keep the rules for names and ports, but may resolve into the range.
	AllowDestinations []netip.Prefix
}

// Guard applies [Rules]. It never changes, and goroutines may share it.
type Guard struct {
	ports        []uint16
	requireHTTPS bool
	holes        []netip.Prefix
	loopback     []netip.Addr // what localhost stands for: the loopback addresses inside holes
}

// NewGuard returns the guard for the rules. It fails when a port is 0, or when
// an allowed destination is no plain IPv4 or IPv6 prefix.
func NewGuard(rules Rules) (*Guard, error) {
	guard := &Guard{ports: slices.Clone(rules.Ports), requireHTTPS: rules.RequireHTTPS}
	if rules.Ports == nil {
		guard.ports = slices.Clone(DefaultPorts)
	}
	if slices.Contains(guard.ports, 0) {
		return nil, fmt.Errorf("port 0 cannot be allowed: give ports from 1 to 65535")
	}
	for _, prefix := range rules.AllowDestinations {
		if !prefix.IsValid() || prefix.Addr().Is4In6() {
			return nil, fmt.Errorf("allowed destination %s is not a usable prefix: write it like 10.0.0.0/8 or fd00::/8", prefix)
		}
		guard.holes = append(guard.holes, prefix)
	}
	for _, addr := range []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()} {
		if guard.opened(addr) {
			guard.loopback = append(guard.loopback, addr)
		}
	}
	return guard, nil
}

// opened reports whether the operator opened a range that holds addr, which
// has neither a zone nor an IPv4-mapped form.
func (g *Guard) opened(addr netip.Addr) bool {
	return slices.ContainsFunc(g.holes, func(hole netip.Prefix) bool { return hole.Contains(addr) })
}
