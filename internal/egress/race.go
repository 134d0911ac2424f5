package egress

import (
	"context"
	"net"
	"net/netip"
	"time"
)

const (
	// nextAttemptDelay is how long one address may keep the next waiting
	// (the connection attempt delay of RFC 8305 §5).
	nextAttemptDelay = 250 * time.Millisecond

	// maxAttempts bounds the connections that one delivery may open, or a name with a
	// thousand addresses would make a port scanner of us.
	maxAttempts = 8
)

// targets returns where to connect, in order: the resolver's, but with the
// families alternating, so that a broken family costs one delay only.
func targets(addrs []netip.Addr, port uint16) []netip.AddrPort {
	var first, second []netip.Addr
	for _, addr := range addrs {
		if addr.Is4() == addrs[0].Is4() {
			first = append(first, addr)
		} else {
			second = append(second, addr)
		}
	}
	ordered := make([]netip.AddrPort, 0, len(addrs))
	for i := range max(len(first), len(second)) {
		if i < len(first) {
			ordered = append(ordered, netip.AddrPortFrom(first[i], port))
		}
		if i < len(second) {
			ordered = append(ordered, netip.AddrPortFrom(second[i], port))
		}
	}
	return ordered[:min(len(ordered), maxAttempts)]
}

type attempt struct {
	conn net.Conn
	err  error
}

// raceConnect tries the targets in order, the next one as soon as the last
// failed or has been at it for nextAttemptDelay. The first connection wins and the rest
// are given up. If none connects, the error is that of the first failure.
func raceConnect(ctx context.Context, targets []netip.AddrPort, connect func(context.Context, netip.AddrPort) (net.Conn, error)) (net.Conn, error) {
	ctx, giveUp := context.WithCancel(ctx)
	defer giveUp()
	results := make(chan attempt, len(targets))
	started, running := 0, 0
	start := func() {
		target := targets[started]
		started++
		running++
		go func() {
			conn, err := connect(ctx, target)
			results <- attempt{conn, err}
		}()
	}
	impatience := time.NewTimer(nextAttemptDelay)
	defer impatience.Stop()
	var firstErr error
	for start(); running > 0; {
		select {
		case <-impatience.C:
		case result := <-results:
			running--
			if result.err == nil {
				go closeLate(results, running)
				return result.conn, nil
			}
			if firstErr == nil {
				firstErr = result.err
			}
		}
		if started < len(targets) && ctx.Err() == nil {
			start()
			impatience.Reset(nextAttemptDelay)
		}
	}
	return nil, firstErr
}

// closeLate closes what still connected after another target had won.
func closeLate(results <-chan attempt, running int) {
	for range running {
		if late := <-results; late.conn != nil {
			late.conn.Close()
		}
	}
}
