package bench

import (
	"context"
	"fmt"
	"os"
	"time"
)

// counters are the database's own at an instant.
type counters struct {
	at       time.Time
	wal      int64 // bytes written so far
	commits  int64
	queue    int64 // open deliveries
	received int64
	accepted int64

	// Of processors, so far.
	maloteTime, postgresTime, ownTime time.Duration
}

func (s *stage) counters(ctx context.Context) (c counters, err error) {
	// Its sessions tell the statistics of what they did at most once a second.
	err = s.admin.QueryRow(ctx, `SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn,
		(SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()),
		(SELECT count(*) FROM malote.queue)`).Scan(&c.wal, &c.commits, &c.queue)
	if err != nil {
		return c, fmt.Errorf("reading the database's counters: %w", err)
	}
	if c.postgresTime, err = usedBy(s.postmaster); err != nil {
		return c, err
	}
	for _, p := range s.serves {
		used, err := usedBy(p.command.Process.Pid)
		if err != nil {
			return c, err
		}
		c.maloteTime += used
	}
	own, err := readStat(os.Getpid())
	c.at, c.ownTime = time.Now(), own.used
	return c, err
}

// quantile is the smallest value that at least the share q of a sorted list does
// not exceed; 0 where there is none.
func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}
