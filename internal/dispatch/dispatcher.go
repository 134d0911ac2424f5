package dispatch

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// Storage is what dispatching needs of the database.
type Storage interface {
	// ClaimHanded takes at most n due deliveries, of endpoints that are not trusted
	// or hang no more than there is room for; they are committed when it returns.
	// What it returns beside an error is committed as well, but incomplete: it is
	// handed back unsent.
	//
	// It looks also at the lanes handed over, which are parked and have new work. Which
	// must be woken, it returns, also beside an error: of those at which it could not
	// look, the ones that nobody else will put in line.
	ClaimHanded(ctx context.Context, n int, room delivery.Room, handed []delivery.LaneRef) (delivery.Claimed, error)
	// CompleteAndClaim records ended claims and what follows, and may claim what takes
	// their place: no more than the slots. It may be called again with the same ones.
	CompleteAndClaim(ctx context.Context, completions []policy.Completion, onward policy.Onward) (policy.Completed, error)
}

// Sender makes one attempt. It returns within the policy's deadline, or soon
// after ctx ends.
type Sender interface {
	Send(ctx context.Context, claim *delivery.Claim, contract *policy.Policy, now time.Time) delivery.Outcome
}

// Policies finds a policy by its name.
type Policies interface {
	Policy(name string) (*policy.Policy, error)
}

// Observer is told what happens, for the metrics. Its methods must be quick and
// safe for concurrent use.
type Observer interface {
	Claimed(deliveries, lanes int, took time.Duration, err error)
	AttemptStarted()
	AttemptEnded(code delivery.ErrorCode, success bool, took time.Duration)
	Completed(batch int, result policy.Completed, took time.Duration, err error)
}

// Defaults of Options.
const (
	DefaultMaxInFlight  = 64 // F05
	DefaultCompleters   = 2
	DefaultPollInterval = time.Second
	DefaultDrainTimeout = 20 * time.Second
)

// Options of New. Storage, Sender, Policies and Observer must be given.
type Options struct {
	Storage  Storage
	Sender   Sender
	Policies Policies
	Observer Observer
	Log      *slog.Logger

	// Wake wakes lanes in the database: see Waker. It must not block. nil: no lane
	// is ever handed over.
	Wake func([]delivery.LaneRef)

	MaxInFlight  int           // deliveries in flight in this process (F05)
	Completers   int           // completion transactions at once
	PollInterval time.Duration // longest time between two looks without any signal
	DrainTimeout time.Duration // how long a stop waits for attempts to end by themselves
	Random       policy.Random // for jitter
}

// Dispatcher owns a process's share of the sending. Its slots are tokens: whoever
// holds one may have one attempt in flight. The claiming goroutine takes as many
// as are free, and passes one to each sending goroutine, which gives it back when
// its request has ended and a completer has taken the outcome.
type Dispatcher struct {
	options Options
	log     *slog.Logger
	slots   chan struct{}
	quota   *quota
	short   atomic.Bool   // the last claim left suspects waiting for a slot of theirs
	signal  chan struct{} // capacity 1: something may be due
	pool    *completers
	sending attempts

	handover    *handover
	handedAgain []delivery.LaneRef // of the last claim; the claiming goroutine's
}

// New makes a dispatcher. Run it once.
func New(options Options) *Dispatcher {
	options.MaxInFlight = positive(options.MaxInFlight, DefaultMaxInFlight)
	options.Completers = positive(options.Completers, DefaultCompleters)
	options.PollInterval = positive(options.PollInterval, DefaultPollInterval)
	options.DrainTimeout = positive(options.DrainTimeout, DefaultDrainTimeout)
	if options.Random == nil {
		options.Random = rand.Float64
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	d := &Dispatcher{
		options: options, log: options.Log,
		slots:  make(chan struct{}, options.MaxInFlight),
		quota:  newQuota(options.MaxInFlight),
		signal: make(chan struct{}, 1),
	}
	d.sending.ctx, d.sending.until = context.Background(), context.Background() // Run has others
	d.handover = newHandover(options.MaxInFlight, d.Signal)
	d.pool = newCompleters(options, d)
	return d
}

func positive[T int | time.Duration](value, otherwise T) T {
	if value <= 0 {
		return otherwise
	}
	return value
}

// Signal says that something may be due. It never blocks.
func (d *Dispatcher) Signal() {
	select {
	case d.signal <- struct{}{}:
	default:
	}
}

func (d *Dispatcher) isShort() bool { return d.short.Load() }

// Run dispatches until ctx ends. Then it stops claiming, lets the attempts in
// flight end (interrupting them after the drain timeout), records their
// outcomes, and returns: nothing that it claimed is left behind, unless the
// database cannot be reached for finishTimeout more.
func (d *Dispatcher) Run(ctx context.Context) {
	// Attempts and completions outlive ctx; they are ended in order below.
	running, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	sending, interrupt := context.WithCancelCause(running)
	context.AfterFunc(ctx, func() {
		pause(running, d.options.DrainTimeout)
		interrupt(errDrained)
		pause(running, finishTimeout)
		d.pool.giveUp()
	})

	d.sending.ctx, d.sending.until = sending, ctx
	d.pool.start()
	d.claimUntil(ctx)
	d.sending.finish()
	d.pool.finish()
}
