package dispatch

import (
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// pace says how long the claiming goroutine waits for a signal between two
// claims. It never says "at once" twice in a row unless claims bring something
// or lanes are waiting in line.
type pace struct {
	poll   time.Duration
	failed backoff

	// empty spaces claims that bring nothing although some lane is said to have
	// work now: another process holds it, perhaps stopped in the middle, or our
	// clock ran a hair ahead of the database's.
	empty backoff
}

func newPace(poll time.Duration) *pace {
	return &pace{
		poll: poll, failed: forDatabase(),
		empty: backoff{least: time.Millisecond, most: 100 * time.Millisecond},
	}
}

func (p *pace) afterError() time.Duration { return p.failed.next() }

// after follows a claim that worked.
func (p *pace) after(claimed delivery.Claimed, asked int) time.Duration {
	p.failed.reset()
	next := p.poll
	if claimed.NextDue != delivery.NothingDue {
		next = min(claimed.NextDue, p.poll)
	}
	switch {
	case len(claimed.Claims) == asked, claimed.More:
		p.empty.reset()
		return 0 // there may be more; lanes that had nothing are parked now
	case len(claimed.Claims) > 0, next >= p.empty.most:
		p.empty.reset()
		return next
	default:
		return max(next, p.empty.next())
	}
}
