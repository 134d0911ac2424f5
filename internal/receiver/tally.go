package receiver

import (
	"crypto/sha256"
	"time"
)

// Counts are a receiver's figures since it was made.
type Counts struct {
	Requests   int   // all
	Genuine    int   // verified, or unverified where there is nothing to verify with
	Forged     int   // whose signature did not hold, or not then
	Refused    int   // that were not whole webhooks
	Distinct   int   // different webhook-ids
	Accepted   int   // different webhook-ids that were accepted
	Repeated   int   // genuine requests whose id had come before
	Duplicates int   // of them, those whose id had been accepted before
	Differing  int   // of the repeated, those with other bytes than the first
	Bytes      int64 // of all bodies
}

// Record is what is remembered of one webhook-id.
type Record struct {
	ID         string
	FirstAt    time.Time
	Latency    time.Duration     // of the first request; NoLatency: unknown
	Digest     [sha256.Size]byte // of the first request's body
	Requests   int
	Duplicates int  // requests after it was accepted
	Accepted   bool // by one of them
	Differs    bool // at least one had another body than the first
}

// tally counts and remembers. Whoever uses it holds the receiver's lock.
type tally struct {
	counts  Counts
	limit   int
	records map[string]*Record
	order   []string // ids by first arrival; those before oldest are forgotten
	oldest  int
}

func newTally(limit int) tally {
	return tally{limit: limit, records: map[string]*Record{}}
}

// add counts an arrival. react is asked how to react to a genuine one, which it
// is given the number of.
func (t *tally) add(arrival *Arrival, react func(number int) Reaction) {
	t.counts.Requests++
	t.counts.Bytes += int64(arrival.Size)
	switch arrival.Verdict {
	case Forged:
		t.counts.Forged++
	case Refused:
		t.counts.Refused++
	default:
		t.counts.Genuine++
		arrival.Reaction = react(t.counts.Genuine)
		t.remember(arrival)
	}
}

func (t *tally) remember(arrival *Arrival) {
	if arrival.ID == "" { // unverified, and nothing to recognise it by
		return
	}
	record, known := t.records[arrival.ID]
	if !known {
		record = t.first(arrival)
	} else {
		t.again(record, arrival)
	}
	record.Requests++
}

// accept takes down that a webhook is accepted. It may be forgotten by now.
func (t *tally) accept(id string) {
	if record := t.records[id]; record != nil && !record.Accepted {
		record.Accepted = true
		t.counts.Accepted++
	}
}

func (t *tally) first(arrival *Arrival) *Record {
	record := &Record{ID: arrival.ID, FirstAt: arrival.At, Latency: arrival.Latency, Digest: arrival.Digest}
	t.counts.Distinct++
	t.records[record.ID] = record
	t.order = append(t.order, record.ID)
	if len(t.records) > t.limit {
		t.forget()
	}
	return record
}

func (t *tally) again(record *Record, arrival *Arrival) {
	arrival.Repeated, arrival.Latency = true, NoLatency
	t.counts.Repeated++
	if arrival.Digest != record.Digest {
		arrival.Differs, record.Differs = true, true
		t.counts.Differing++
	}
	if record.Accepted {
		arrival.Duplicate = true
		record.Duplicates++
		t.counts.Duplicates++
	}
}

func (t *tally) forget() {
	delete(t.records, t.order[t.oldest])
	t.oldest++
	if t.oldest > t.limit { // more than half of order is dead: move the rest to the front
		t.order = append(t.order[:0], t.order[t.oldest:]...)
		t.oldest = 0
	}
}

func (t *tally) all() []Record {
	list := make([]Record, 0, len(t.records))
	for _, id := range t.order[t.oldest:] {
		list = append(list, *t.records[id])
	}
	return list
}
