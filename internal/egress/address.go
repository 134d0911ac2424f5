package egress

import (
	"fmt"
	"net/netip"
)

// namedRange is an address range with the words a user is given for it.
type namedRange struct {
	prefix netip.Prefix
	name   string
}

// closedIPv4 lists the IPv4 ranges that are never called: IANA's special-purpose
// registry plus multicast and the reserved top. The standard library's
// IsPrivate and IsGlobalUnicast let about half of them through.
var closedIPv4 = []namedRange{
	{netip.MustParsePrefix("0.0.0.0/8"), `"this network", RFC 791`},
	{netip.MustParsePrefix("10.0.0.0/8"), "private use, RFC 1918"},
	{netip.MustParsePrefix("100.64.0.0/10"), "carrier-grade NAT, RFC 6598"},
	{netip.MustParsePrefix("127.0.0.0/8"), "loopback, RFC 1122"},
	{netip.MustParsePrefix("169.254.0.0/16"), "link-local and cloud metadata, RFC 3927"},
	{netip.MustParsePrefix("172.16.0.0/12"), "private use, RFC 1918"},
	{netip.MustParsePrefix("192.0.0.0/24"), "IETF protocol assignments, RFC 6890"},
	{netip.MustParsePrefix("192.0.2.0/24"), "documentation, RFC 5737"},
	{netip.MustParsePrefix("192.31.196.0/24"), "AS112, RFC 7535"},
	{netip.MustParsePrefix("192.52.193.0/24"), "multicast tunnelling, RFC 7450"},
	{netip.MustParsePrefix("192.88.99.0/24"), "6to4 relay, RFC 7526"},
	{netip.MustParsePrefix("192.168.0.0/16"), "private use, RFC 1918"},
	{netip.MustParsePrefix("192.175.48.0/24"), "AS112, RFC 7534"},
	{netip.MustParsePrefix("198.18.0.0/15"), "benchmarking, RFC 2544"},
	{netip.MustParsePrefix("198.51.100.0/24"), "documentation, RFC 5737"},
	{netip.MustParsePrefix("203.0.113.0/24"), "documentation, RFC 5737"},
	{netip.MustParsePrefix("224.0.0.0/4"), "multicast, RFC 5771"},
	{netip.MustParsePrefix("240.0.0.0/4"), "reserved and broadcast, RFC 1112"},
}

// globalIPv6 is the only IPv6 space that IANA hands out for global unicast (RFC 4291);
// whatever is outside is closed, whether it has a name below or not.
var globalIPv6 = netip.MustParsePrefix("2000::/3")

// closedIPv6 lists the exceptions inside globalIPv6, and gives names to the
// ranges outside that people meet.
var closedIPv6 = []namedRange{
	{netip.MustParsePrefix("2001::/32"), "Teredo, RFC 4380"},
	{netip.MustParsePrefix("2001::/23"), "IETF protocol assignments, RFC 2928"},
	{netip.MustParsePrefix("2001:db8::/32"), "documentation, RFC 3849"},
	{netip.MustParsePrefix("2002::/16"), "6to4, RFC 3056"},
	{netip.MustParsePrefix("2620:4f:8000::/48"), "AS112, RFC 7534"},
	{netip.MustParsePrefix("3fff::/20"), "documentation, RFC 9637"},

	{netip.MustParsePrefix("::1/128"), "loopback, RFC 4291"},
	{netip.MustParsePrefix("::/128"), "unspecified, RFC 4291"},
	{netip.MustParsePrefix("::/96"), "IPv4-compatible, RFC 4291"},
	{netip.MustParsePrefix("::ffff:0:0:0/96"), "IPv4-translated, RFC 2765"},
	{netip.MustParsePrefix("64:ff9b::/96"), "NAT64, RFC 6052"},
	{netip.MustParsePrefix("64:ff9b:1::/48"), "local NAT64, RFC 8215"},
	{netip.MustParsePrefix("100::/64"), "discard-only, RFC 6666"},
	{netip.MustParsePrefix("5f00::/16"), "segment routing, RFC 9602"},
	{netip.MustParsePrefix("fc00::/7"), "unique local, RFC 4193"},
	{netip.MustParsePrefix("fe80::/10"), "link-local, RFC 4291"},
	{netip.MustParsePrefix("fec0::/10"), "site-local, RFC 3879"},
	{netip.MustParsePrefix("ff00::/8"), "multicast, RFC 4291"},
}

// BlockedError refuses an address.
type BlockedError struct {
	Addr  netip.Addr
	Rule  Rule   // RuleSpecialPurpose, RuleZone or RuleMixedAnswer
	Range string // which range holds the address, in words
	Host  string // the name that resolved to Addr; "" for a literal
}

func (e *BlockedError) Error() string {
	subject := e.Addr.String()
	if e.Host != "" {
		subject = fmt.Sprintf("%s resolves to %s, which", e.Host, e.Addr)
	}
	sentence := fmt.Sprintf("%s is not a public address (%s) and is never called", subject, e.Range)
	if e.Rule == RuleMixedAnswer {
		sentence += ", nor are the public addresses beside it"
	}
	if e.Rule == RuleZone {
		return sentence + "; use a public address, which needs none"
	}
	return sentence + "; use a public destination, or have the operator open the range with --allow-destinations"
}

// CheckAddr returns nil when addr may be called, and a *[BlockedError] otherwise.
// An IPv4-mapped address counts as the IPv4 address inside it, since the
// standard resolver returns A records in that form.
func (g *Guard) CheckAddr(addr netip.Addr) error {
	if !addr.IsValid() {
		return &BlockedError{Addr: addr, Rule: RuleSpecialPurpose, Range: "no address at all"}
	}
	// Prefix.Contains is false for a zoned address: it would slip through every range.
	if addr.Zone() != "" {
		return &BlockedError{Addr: addr, Rule: RuleZone, Range: "its zone means something on one machine only"}
	}
	addr = addr.Unmap()
	if g.opened(addr) {
		return nil
	}
	if name := closedRange(addr); name != "" {
		return &BlockedError{Addr: addr, Rule: RuleSpecialPurpose, Range: name}
	}
	return nil
}

// closedRange names the closed range that holds addr, or returns "".
func closedRange(addr netip.Addr) string {
	ranges := closedIPv6
	if addr.Is4() {
		ranges = closedIPv4
	}
	for _, closed := range ranges {
		if closed.prefix.Contains(addr) {
			return closed.name
		}
	}
	if addr.Is6() && !globalIPv6.Contains(addr) {
		return "outside the global unicast space 2000::/3"
	}
	return ""
}
