package receiver

import (
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/malotehq/malote/webhook"
)

// Defaults of Options.
const (
	DefaultMaxBody  = 2 << 20 // bytes: Malote's default limit and room for the envelope
	DefaultRemember = 100_000 // webhook-ids
)

// Options of New. The zero value is a polite receiver that takes everything.
type Options struct {
	// Verifier checks signatures; nil: nothing is verified, and every line says so.
	Verifier *webhook.Verifier
	Manner   Manner // nil: Polite

	Out   io.Writer // gets a line for every arrival; nil: none
	Color bool      // of the lines

	// Observe is told of every arrival before it is answered. The arrival and
	// its body are only good until it returns.
	Observe func(*Arrival)

	MaxBody  int64 // bytes; larger ones are answered with 413
	Remember int   // how many webhook-ids are remembered; the oldest are forgotten first
	Random   func() float64
}

// Receiver is an http.Handler that receives webhooks.
type Receiver struct {
	options Options
	started time.Time

	mu    sync.Mutex // guards tally and the order of lines
	tally tally
}

// New makes a receiver. Its life, which a Manner may go by, begins now.
func New(options Options) *Receiver {
	if options.Manner == nil {
		options.Manner = Polite()
	}
	if options.MaxBody <= 0 {
		options.MaxBody = DefaultMaxBody
	}
	if options.Remember <= 0 {
		options.Remember = DefaultRemember
	}
	if options.Random == nil {
		options.Random = rand.Float64
	}
	return &Receiver{options: options, started: time.Now(), tally: newTally(options.Remember)}
}

// ServeHTTP implements http.Handler. What is not genuine is refused, whatever
// the manner.
func (rc *Receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	arrival := rc.read(w, r)
	rc.note(arrival)
	if arrival.Verdict.Genuine() {
		arrival.Reaction.perform(w, r, arrival, func() { rc.accept(arrival.ID) })
		return
	}
	arrival.refuse(w)
}

// note counts the arrival, lets the manner decide, and tells about it.
func (rc *Receiver) note(arrival *Arrival) {
	random := rc.options.Random()
	rc.mu.Lock()
	defer rc.mu.Unlock()
	rc.tally.add(arrival, func(number int) Reaction {
		return rc.options.Manner(Moment{Number: number, Elapsed: arrival.At.Sub(rc.started), Random: random})
	})
	if rc.options.Observe != nil {
		rc.options.Observe(arrival)
	}
	if rc.options.Out != nil {
		_, _ = io.WriteString(rc.options.Out, arrival.line(rc.options.Color)) // a closed pipe must not stop receiving
	}
}

func (rc *Receiver) accept(id string) {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	rc.tally.accept(id)
}

// Counts are the figures so far.
func (rc *Receiver) Counts() Counts {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	return rc.tally.counts
}

// Records are the remembered webhook-ids, in the order of their first arrival.
func (rc *Receiver) Records() []Record {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	return rc.tally.all()
}
