package bench

import (
	"context"
	"os"
	"time"

	"github.com/malotehq/malote/internal/store/benchdata"
)

// counters are what has been counted up to an instant.
type counters struct {
	benchdata.Counters
	at       time.Time
	received int64
	accepted int64

	// Of processors, so far.
	serverTime, postgresTime, ownTime time.Duration
}

// mark waits, and reads all counters at nearly one instant. accepted counts what
// came of the load.
func (s *stage) mark(ctx context.Context, wait time.Duration, accepted func() int64) (c counters, err error) {
	if err := pause(ctx, wait); err != nil {
		return c, err
	}
	if c.Counters, err = s.admin.Counters(ctx); err != nil {
		return c, err
	}
	if s.postmaster > 0 {
		if c.postgresTime, err = usedBy(s.postmaster); err != nil {
			return c, err
		}
	}
	for _, p := range s.serves {
		used, err := usedBy(p.command.Process.Pid)
		if err != nil {
			return c, err
		}
		c.serverTime += used
	}
	own, err := readStat(os.Getpid())
	c.at, c.ownTime = time.Now(), own.used
	c.received, c.accepted = s.receivers.received.Load(), accepted()
	return c, err
}

// perEvent is processor time in microseconds.
func perEvent(used time.Duration, events float64) float64 {
	return share(float64(used.Microseconds()), events)
}

// share is a part of something for each event; 0 where there was none, which JSON
// can tell and infinity it cannot.
func share(of, events float64) float64 {
	if events == 0 {
		return 0
	}
	return of / events
}
