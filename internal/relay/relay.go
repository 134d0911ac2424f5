package relay

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/malotehq/malote/internal/publish"
)

// Bounds of what is taken at once: a transaction of the publisher's.
const (
	maxRows  = 256
	maxBytes = 8 << 20
)

// Row is one event as an application wrote it.
type Row struct {
	Position       int64
	ID             string // the UUID that publish() returned
	Tenant, Type   string
	ContentType    *string // nil: Body is the data of an envelope
	Body           []byte
	IdempotencyKey string
	CoalesceKey    string
	EntityVersion  string
	ExternalID     string
	OccurredAt     time.Time // zero: when it was written
	EndpointIDs    []string  // nil: all that subscribe
	WrittenAt      time.Time
}

// Refusal is a row that cannot become an event, by its place in the batch.
type Refusal struct {
	Index  int
	Reason string // for people; what to do about it
}

// Batch is rows that nobody else has. It ends with Settle or Release.
type Batch interface {
	Rows() []Row
	// Settle makes the outbox forget the rows, except that it keeps those refused
	// aside. It is called when all others are events.
	Settle(ctx context.Context, refusals []Refusal) error
	// Release gives the rows back.
	Release(ctx context.Context)
}

// Lag is how far an outbox is behind.
type Lag struct {
	Waiting int64
	Oldest  time.Duration
	Refused int64
}

// Outbox is where rows come from. It is used by one goroutine.
type Outbox interface {
	// Take takes up to rows committed rows above a position, of up to bytes bytes
	// together (one of more goes alone). It waits for nobody's locks. A batch
	// without rows needs no end.
	Take(ctx context.Context, above int64, rows, bytes int) (Batch, error)
	Lag(ctx context.Context) (Lag, error)
	Close()
}

// Publisher makes events of rows, each for itself.
type Publisher interface {
	PublishEach(ctx context.Context, requests []publish.Request) ([]publish.Each, error)
}

// Observer is told what happens, for the metrics.
type Observer interface {
	Relayed(outbox string, events, duplicates, refused int)
	RelayFailed(outbox string)
	RelayLag(outbox string, waiting int64, oldest time.Duration, refused int64)
}

// Options of New. All but Log and the times must be given.
type Options struct {
	Name      string // the outbox's, in logs and metrics
	Outbox    Outbox
	Publisher Publisher
	Observer  Observer
	// Unavailable tells what may pass, after which the same row may work, from a
	// row that the database will never take.
	Unavailable func(error) bool
	Log         *slog.Logger

	Poll time.Duration // pause after a look that found less than a whole batch; default DefaultPoll
}

// Defaults of the relay's times.
const (
	DefaultPoll = 50 * time.Millisecond

	sweepEvery   = time.Second      // a look from the outbox's beginning
	lagEvery     = 5 * time.Second  // a look at how much waits
	patience     = 20 * time.Second // for one batch to become events: the publisher's own bounds are shorter
	settleWithin = 10 * time.Second
	firstPause   = 100 * time.Millisecond
	longestPause = 5 * time.Second
	warnEvery    = time.Minute
	passFor      = 30 * time.Second // a row that fails alone is passed by, with all before it

	// A server that is gone without a word must not be waited for.
	takeWithin = 40 * time.Second
	lagWithin  = 10 * time.Second
)

// Relay carries one outbox. It is for one goroutine; any number of relays, in
// any number of processes, may carry the same one.
type Relay struct {
	options   Options
	log       *slog.Logger
	horizon   horizon
	rows      int // how many to take: less after a failure, to find the row that causes it
	failed    int // times in a row
	warned    time.Time
	looked    time.Time // at the lag
	passed    int64     // nothing up to here is taken before passUntil
	passUntil time.Time
}

// New makes a relay. It owns the outbox from now on.
func New(options Options) *Relay {
	if options.Poll <= 0 {
		options.Poll = DefaultPoll
	}
	log := options.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Relay{options: options, log: log.With("outbox", options.Name), rows: maxRows}
}

// Run carries rows until ctx ends, then finishes the batch that it has.
func (r *Relay) Run(ctx context.Context) {
	defer r.options.Outbox.Close()
	for ctx.Err() == nil {
		r.observeLag(ctx)
		more, err := r.carry(ctx)
		switch {
		case err != nil && ctx.Err() != nil:
			return
		case err != nil:
			r.fail(err)
			pause(ctx, r.backoff())
		default:
			r.succeed()
			if !more {
				pause(ctx, r.options.Poll)
			}
		}
	}
}

// carry takes one batch to its end. more says that there is probably another.
func (r *Relay) carry(ctx context.Context) (more bool, _ error) {
	above := r.horizon.next(time.Now())
	if time.Now().Before(r.passUntil) {
		above = max(above, r.passed)
	}
	taking, done := context.WithTimeout(ctx, takeWithin)
	defer done()
	batch, err := r.options.Outbox.Take(taking, above, r.rows, maxBytes)
	if err != nil {
		return false, err
	}
	rows := batch.Rows()
	if len(rows) == 0 {
		return false, nil
	}
	// From here on the batch goes to its end, whoever wants to stop.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	outcome, err := r.publish(ctx, rows)
	if err != nil {
		batch.Release(ctx)
		if len(rows) == 1 { // it must not hold up those behind it
			r.passed, r.passUntil = rows[0].Position, time.Now().Add(passFor)
		}
		return false, err
	}
	settling, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleWithin)
	defer cancel()
	if err := batch.Settle(settling, outcome.refusals); err != nil {
		return false, err
	}
	r.options.Observer.Relayed(r.options.Name, outcome.events, outcome.duplicates, len(outcome.refusals))
	r.horizon.saw(time.Now(), rows[len(rows)-1].Position)
	// A batch may end early because of its bytes: only an empty look ends the hurry.
	return true, nil
}

func (r *Relay) fail(err error) {
	r.options.Observer.RelayFailed(r.options.Name)
	r.rows = max(1, r.rows/4)
	r.failed++
	if now := time.Now(); r.failed == 1 || now.Sub(r.warned) >= warnEvery {
		r.warned = now
		r.log.Warn("the relay cannot carry the outbox now and will try again", "error", err)
	}
}

func (r *Relay) succeed() {
	if r.failed > 0 {
		r.log.Info("the relay carries the outbox again", "failures", r.failed)
	}
	r.failed = 0
	r.rows = min(maxRows, r.rows*2)
}

// backoff doubles from firstPause to longestPause, less up to a half.
func (r *Relay) backoff() time.Duration {
	longest := min(longestPause, firstPause<<min(r.failed-1, 10))
	return longest - rand.N(longest/2)
}

func (r *Relay) observeLag(ctx context.Context) {
	if now := time.Now(); now.Sub(r.looked) >= lagEvery {
		r.looked = now
		ctx, cancel := context.WithTimeout(ctx, lagWithin)
		defer cancel()
		lag, err := r.options.Outbox.Lag(ctx)
		if err != nil {
			return // carry fails as well, and says so
		}
		r.options.Observer.RelayLag(r.options.Name, lag.Waiting, lag.Oldest, lag.Refused)
	}
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
