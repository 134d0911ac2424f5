// Package payload makes the events that the demo publishes: JSON in the shapes
// of well-known webhooks, with contents of our own. It is deterministic: the
// same seed and number always give the same bytes.
//
// The bytes are chosen to be changed by whoever decodes and encodes them: key
// order, names that come twice, white space, escapes, numbers of 20 digits,
// numbers such as 10.00, emoji as they are and as surrogate pairs, \u0000.
//
// It must never know the API, HTTP or the clock.
package payload

import (
	"math/rand/v2"
	"time"
)

// The sizes of Data, in bytes.
const (
	MinBytes = 1
	MaxBytes = 200 << 10
)

// Payload is what one event is about.
type Payload struct {
	Type    string
	Data    []byte // one JSON value, MinBytes to MaxBytes long
	Entity  string // whose state it tells, for coalescing; "" for facts
	Version string // of the entity
}

// Types are all types that Make gives.
var Types = []string{
	"heartbeat", "invoice.paid", "invoice.payment_failed", "message.created",
	"order.created", "order.updated", "pix.received", "pix.returned", "repo.push",
}

// source is what a shape is made from: randomness, an instant, and about how
// many bytes are wanted.
type source struct {
	*rand.Rand
	at    time.Time
	about int
}

type shape func(*source) Payload

// mix is how often each shape comes, in percent.
var mix = []struct {
	percent int
	make    shape
}{
	{36, message},
	{28, order},
	{20, pix},
	{7, invoice},
	{6, push},
	{3, heartbeat},
}

// epoch is the instant of number 0; one event comes every stride.
var epoch = time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC)

const stride = 37 * time.Millisecond

// Make makes the payload with a number, 0 or more. Out of every 250 in a row one
// has about MaxBytes, and one MinBytes.
func Make(seed uint64, number int) Payload {
	s := &source{
		Rand: rand.New(rand.NewPCG(seed, uint64(number))),
		at:   epoch.Add(time.Duration(number) * stride),
	}
	switch number % 250 {
	case 60:
		return heartbeat(s)
	case 150:
		s.about = MaxBytes - 3<<10 // a shape ends with the item that reaches the size
		return []shape{push, order, invoice}[number/250%3](s)
	}
	s.about = s.size()
	return s.shape()(s)
}

// size is small most of the time, as webhooks are.
func (s *source) size() int {
	switch n := s.IntN(100); {
	case n < 70:
		return 200 + s.IntN(1000)
	case n < 95:
		return 1000 + s.IntN(5000)
	default:
		return 6000 + s.IntN(20_000)
	}
}

func (s *source) shape() shape {
	at := s.IntN(100)
	for _, part := range mix {
		if at -= part.percent; at < 0 {
			return part.make
		}
	}
	return message
}

// heartbeat is the smallest event there is: one digit.
func heartbeat(s *source) Payload {
	return Payload{Type: "heartbeat", Data: []byte{'0' + byte(s.IntN(10))}}
}
