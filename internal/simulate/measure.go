package simulate

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// Result is what an incident came to in one system.
type Result struct {
	System  System
	Healthy Group
	Slow    Group
	Samples []Sample // about Healthy, equally spaced over the time of publishing
}

// Group is what some destinations felt together. The figures are about events by
// when they were published, however much later they were delivered.
type Group struct {
	Before, During, After Latency // the time in which the slow ones are slow

	Attempts    int
	TimedOut    int           // of them
	Dead        int           // deliveries that were given up
	DrainedAt   time.Duration // since the beginning: when the last delivery was closed
	MostWaiting int           // deliveries without an attempt under way
	Oldest      time.Duration // the highest age of a delivery that was not closed yet, as the samples saw it
}

// Latency is the time from publish to the answer that made it delivered.
type Latency struct {
	Published, Delivered int
	InTime               int // delivered before the end of publishing
	P50, P95, P99, Max   time.Duration
}

// Sample is how Healthy was doing over one piece of the time of publishing.
type Sample struct {
	Until    time.Duration // the piece's end
	P50, P99 time.Duration // of what was published in it; 0: nothing was
	Waiting  int           // at its end, deliveries without an attempt under way
	Oldest   time.Duration // at its end, the age of the oldest that is not closed
}

// samples is how many pieces the time of publishing is cut into.
const samples = 120

// measure collects what destinations feel.
type measure struct {
	incident Incident
	arrivals []arrival
	took     []time.Duration // by arrival: publish to delivery; -1: not delivered
	closed   []bool          // by arrival

	groups  [2]Group // healthy, slow
	waiting [2]int
	samples []Sample
	oldest  [2]int // no arrival of the group before this one is open
}

const (
	healthy = 0
	slow    = 1
)

func newMeasure(i Incident, arrivals []arrival) *measure {
	m := &measure{
		incident: i, arrivals: arrivals,
		took: make([]time.Duration, len(arrivals)), closed: make([]bool, len(arrivals)),
	}
	for n := range m.took {
		m.took[n] = -1
	}
	return m
}

func (m *measure) groupOf(n int) int {
	if m.arrivals[n].destination < m.incident.SlowDestinations {
		return slow
	}
	return healthy
}

func (m *measure) published(n int) { m.wait(m.groupOf(n), 1) }

func (m *measure) wait(group, more int) {
	m.waiting[group] += more
	m.groups[group].MostWaiting = max(m.groups[group].MostWaiting, m.waiting[group])
}

func (m *measure) began(a *Attempt) {
	group := m.groupOf(a.Delivery.Number)
	m.wait(group, -1)
	m.groups[group].Attempts++
}

func (m *measure) ended(a *Attempt) {
	n := a.Delivery.Number
	group := m.groupOf(n)
	if a.Decision.ErrorCode == delivery.Timeout {
		m.groups[group].TimedOut++
	}
	if a.Delivery.State.Open() {
		m.wait(group, 1)
		return
	}
	m.closed[n] = true
	m.groups[group].DrainedAt = a.EndedAt.Sub(began)
	if a.Delivery.State == delivery.Delivered {
		m.took[n] = a.EndedAt.Sub(a.Delivery.AcceptedAt)
	} else {
		m.groups[group].Dead++
	}
}

// sampleUntil plans the looks at what waits.
func (m *measure) sampleUntil(p *platform, end time.Duration) {
	for n := range time.Duration(samples) {
		until := end * (n + 1) / samples
		p.at(began.Add(until), func() {
			m.samples = append(m.samples, Sample{Until: until, Waiting: m.waiting[healthy], Oldest: m.age(healthy, until)})
			m.age(slow, until)
		})
	}
}

// age is how old the oldest open delivery of the group is.
func (m *measure) age(group int, at time.Duration) time.Duration {
	oldest := m.oldest[group]
	for oldest < len(m.arrivals) && (m.closed[oldest] || m.groupOf(oldest) != group) {
		oldest++
	}
	m.oldest[group] = oldest
	if oldest == len(m.arrivals) || m.arrivals[oldest].at > at {
		return 0
	}
	age := at - m.arrivals[oldest].at
	m.groups[group].Oldest = max(m.groups[group].Oldest, age)
	return age
}

func (m *measure) result(system System) Result {
	i := m.incident
	for group := range m.groups {
		m.groups[group].Before = m.latency(group, 0, i.SlowFrom)
		m.groups[group].During = m.latency(group, i.SlowFrom, i.SlowUntil)
		m.groups[group].After = m.latency(group, i.SlowUntil, i.Duration)
	}
	from := time.Duration(0)
	for n := range m.samples {
		piece := m.latency(healthy, from, m.samples[n].Until)
		m.samples[n].P50, m.samples[n].P99 = piece.P50, piece.P99
		from = m.samples[n].Until
	}
	return Result{System: system, Healthy: m.groups[healthy], Slow: m.groups[slow], Samples: m.samples}
}

// latency is about what was published in [from, until).
func (m *measure) latency(group int, from, until time.Duration) Latency {
	var l Latency
	var took []time.Duration
	for n := m.firstFrom(from); n < len(m.arrivals) && m.arrivals[n].at < until; n++ {
		if m.groupOf(n) != group {
			continue
		}
		l.Published++
		if m.took[n] < 0 {
			continue
		}
		took = append(took, m.took[n])
		if m.arrivals[n].at+m.took[n] <= m.incident.Duration {
			l.InTime++
		}
	}
	l.Delivered = len(took)
	slices.Sort(took)
	l.P50, l.P95, l.P99, l.Max = rank(took, 0.5), rank(took, 0.95), rank(took, 0.99), rank(took, 1)
	return l
}

// firstFrom is the first arrival that is not earlier: they are in order.
func (m *measure) firstFrom(at time.Duration) int {
	n, _ := slices.BinarySearchFunc(m.arrivals, at, func(a arrival, at time.Duration) int { return cmp.Compare(a.at, at) })
	return n
}

// rank is the nearest-rank percentile of what is sorted; 0 of nothing.
func rank(sorted []time.Duration, share float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[int(math.Ceil(share*float64(len(sorted))))-1]
}
