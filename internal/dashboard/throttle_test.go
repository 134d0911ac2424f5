package dashboard

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func newClock() *clock { return &clock{time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

func TestThrottle_SlowsWhoGuesses(t *testing.T) {
	t.Parallel()
	c := newClock()
	doors := newThrottle(c.now)
	attacker, owner := netip.MustParseAddr("203.0.113.9"), netip.MustParseAddr("198.51.100.7")
	for range int(ofPair.burst) {
		_, wait := doors.admit("ana", attacker)
		require.Zero(t, wait)
	}
	_, wait := doors.admit("ana", attacker)
	require.Equal(t, ofPair.every, wait)
	_, wait = doors.admit("ana", owner)
	require.Zero(t, wait, "the owner, elsewhere, is let in")
	c.at = c.at.Add(ofPair.every)
	_, wait = doors.admit("ana", attacker)
	require.Zero(t, wait, "one try came back")
}

func TestThrottle_ManyAddressesShareAnAccountsTries(t *testing.T) {
	t.Parallel()
	doors := newThrottle(newClock().now)
	admitted := 0
	for i := range 200 {
		if _, wait := doors.admit("ana", netip.AddrFrom4([4]byte{10, 0, 0, byte(i)})); wait == 0 {
			admitted++
		}
	}
	require.Equal(t, int(ofAccount.burst), admitted)
}

func TestThrottle_OneNetworkSharesItsTries(t *testing.T) {
	t.Parallel()
	doors := newThrottle(newClock().now)
	admitted := 0
	for i := range 200 {
		address := netip.MustParseAddr(fmt.Sprintf("2001:db8::%x", i+1)) // one customer's /64
		if _, wait := doors.admit(fmt.Sprint("user", i), address); wait == 0 {
			admitted++
		}
	}
	require.Equal(t, int(ofAddress.burst), admitted)
}

func TestThrottle_SuccessCostsNothing(t *testing.T) {
	t.Parallel()
	doors := newThrottle(newClock().now)
	for range 500 {
		attempt, wait := doors.admit("ana", netip.MustParseAddr("198.51.100.7"))
		require.Zero(t, wait)
		attempt.succeeded()
	}
}

func TestThrottle_StrangersFillNoMemory(t *testing.T) {
	t.Parallel()
	c := newClock()
	doors := newThrottle(c.now)
	for i := range 2 * maxCounted {
		doors.admit(fmt.Sprint(i), netip.AddrFrom4([4]byte{byte(i >> 16), byte(i >> 8), byte(i), 1}))
		c.at = c.at.Add(time.Millisecond)
	}
	require.LessOrEqual(t, len(doors.left), maxCounted+2)
}

func TestPasswordFault(t *testing.T) {
	t.Parallel()
	for password, wrong := range map[string]bool{
		"short": true, "aaaaaaaaaaaaaaaaaaaaaaaa": true, "correct horse battery": false, "ana.example@example.com": true,
		"senha com acentuação e espaço": false, string([]byte{0xff, 0xfe}) + "0123456789abcdef": true,
	} {
		require.Equal(t, wrong, !passwordFault(password, password, "Ana.Example@example.com").IsZero(), password)
	}
	require.Equal(t, passwordAgainText, passwordFault("correct horse battery", "correct horse Battery", "ana"))
}
