package demo

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// summarise adds up evidence and judgement.
func summarise(found *evidence, j judgement, l *ledger, maxP99 time.Duration) Summary {
	s := Summary{Machine: machine(), Faults: append(l.allFaults(), j.faults...)}
	s.sumUpDeliveries(j)
	s.sumUpEndpoints(found, j)
	s.sumUpLatencies(found, maxP99)
	s.sumUpPublishing(l)
	s.conclude()
	return s
}

// machine is what everything ran on, as far as a program can tell.
func machine() string {
	return fmt.Sprintf("%s of %s/%s, %s", plural(runtime.NumCPU(), "core"), runtime.GOOS, runtime.GOARCH, runtime.Version())
}

func (s *Summary) sumUpDeliveries(j judgement) {
	s.Deliveries = DeliveryTotals{
		Total: len(j.deliveries), ByState: make(map[delivery.State]int), ByReason: make(map[delivery.State]map[string]int),
	}
	type group struct {
		endpoint *endpoint
		state    delivery.State
		cause    cause
	}
	groups := make(map[group]*Explained)
	for _, d := range j.deliveries {
		s.Deliveries.ByState[d.State]++
		s.Deliveries.Attempts += d.AttemptCount
		if d.State == delivery.Delivered {
			continue
		}
		if s.Deliveries.ByReason[d.State] == nil {
			s.Deliveries.ByReason[d.State] = make(map[string]int)
		}
		s.Deliveries.ByReason[d.State][string(d.cause)]++
		at := group{d.endpoint, d.State, d.cause}
		if groups[at] == nil {
			groups[at] = &Explained{Endpoint: titleOf(d.endpoint), State: d.State, Cause: string(d.cause), Example: d.text, next: d.NextAttempt}
		}
		g := groups[at]
		g.Count++
		if d.NextAttempt.Before(g.next) {
			g.next, g.Example = d.NextAttempt, d.text
		}
	}
	for _, g := range groups {
		s.Explained = append(s.Explained, *g)
	}
	slices.SortFunc(s.Explained, func(a, b Explained) int {
		return cmp.Or(cmp.Compare(a.Endpoint, b.Endpoint), cmp.Compare(order(a.State), order(b.State)), cmp.Compare(a.Cause, b.Cause))
	})
}

// order is a state's place in a delivery's life.
func order(state delivery.State) int { return slices.Index(delivery.States, state) }

func (s *Summary) sumUpEndpoints(found *evidence, j judgement) {
	states := make(map[string]map[delivery.State]int)
	for _, d := range j.deliveries {
		if states[d.EndpointID] == nil {
			states[d.EndpointID] = make(map[delivery.State]int)
		}
		states[d.EndpointID][d.State]++
	}
	tenants := make(map[string]bool)
	for i := range found.witnesses {
		w := &found.witnesses[i]
		e, latencies := w.endpoint, w.latencies(found.entries)
		tenants[e.tenant] = true
		s.ByEndpoint = append(s.ByEndpoint, EndpointSummary{
			ID: e.id, Tenant: e.tenant, Name: e.name, Manner: e.character.label, Policy: e.policy,
			Status: found.views[e.id].Status, ByState: states[e.id], Requests: w.counts.Requests,
			P50: milliseconds(quantile(latencies, 0.5)), P99: milliseconds(quantile(latencies, 0.99)),
		})
		s.Received.Requests += w.counts.Requests
		s.Received.Distinct += w.counts.Distinct
		s.Received.Accepted += w.counts.Accepted
		s.Received.Repeated += w.counts.Repeated
		s.Received.Duplicates += w.counts.Duplicates
		s.Received.BadSignatures += w.counts.Forged
		s.Received.Bytes += w.counts.Bytes
	}
	s.Tenants, s.Endpoints = len(tenants), len(found.witnesses)
}

// sumUpLatencies looks at healthy endpoints only: the others are slow by nature.
func (s *Summary) sumUpLatencies(found *evidence, maxP99 time.Duration) {
	var all []time.Duration
	worst := time.Duration(-1)
	for i := range found.witnesses {
		w := &found.witnesses[i]
		if w.endpoint.character.expect != healthy {
			continue
		}
		own := w.latencies(found.entries)
		all = append(all, own...)
		s.Healthy.Endpoints++
		p99 := quantile(own, 0.99)
		if p99 > worst {
			worst, s.Healthy.WorstEndpoint = p99, w.endpoint.title()
		}
		if p99 > maxP99 {
			s.Faults = append(s.Faults, Fault{Kind: TooSlow, Endpoint: w.endpoint.title(), Detail: fmt.Sprintf(
				"its p99 from publish to receipt is %s over %d deliveries, and may be %s", short(p99), len(own), short(maxP99))})
		}
	}
	slices.Sort(all)
	s.Healthy.Deliveries = len(all)
	s.Healthy.P50, s.Healthy.P95, s.Healthy.P99 = milliseconds(quantile(all, 0.5)), milliseconds(quantile(all, 0.95)), milliseconds(quantile(all, 0.99))
	s.Healthy.WorstP99, s.Healthy.Limit = milliseconds(worst), milliseconds(maxP99)
}

func (s *Summary) sumUpPublishing(l *ledger) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.Events = EventTotals{
		Published: len(l.entries), Requests: l.requests, Batches: l.batches, Repeats: l.repeats, Bytes: l.bytes,
	}
	if seconds := l.took.Seconds(); seconds > 0 {
		s.Events.PerSecond = float64(len(l.entries)) / seconds
	}
}

func (s *Summary) conclude() {
	slow := 0
	for _, f := range s.Faults {
		if f.Kind == TooSlow {
			slow++
		}
	}
	wrong := len(s.Faults) - slow
	s.OK = len(s.Faults) == 0
	accounted := fmt.Sprintf("every one of %s events and %s deliveries is accounted for", grouped(s.Events.Published), grouped(s.Deliveries.Total))
	switch {
	case s.Events.Published == 0:
		s.OK, s.Verdict = false, "nothing was published"
	case wrong > 0:
		s.Verdict = fmt.Sprintf("%s among %s events and %s deliveries",
			plural(wrong, "fault"), grouped(s.Events.Published), grouped(s.Deliveries.Total))
	case slow > 0:
		s.Verdict = fmt.Sprintf("%s, but %s had to wait too long (as happens where the machine is busy with other things, too)", accounted, plural(slow, "healthy endpoint"))
	default:
		s.Verdict = accounted
	}
}
