package receiver

import (
	"net/http"
	"strconv"
	"time"
)

// Manner decides how a receiver reacts to a genuine request. It is called by
// several goroutines at once, so it keeps no state of its own.
type Manner func(Moment) Reaction

// Moment is what a Manner may go by.
type Moment struct {
	Number  int           // of the genuine requests, from 1, repetitions included
	Elapsed time.Duration // since the receiver was made
	Random  float64       // uniform in [0,1)
}

// Ending is how an exchange ends.
type Ending string

// The endings. All of them come after the whole request was read.
const (
	Whole    Ending = ""          // a whole answer
	Reset    Ending = "reset"     // no answer: the connection is reset
	Hang     Ending = "hang"      // no answer: the connection stays open until the sender closes it
	BreakOff Ending = "break_off" // status, headers and half of the body, then the connection is closed
	Drip     Ending = "drip"      // the body comes byte by byte
)

// Reaction is what a receiver does with one request.
type Reaction struct {
	Delay      time.Duration // before the answer begins
	Status     int           // 0: 200
	RetryAfter string        // header; "": none
	Location   string        // header; "": none
	Ending     Ending

	Bytes int           // Drip: how many
	Pause time.Duration // Drip: before each of them
}

// StatusCode is the status of the answer; 0: there is none.
func (r Reaction) StatusCode() int {
	switch {
	case r.Ending == Reset || r.Ending == Hang:
		return 0
	case r.Status == 0:
		return http.StatusOK
	default:
		return r.Status
	}
}

// Accepts says whether the receiver takes the webhook over, if the sender waits
// for it: another request with the same id is a duplicate afterwards.
func (r Reaction) Accepts() bool {
	status := r.StatusCode()
	return status >= 200 && status <= 299
}

// always reacts to everything in the same way.
func always(reaction Reaction) Manner {
	return func(Moment) Reaction { return reaction }
}

// Polite answers 200 at once.
func Polite() Manner { return always(Reaction{}) }

// Status answers with a status, 200 to 599, at once.
func Status(status int) Manner { return always(Reaction{Status: status}) }

// Busy answers with a status and Retry-After, in whole seconds.
func Busy(status int, wait time.Duration) Manner {
	return always(Reaction{Status: status, RetryAfter: strconv.Itoa(int(wait / time.Second))})
}

// Redirect answers with a 3xx status that points elsewhere.
func Redirect(status int, location string) Manner {
	return always(Reaction{Status: status, Location: location})
}

// Resetting reads the request and resets the connection.
func Resetting() Manner { return always(Reaction{Ending: Reset}) }

// Silent never answers and holds the connection until the sender gives up.
func Silent() Manner { return always(Reaction{Ending: Hang}) }

// BreakingOff begins to answer 200 and closes the connection in mid-body.
func BreakingOff() Manner { return always(Reaction{Ending: BreakOff}) }

// Dripping answers 200 with so many bytes, each after a pause.
func Dripping(bytes int, pause time.Duration) Manner {
	return always(Reaction{Ending: Drip, Bytes: bytes, Pause: pause})
}

// Delayed does the same as then, later.
func Delayed(delay time.Duration, then Manner) Manner {
	return Jittered(delay, delay, then)
}

// Jittered does the same as then after a random time from least to less than
// most.
func Jittered(least, most time.Duration, then Manner) Manner {
	return func(m Moment) Reaction {
		reaction := then(m)
		reaction.Delay += least + time.Duration(m.Random*float64(most-least))
		return reaction
	}
}

// First reacts to the first n requests with bad and to the others with then.
func First(n int, bad, then Manner) Manner {
	return choose(func(m Moment) bool { return m.Number <= n }, bad, then)
}

// During reacts with bad from one moment of the receiver's life until before
// another, and with then at all other times.
func During(from, to time.Duration, bad, then Manner) Manner {
	return choose(func(m Moment) bool { return m.Elapsed >= from && m.Elapsed < to }, bad, then)
}

// Every reacts to every nth request with good and to the others with bad.
func Every(n int, good, bad Manner) Manner {
	return choose(func(m Moment) bool { return m.Number%n == 0 }, good, bad)
}

func choose(first func(Moment) bool, one, other Manner) Manner {
	return func(m Moment) Reaction {
		if first(m) {
			return one(m)
		}
		return other(m)
	}
}
