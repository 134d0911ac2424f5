package dispatch

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// Bounds of a completion transaction.
const (
	maxCompletions    = 256
	completionTimeout = 15 * time.Second
)

// companyTime is how long a batch waits for the one that is being committed, so
// that it grows with the load, and no longer: the other may wait for somebody's lock.
const companyTime = 10 * time.Millisecond

// finishTimeout bounds how long a stop, once no attempt is under way any more,
// waits for a database that does not answer. What is not recorded then, comes
// back when its lease ends.
const finishTimeout = 30 * time.Second

// completers records outcomes in batches: whatever arrived while the last
// commit ran is the next batch, whichever completer's it was. An endpoint's outcomes go to the same completer,
// so that two rarely wait for one lane.
type completers struct {
	storage  Storage
	observer Observer
	log      *slog.Logger
	slots    slots

	queues  []chan policy.Completion
	turn    chan struct{} // holds a token while the first of the batches under way is committed
	running sync.WaitGroup

	stop    context.Context // ended when a stop has waited long enough
	giveUp  context.CancelFunc
	dropped atomic.Int64 // not recorded, because of that
}

// slots is what completers need of the dispatcher.
type slots interface {
	// reserve takes some for what the completions of a batch may claim.
	reserve(batch []policy.Completion) policy.Onward
	// goOn begins what was claimed with them, and returns what must be completed.
	goOn(onward policy.Onward, next delivery.Claimed, err error, began time.Time) []policy.Completion
	// wake lets lanes be woken in the database.
	wake(lanes []delivery.LaneRef)
	// isShort says whether claims leave something due for want of slots.
	isShort() bool
	// Signal follows a commit that may have made work claimable.
	Signal()
}

func newCompleters(options Options, slots slots) *completers {
	c := &completers{
		storage: options.Storage, observer: options.Observer, log: options.Log, slots: slots,
		turn: make(chan struct{}, 1),
	}
	c.stop, c.giveUp = context.WithCancel(context.Background())
	for range options.Completers {
		// Outcomes wait here while a commit runs; when it is full, slots stay
		// taken and claiming slows down.
		c.queues = append(c.queues, make(chan policy.Completion, maxCompletions))
	}
	return c
}

func (c *completers) start() {
	for _, queue := range c.queues {
		c.running.Go(func() {
			for first := range queue {
				batch, isFirst := c.await(gather([]policy.Completion{first}, queue), queue)
				c.complete(batch, queue)
				if isFirst {
					<-c.turn
				}
			}
		})
	}
}

// add hands over one ended claim. It waits while the completer is far behind.
func (c *completers) add(done policy.Completion) {
	id := done.Claim.Endpoint.ID
	queue := c.queues[int(id[12])%len(c.queues)]
	select {
	case queue <- done:
	case <-c.stop.Done():
		c.dropped.Add(1)
	}
}

// finish returns when all that was added is recorded, or given up. add must not
// be called any more.
func (c *completers) finish() {
	for _, queue := range c.queues {
		close(queue)
	}
	c.running.Wait()
	c.giveUp()
	if n := c.dropped.Load(); n > 0 {
		c.log.Error("outcomes were not recorded; their deliveries come back when their leases end", "outcomes", n)
	}
}

// await adds what comes until it is the batch's turn. isFirst: it has the turn.
func (c *completers) await(batch []policy.Completion, queue <-chan policy.Completion) (_ []policy.Completion, isFirst bool) {
	wait := time.NewTimer(companyTime)
	defer wait.Stop()
	for len(batch) < maxCompletions {
		select {
		case c.turn <- struct{}{}:
			return gather(batch, queue), true
		case next, open := <-queue:
			if !open {
				return batch, false
			}
			batch = append(batch, next)
		case <-wait.C:
			return batch, false
		}
	}
	return gather(batch, queue), false
}

// gather adds what already waits. From a nil queue nothing comes.
func gather(batch []policy.Completion, queue <-chan policy.Completion) []policy.Completion {
	for len(batch) < maxCompletions {
		select {
		case next, open := <-queue:
			if !open {
				return batch
			}
			batch = append(batch, next)
		default:
			return batch
		}
	}
	return batch
}

// complete records a batch, and what comes from the queue while it cannot,
// however long the database is away. What the database refuses while it takes
// other outcomes – a lane that somebody holds, a row that it will never take –
// is tried again apart from them, and holds nobody up.
func (c *completers) complete(batch []policy.Completion, queue <-chan policy.Completion) {
	onward := policy.Onward{}
	if queue != nil {
		onward = c.slots.reserve(batch)
	}
	var parked []delivery.LaneRef // perhaps, by a try of which nobody knows whether it was committed
	for pauses := forDatabase(); ; onward = (policy.Onward{}) {
		left, doubtful, err := c.record(batch, onward)
		parked = append(parked, doubtful...)
		if len(left) < len(batch) {
			c.slots.wake(parked) // after a try that has waited for their locks
			if len(left) > 0 {
				c.running.Go(func() { c.complete(left, nil) })
			}
			return
		}
		wait := pauses.next()
		c.log.Warn("recording outcomes failed; trying again", "error", err, "outcomes", len(left), "pause", wait)
		if !pause(c.stop, wait) {
			c.dropped.Add(int64(len(left)))
			return
		}
		// Everybody is the first in turn, and the first is always tried alone.
		batch = gather(slices.Concat(left[1:], left[:1]), queue)
	}
}

// record tries a batch and, if that fails, its halves. It returns what was not
// recorded, with the last error. When nothing of the first half can be recorded,
// it leaves it at that: the database is probably away. Lanes that are in doubt must
// be woken once something was recorded.
func (c *completers) record(batch []policy.Completion, onward policy.Onward) (left []policy.Completion, doubtful []delivery.LaneRef, err error) {
	doubtful, err = c.try(batch, onward)
	switch {
	case err == nil:
		return nil, nil, nil
	case len(batch) == 1:
		return batch, doubtful, err
	}
	half := len(batch) / 2
	left, _, err = c.record(batch[:half], policy.Onward{})
	if len(left) == half {
		return batch, doubtful, err
	}
	rest, _, restErr := c.record(batch[half:], policy.Onward{})
	return slices.Concat(left, rest), doubtful, cmp.Or(restErr, err)
}

// try records a batch and begins what it claims onward. It lets go of the slots.
// Beside an error it says which lanes may have been parked all the same.
func (c *completers) try(batch []policy.Completion, onward policy.Onward) (doubtful []delivery.LaneRef, err error) {
	ctx, cancel := context.WithTimeout(c.stop, completionTimeout)
	defer cancel()
	started := time.Now()
	result, err := c.storage.CompleteAndClaim(ctx, batch, onward)
	c.observer.Completed(len(batch), result, time.Since(started), err)
	if unsent := c.slots.goOn(onward, result.Next, result.NextErr, started); len(unsent) > 0 {
		c.running.Go(func() { c.complete(unsent, nil) })
	}
	if err == nil && (result.Woken || c.slots.isShort()) {
		c.slots.Signal()
	}
	if result.Lost > 0 {
		c.log.Warn("claims were lost before they were completed", "lost", result.Lost)
	}
	if err != nil {
		doubtful = result.Next.Untaken
	}
	return doubtful, err
}
