package egress

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func addrs(texts ...string) []netip.Addr {
	var list []netip.Addr
	for _, text := range texts {
		list = append(list, netip.MustParseAddr(text))
	}
	return list
}

func TestTargets_AlternatesFamiliesAndStops(t *testing.T) {
	t.Parallel()
	var got []string
	for _, target := range targets(addrs("2606::1", "2606::2", "2606::3", "1.1.1.1", "1.1.1.2"), 443) {
		got = append(got, target.String())
	}
	require.Equal(t, []string{"[2606::1]:443", "1.1.1.1:443", "[2606::2]:443", "1.1.1.2:443", "[2606::3]:443"}, got)

	many := make([]netip.Addr, 1000)
	for i := range many {
		many[i] = netip.AddrFrom4([4]byte{1, 1, byte(i >> 8), byte(i)})
	}
	require.Len(t, targets(many, 443), maxAttempts)
	require.Len(t, targets(append(many, netip.MustParseAddr("2606::1")), 443), maxAttempts)
	require.Len(t, targets(addrs("1.1.1.1", "2606::1"), 443), 2)
}

// closingConn tells that it was closed.
type closingConn struct {
	net.Conn
	closed atomic.Bool
}

func (c *closingConn) Close() error { c.closed.Store(true); return nil }

func race(ctx context.Context, t *testing.T, connect func(ctx context.Context, n int) (net.Conn, error)) (net.Conn, error, time.Duration) { //nolint:revive // the time is beside the point of most tests
	t.Helper()
	list := targets(addrs("1.1.1.1", "1.1.1.2", "1.1.1.3"), 443)
	began := time.Now()
	conn, err := raceConnect(ctx, list, func(ctx context.Context, target netip.AddrPort) (net.Conn, error) {
		return connect(ctx, int(target.Addr().As4()[3]))
	})
	return conn, err, time.Since(began)
}

func TestRaceConnect_HangingAddressDelaysTheNextOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		third := &closingConn{}
		// Nobody else ends this context: attempts that are not given up hang
		// forever, and the bubble notices.
		conn, err, took := race(context.WithoutCancel(t.Context()), t, func(ctx context.Context, n int) (net.Conn, error) {
			if n == 3 {
				return third, nil
			}
			<-ctx.Done()
			return nil, ctx.Err()
		})
		require.NoError(t, err)
		require.Same(t, third, conn)
		require.Equal(t, 2*nextAttemptDelay, took)
		synctest.Wait()
		require.False(t, third.closed.Load())
	})
}

func TestRaceConnect_FailureStartsTheNextAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		third := &closingConn{}
		conn, err, took := race(t.Context(), t, func(_ context.Context, n int) (net.Conn, error) {
			if n == 3 {
				return third, nil
			}
			return nil, errors.New("refused")
		})
		require.NoError(t, err)
		require.Same(t, third, conn)
		require.Zero(t, took)
	})
}

func TestRaceConnect_ReportsTheFirstFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		first := errors.New("first")
		_, err, _ := race(t.Context(), t, func(_ context.Context, n int) (net.Conn, error) {
			if n == 1 {
				return nil, first
			}
			return nil, errors.New("another")
		})
		require.ErrorIs(t, err, first)
	})
}

func TestRaceConnect_ContextBoundsEverything(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), nextAttemptDelay+time.Millisecond)
		defer cancel()
		var begun atomic.Int32
		_, err, took := race(ctx, t, func(ctx context.Context, _ int) (net.Conn, error) {
			begun.Add(1)
			<-ctx.Done()
			return nil, ctx.Err()
		})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, nextAttemptDelay+time.Millisecond, took)
		require.EqualValues(t, 2, begun.Load())
	})
}

func TestRaceConnect_ClosesWhatConnectsLate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		late, winner := &closingConn{}, &closingConn{}
		conn, err, _ := race(t.Context(), t, func(_ context.Context, n int) (net.Conn, error) {
			if n == 1 {
				time.Sleep(nextAttemptDelay + time.Second) // the bubble's clock
				return late, nil
			}
			return winner, nil
		})
		require.NoError(t, err)
		require.Same(t, winner, conn)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.True(t, late.closed.Load())
		require.False(t, winner.closed.Load())
	})
}
