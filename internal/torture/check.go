package torture

import (
	"cmp"
	"fmt"
	"slices"
)

// Promise is one that Malote gives. The names in brackets are the design's and
// the contracts'.
type Promise string

// The promises.
const (
	WithinLimit   Promise = "never more at once than the endpoint's limit, over all processes (I1, F03)"
	InOrder       Promise = "a strictly ordered endpoint sees events in the order of their publication (F04)"
	NothingAsleep Promise = "no delivery waits for a wake-up that nobody gives (I4)"
	LostIsLost    Promise = "a claim that was lost changes nothing (I5)"
	ExactlyOnce   Promise = "one key, one event (I7, G01)"
	Durable       Promise = "what was accepted is there (G01, F06)"
	NoInvention   Promise = "nothing is there, and nothing is sent, that nobody published (F06)"
	Accounted     Promise = "every event ends, at each endpoint that takes it, in one state with its reason (I9, G02)"
	Received      Promise = "what counts as delivered was received"
	AtMostOnce    Promise = "at most once is at most once (A06)"
	Recorded      Promise = "every request has its attempt, and every success its request (I9, I10)"
	Signed        Promise = "every request is signed, now and with the endpoint's secret (S04)"
	SameBytes     Promise = "bodies arrive byte for byte"
	Latest        Promise = "the last state of an entity is delivered (F13)"
	NotRefused    Promise = "no sound row of the outbox is refused"
)

// Violation is a promise that was broken.
type Violation struct {
	Promise  Promise
	Evidence string
}

func (v Violation) String() string { return string(v.Promise) + ": " + v.Evidence }

// checker is one judging.
type checker struct {
	*Journal
	endpoints  map[string]*Endpoint
	intents    map[Digest]*Intent
	events     map[string]*Event
	deliveries map[pair]*Delivery
	requests   map[pair][]*Request
	attempts   map[string][]*AttemptRecord
	found      []Violation
}

type pair struct{ event, endpoint string }

// Check names what was promised and not kept.
func Check(journal *Journal) []Violation {
	c := &checker{
		Journal: journal, endpoints: make(map[string]*Endpoint), intents: make(map[Digest]*Intent),
		events: make(map[string]*Event), deliveries: make(map[pair]*Delivery),
		requests: make(map[pair][]*Request), attempts: make(map[string][]*AttemptRecord),
	}
	for i := range c.Endpoints {
		c.endpoints[c.Endpoints[i].ID] = &c.Endpoints[i]
	}
	for i := range c.Intents {
		c.intents[c.Intents[i].Digest] = &c.Intents[i]
	}
	for i := range c.Attempts {
		c.attempts[c.Attempts[i].DeliveryID] = append(c.attempts[c.Attempts[i].DeliveryID], &c.Attempts[i])
	}
	for i := range c.Requests {
		r := &c.Requests[i]
		at := pair{r.EventID, r.Endpoint}
		c.requests[at] = append(c.requests[at], r)
	}
	c.checkEvents()
	c.checkAccounts()
	c.checkDeliveries()
	c.checkRequests()
	c.checkLimits()
	c.checkOrder()
	c.checkStates()
	if c.Stranded > 0 {
		c.blame(NothingAsleep, "the sweep woke %d lanes while nothing was disturbed", c.Stranded)
	}
	if c.Refused > 0 {
		c.blame(NotRefused, "%d rows were", c.Refused)
	}
	slices.SortStableFunc(c.found, func(a, b Violation) int { return cmp.Compare(a.Promise, b.Promise) })
	return c.found
}

func (c *checker) blame(p Promise, format string, arguments ...any) {
	c.found = append(c.found, Violation{p, fmt.Sprintf(format, arguments...)})
}

// checkEvents compares what was meant with what is recorded.
func (c *checker) checkEvents() {
	recorded := make(map[Digest][]*Event)
	for i := range c.Events {
		e := &c.Events[i]
		c.events[e.ID] = e
		recorded[e.Digest] = append(recorded[e.Digest], e)
		switch meant := c.intents[e.Digest]; {
		case meant == nil:
			c.blame(NoInvention, "%s of type %s has a body that nobody published", e.ID, e.Type)
		case meant.Certainty == Void:
			c.blame(NoInvention, "%s is of %s, which was rolled back", e.ID, meant.Key)
		}
	}
	for i := range c.Intents {
		c.checkIntent(&c.Intents[i], recorded[c.Intents[i].Digest])
	}
}

func (c *checker) checkIntent(meant *Intent, events []*Event) {
	if len(events) > 1 {
		c.blame(ExactlyOnce, "%s (%s) became %d events, %s and %s among them", meant.Key, meant.Way, len(events), events[0].ID, events[1].ID)
	}
	if len(events) == 0 {
		if meant.Certainty == Accepted {
			c.blame(Durable, "%s (%s) was accepted as %v and is not there", meant.Key, meant.Way, meant.EventIDs)
		}
		return
	}
	for _, answered := range meant.EventIDs {
		if !slices.ContainsFunc(events, func(e *Event) bool { return e.ID == answered }) {
			c.blame(ExactlyOnce, "%s (%s) is %s and was answered with %s", meant.Key, meant.Way, events[0].ID, answered)
		}
	}
}

// checkAccounts: each event has exactly one delivery for each endpoint that takes
// it, and no others.
func (c *checker) checkAccounts() {
	count := make(map[pair]int)
	for i := range c.Deliveries {
		d := &c.Deliveries[i]
		at := pair{d.EventID, d.EndpointID}
		count[at]++
		c.deliveries[at] = d
		event, endpoint := c.events[d.EventID], c.endpoints[d.EndpointID]
		switch {
		case event == nil:
			c.blame(Accounted, "%s is of the event %s, which is not there", d.ID, d.EventID)
		case endpoint == nil || !endpoint.takes(event.Type):
			c.blame(NoInvention, "%s goes to %q, which does not take %s", d.ID, d.EndpointID, event.Type)
		case count[at] == 2:
			c.blame(Accounted, "%s has several deliveries to %s", d.EventID, endpoint.Name)
		}
	}
	for i := range c.Events {
		for j := range c.Endpoints {
			event, endpoint := &c.Events[i], &c.Endpoints[j]
			if endpoint.takes(event.Type) && count[pair{event.ID, endpoint.ID}] == 0 {
				c.blame(Accounted, "%s (%s) has no delivery to %s, and no reason why", event.ID, event.Type, endpoint.Name)
			}
		}
	}
}

// checkStates: of an entity's states the last is delivered.
func (c *checker) checkStates() {
	last := make(map[string]*Event)
	for i := range c.Events {
		e := &c.Events[i]
		meant := c.intents[e.Digest]
		if meant == nil || meant.Entity == "" {
			continue
		}
		if known := last[meant.Entity]; known == nil || c.intents[known.Digest].Order < meant.Order {
			last[meant.Entity] = e
		}
	}
	for entity, e := range last {
		for i := range c.Endpoints {
			if d := c.deliveries[pair{e.ID, c.Endpoints[i].ID}]; d != nil && d.State == "superseded" {
				c.blame(Latest, "%s, the last state of %s, was never sent to %s: %s is %s", e.ID, entity, c.Endpoints[i].Name, d.ID, d.State)
			}
		}
	}
}
