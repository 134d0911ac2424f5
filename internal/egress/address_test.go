package egress

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The list is written out a second time, so that a range lost from the code is noticed.
var closedForTest = []string{
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
	"192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24",
	"192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
	"224.0.0.0/4", "240.0.0.0/4",
	"::/3", "4000::/2", "8000::/1", "2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20",
}

func closedPrefixes() []netip.Prefix {
	prefixes := make([]netip.Prefix, 0, len(closedForTest))
	for _, text := range closedForTest {
		prefixes = append(prefixes, netip.MustParsePrefix(text))
	}
	return prefixes
}

func isClosed(addr netip.Addr) bool {
	for _, prefix := range closedPrefixes() {
		if prefix.Contains(addr) {
			return true
		}
	}
	return false
}

func lastOf(prefix netip.Prefix) netip.Addr {
	bytes := prefix.Masked().Addr().AsSlice()
	for bit := prefix.Bits(); bit < len(bytes)*8; bit++ {
		bytes[bit/8] |= 0x80 >> (bit % 8)
	}
	last, _ := netip.AddrFromSlice(bytes)
	return last
}

func TestCheckAddr_G08_EdgesOfEveryRange(t *testing.T) {
	t.Parallel()
	guard := newGuard(t)
	for _, prefix := range closedPrefixes() {
		first, last := prefix.Addr(), lastOf(prefix)
		for _, addr := range []netip.Addr{first, first.Next(), last.Prev(), last} {
			require.Error(t, guard.CheckAddr(addr), "%s in %s", addr, prefix)
		}
		for _, outside := range []netip.Addr{first.Prev(), last.Next()} {
			if outside.IsValid() && !isClosed(outside) {
				require.NoError(t, guard.CheckAddr(outside), "%s just outside %s", outside, prefix)
			}
		}
	}
}

func TestCheckAddr_G08_KnownTricks(t *testing.T) {
	t.Parallel()
	guard := newGuard(t)
	for _, text := range []string{
		"169.254.169.254", "::ffff:169.254.169.254", "::169.254.169.254", "::ffff:0:169.254.169.254",
		"64:ff9b::169.254.169.254", "64:ff9b:1::a9fe:a9fe", "2002:a9fe:a9fe::1", "2001:0:4136:e378::1",
		"fd00:ec2::254", "fe80::1", "fe80::1%eth0", "2606:4700::1%eth0", "fec0::1", "5f00::1", "ff02::1",
		"::", "::1", "100::1", "192.0.0.192", "100.100.100.200", "255.255.255.255",
	} {
		require.Error(t, guard.CheckAddr(netip.MustParseAddr(text)), text)
	}
	require.Error(t, guard.CheckAddr(netip.Addr{}))
	for _, text := range []string{"93.184.216.34", "::ffff:93.184.216.34", "2606:4700:4700::1111", "2001:4860:4860::8888"} {
		require.NoError(t, guard.CheckAddr(netip.MustParseAddr(text)), text)
	}
}

func TestCheckAddr_SaysWhichRange(t *testing.T) {
	t.Parallel()
	err := newGuard(t).CheckAddr(netip.MustParseAddr("::ffff:10.0.0.5"))
	var blocked *BlockedError
	require.ErrorAs(t, err, &blocked)
	require.Equal(t, RuleSpecialPurpose, blocked.Rule)
	require.Equal(t, "10.0.0.5", blocked.Addr.String())
	require.Contains(t, err.Error(), "10.0.0.5 is not a public address (private use, RFC 1918)")
}

func TestCheckAddr_Holes(t *testing.T) {
	t.Parallel()
	guard := newGuard(t, "127.0.0.0/8", "fd00::/8")
	for text, allowed := range map[string]bool{
		"127.0.0.1": true, "::ffff:127.0.0.1": true, "fd00::1": true, "fd00::1%eth0": false,
		"::1": false, "10.0.0.1": false, "fc00::1": false,
	} {
		err := guard.CheckAddr(netip.MustParseAddr(text))
		require.Equal(t, allowed, err == nil, "%s: %v", text, err)
	}
}

func drawAddr(t *rapid.T) netip.Addr {
	if rapid.Bool().Draw(t, "inside") {
		prefix := rapid.SampledFrom(closedPrefixes()).Draw(t, "prefix")
		bytes := prefix.Addr().AsSlice()
		noise := rapid.SliceOfN(rapid.Byte(), len(bytes), len(bytes)).Draw(t, "noise")
		for bit := prefix.Bits(); bit < len(bytes)*8; bit++ {
			bytes[bit/8] |= noise[bit/8] & (0x80 >> (bit % 8))
		}
		addr, _ := netip.AddrFromSlice(bytes)
		return addr
	}
	size := rapid.SampledFrom([]int{4, 16}).Draw(t, "size")
	addr, _ := netip.AddrFromSlice(rapid.SliceOfN(rapid.Byte(), size, size).Draw(t, "bytes"))
	return addr
}

// An address is refused if and only if the list has it, in whichever form it comes.
func TestCheckAddr_G08_MatchesTheList(t *testing.T) {
	t.Parallel()
	guard := newGuard(t)
	rapid.Check(t, func(t *rapid.T) {
		addr := drawAddr(t).Unmap()
		refused := guard.CheckAddr(addr) != nil
		require.Equal(t, isClosed(addr), refused, addr)
		if addr.Is4() {
			mapped := netip.AddrFrom16(addr.As16())
			require.Equal(t, refused, guard.CheckAddr(mapped) != nil, mapped)
			_, err := guard.CheckURL("https://" + addr.String() + "/")
			require.Equal(t, refused, err != nil, addr)
		} else {
			_, err := guard.CheckURL("https://[" + addr.String() + "]/")
			require.Equal(t, refused, err != nil, addr)
			require.Error(t, guard.CheckAddr(addr.WithZone("eth0")))
		}
	})
}
