package dispatch

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/malotehq/malote/internal/policy"
)

// Bounds of a completion transaction.
const (
	maxCompletions    = 256
	completionTimeout = 15 * time.Second
)

// finishTimeout bounds how long a stop waits for a database that does not
// answer. What is not recorded then, comes back when its lease ends.
const finishTimeout = 30 * time.Second

// completers records outcomes in batches: whatever arrived while the last
// commit ran is the next batch. An endpoint's outcomes always go to the same
// completer, so that two never wait for one lane.
type completers struct {
	storage  Storage
	observer Observer
	log      *slog.Logger
	freed    func() // told after each commit: slots of lanes are free

	queues []chan policy.Completion
	stop   context.Context // ended when a stop has waited long enough
	giveUp context.CancelFunc
}

func newCompleters(options Options, freed func()) *completers {
	c := &completers{storage: options.Storage, observer: options.Observer, log: options.Log, freed: freed}
	c.stop, c.giveUp = context.WithCancel(context.Background())
	for range options.Completers {
		// Outcomes wait here while a commit runs; when it is full, slots stay
		// taken and claiming slows down.
		c.queues = append(c.queues, make(chan policy.Completion, maxCompletions))
	}
	return c
}

func (c *completers) start() *sync.WaitGroup {
	var running sync.WaitGroup
	for _, queue := range c.queues {
		running.Go(func() { c.run(queue) })
	}
	return &running
}

// add hands over one ended claim. It waits while the completer is far behind.
func (c *completers) add(done policy.Completion) {
	id := done.Claim.Endpoint.ID
	queue := c.queues[int(id[12])%len(c.queues)]
	select {
	case queue <- done:
	case <-c.stop.Done():
	}
}

// finish lets the completers record what they have, and end. add must not be
// called any more.
func (c *completers) finish() {
	for _, queue := range c.queues {
		close(queue)
	}
	time.AfterFunc(finishTimeout, c.giveUp)
}

func (c *completers) run(queue <-chan policy.Completion) {
	for first := range queue {
		batch := gather(first, queue)
		if !c.complete(batch) {
			return
		}
	}
}

func gather(first policy.Completion, queue <-chan policy.Completion) []policy.Completion {
	batch := []policy.Completion{first}
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

// complete records a batch, however long the database is away. It returns
// false if a stop gave up on it.
func (c *completers) complete(batch []policy.Completion) bool {
	pause := minErrorPause
	for {
		err := c.try(batch)
		if err == nil {
			c.freed()
			return true
		}
		c.log.Warn("recording outcomes failed; trying again", "error", err, "outcomes", len(batch), "pause", pause)
		timer := time.NewTimer(pause)
		select {
		case <-c.stop.Done():
			timer.Stop()
			c.log.Error("outcomes were not recorded; their deliveries come back when their leases end", "outcomes", len(batch))
			return false
		case <-timer.C:
		}
		pause = min(2*pause, maxErrorPause)
	}
}

func (c *completers) try(batch []policy.Completion) error {
	ctx, cancel := context.WithTimeout(c.stop, completionTimeout)
	defer cancel()
	started := time.Now()
	result, err := c.storage.Complete(ctx, batch)
	c.observer.Completed(len(batch), result, time.Since(started), err)
	if result.Lost > 0 {
		c.log.Warn("claims were lost before they were completed", "lost", result.Lost)
	}
	return err
}
