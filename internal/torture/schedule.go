package torture

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// Kind is a kind of fault.
type Kind string

// The kinds of faults.
const (
	Kill       Kind = "kill -9"
	Stop       Kind = "stop in order" // as a rolling deploy does
	Pause      Kind = "pause"
	PauseLong  Kind = "pause beyond the lease"
	Crash      Kind = "crash of PostgreSQL"
	Terminate  Kind = "end of database sessions"
	LoseCommit Kind = "loss of a COMMIT's acknowledgement"
	LoseAnswer Kind = "loss of a statement's answer"
	Cut        Kind = "cut of database connections"
	HalfOpen   Kind = "half-open database connections"
	Stall      Kind = "slow network to the database"
	DiskFull   Kind = "disk full"
	ReadOnly   Kind = "read-only database"
	Name       Kind = "name that does not resolve"
	TLS        Kind = "TLS fault"
	Misbehave  Kind = "misbehaving receiver"
	Burst      Kind = "burst of events"
)

// Kinds lists all of them.
var Kinds = []Kind{
	Kill, Stop, Pause, PauseLong, Crash, Terminate, LoseCommit, LoseAnswer, Cut, HalfOpen, Stall, DiskFull, ReadOnly,
	Name, TLS, Misbehave, Burst,
}

// Fault is one fault of a schedule.
type Fault struct {
	At     time.Duration // since the beginning
	Kind   Kind
	Target string        // a process or an endpoint; "": the kind says it all
	For    time.Duration // until it is over
	Manner int           // which of several manners; the harness knows how many there are
}

func (f Fault) String() string {
	text := fmt.Sprintf("%6.2fs %s", f.At.Seconds(), f.Kind)
	if f.Target != "" {
		text += " of " + f.Target
	}
	return text + fmt.Sprintf(" for %.1fs", f.For.Seconds())
}

// Scene is what there is to be hurt.
type Scene struct {
	Processes []string // all
	Workers   []string // of them
	Receivers []string
	Lease     time.Duration
	Kinds     []Kind // none: all
}

// often is how often a kind is in the deck, if more than once.
var often = map[Kind]int{Kill: 3, Terminate: 2, LoseCommit: 3, LoseAnswer: 2, Misbehave: 3, Cut: 2, Crash: 2}

// Plan makes the schedule of a seed, for so long a time. It depends on its
// arguments alone. Kinds are dealt from a deck, so that a run of a minute has
// every kind; what is longer than what is left of the time is shortened.
func Plan(seed uint64, duration time.Duration, scene Scene) []Fault {
	random := rand.New(rand.NewPCG(seed, 0x70727475)) //nolint:gosec // a schedule, not a secret
	kinds := scene.Kinds
	if len(kinds) == 0 {
		kinds = Kinds
	}
	var plan []Fault
	var deck []Kind
	paused := time.Duration(0) // until then a worker is paused beyond its lease; somebody has to work meanwhile
	for at := between(random, 300*time.Millisecond, time.Second); at < duration; at += between(random, 300*time.Millisecond, 1700*time.Millisecond) {
		if len(deck) == 0 {
			deck = deal(random, kinds)
		}
		fault := fault(random, deck[0], scene)
		deck = deck[1:]
		fault.At = at
		switch {
		case fault.Kind != PauseLong:
		case at < paused || at+fault.For > duration+scene.Lease/2:
			fault.Kind, fault.For = Pause, between(random, 100*time.Millisecond, 2*time.Second)
		default:
			paused = at + fault.For
		}
		plan = append(plan, fault)
	}
	return plan
}

// deal shuffles a deck; the longest fault lies on top, or a short run could not
// have it.
func deal(random *rand.Rand, kinds []Kind) []Kind {
	var deck []Kind
	for _, kind := range kinds {
		for range max(1, often[kind]) {
			deck = append(deck, kind)
		}
	}
	random.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
	for i, kind := range deck {
		if kind == PauseLong {
			deck[0], deck[i] = deck[i], deck[0]
			break
		}
	}
	return deck
}

func fault(random *rand.Rand, kind Kind, scene Scene) Fault {
	pick := func(of []string) string { return of[random.IntN(len(of))] }
	f := Fault{Kind: kind, Manner: random.IntN(1 << 16), For: between(random, 200*time.Millisecond, 1500*time.Millisecond)}
	switch kind {
	case Kill, Stop, LoseCommit, LoseAnswer, Cut, Stall:
		f.Target = pick(scene.Processes)
	case Pause:
		f.Target, f.For = pick(scene.Processes), between(random, 100*time.Millisecond, 2*time.Second)
	case PauseLong:
		f.Target, f.For = pick(scene.Workers), scene.Lease+between(random, 500*time.Millisecond, 3*time.Second)
	case HalfOpen:
		f.Target, f.For = pick(scene.Processes), between(random, 2*time.Second, 15*time.Second)
	case Crash:
		// Longer than a deadline: see the harness.
		f.For = between(random, 1200*time.Millisecond, 2500*time.Millisecond)
	case Misbehave:
		f.Target, f.For = pick(scene.Receivers), between(random, time.Second, 5*time.Second)
	case TLS, Name:
		f.For = between(random, time.Second, 4*time.Second)
	}
	return f
}

func between(random *rand.Rand, least, most time.Duration) time.Duration {
	return least + time.Duration(random.Int64N(int64(most-least)))
}
