package gaprepair

import (
	"encoding/json"
	"time"
)

// A state is what is kept of a source between two turns, beside the time up to
// which all was compared.
type state struct {
	Pass *pass `json:"pass,omitempty"` // the one under way
	// Asked is when, by the provider's clock, the last whole pass began: what was
	// due to be asked for by then, was.
	Asked    time.Time `json:"asked,omitzero"`
	Next     time.Time `json:"next,omitzero"`     // by our clock: nothing is done before
	Failures int       `json:"failures,omitzero"` // in a row
}

// A pass goes down the list from Began to From. Its times are the provider's.
type pass struct {
	Began time.Time `json:"began,omitzero"` // zero: no page was read
	From  time.Time `json:"from,omitzero"`  // zero: as far as it makes sense
	// Cursor is of the page that comes next, and Within the item on it up to
	// which all is done.
	Cursor string `json:"cursor,omitempty"`
	Within string `json:"within,omitempty"`
	Pages  int    `json:"pages,omitzero"`
	// Awaited is when the oldest of those happened that were asked for, or will be,
	// and have not come.
	Awaited time.Time `json:"awaited,omitzero"`
	Refused int       `json:"refused,omitzero"`
	GivenUp int       `json:"given_up,omitzero"`
}

// maxPages ends a pass that goes in circles, far beyond what a source can have
// in a week.
const maxPages = 100_000

// readState takes what it cannot read for nothing: the pass under way is begun
// again from where the last one ended.
func readState(text string) state {
	var s state
	if json.Unmarshal([]byte(text), &s) != nil {
		return state{}
	}
	return s
}

func (s state) text() string {
	text, err := json.Marshal(s)
	if err != nil {
		return "" // no part of it can fail
	}
	return string(text)
}

// notBefore is when a turn may begin. A time that no pause of ours can have led
// to is of a clock that was set back since.
func (s state) notBefore(now time.Time, interval time.Duration) time.Time {
	if s.Next.Sub(now) > max(interval, longestPause) {
		return now
	}
	return s.Next
}

// begin makes the next pass, if none is under way.
func (s *state) begin(checked time.Time) {
	if s.Pass == nil {
		s.Pass = &pass{}
		if !checked.IsZero() {
			s.Pass.From = checked.Add(-overlap)
		}
	}
}

// checked is up to where all has come in, once the pass is through.
func (p *pass) checked() time.Time {
	all := p.Began.Add(-settle)
	if !p.Awaited.IsZero() && p.Awaited.Before(all) {
		return p.Awaited
	}
	return all
}

func (p *pass) await(at time.Time) {
	if p.Awaited.IsZero() || at.Before(p.Awaited) {
		p.Awaited = at
	}
}
