package demo

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/malotehq/malote/internal/delivery"
)

// judgement is what the evidence comes to.
type judgement struct {
	faults     []Fault
	deliveries []judged
}

// judged is a delivery with the endpoint that it goes to and what explains it.
type judged struct {
	deliveryView
	endpoint *endpoint // nil: the event matched none
	explanation
}

// court is one judging. It is pure: only the evidence counts.
type court struct {
	*evidence
	endpoints map[string]*endpoint
	seen      map[string]*witness // by endpoint id
	records   map[pairing]int     // of deliveries
	result    judgement
}

// pairing is an event and an endpoint; "": the event matched none.
type pairing struct{ event, endpoint string }

// judge holds ledger, API and receivers against each other.
func judge(found *evidence) judgement {
	c := &court{
		evidence: found, endpoints: make(map[string]*endpoint), seen: make(map[string]*witness), records: make(map[pairing]int),
	}
	for i := range found.witnesses {
		w := &found.witnesses[i]
		c.endpoints[w.endpoint.id], c.seen[w.endpoint.id] = w.endpoint, w
	}
	c.judgeEvents()
	c.judgeDeliveries()
	c.judgeRecords()
	c.judgeArrivals()
	slices.SortStableFunc(c.result.faults, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Endpoint, b.Endpoint), cmp.Compare(a.Event, b.Event))
	})
	return c.result
}

func (c *court) fault(f Fault, format string, arguments ...any) {
	f.Detail = fmt.Sprintf(format, arguments...)
	c.result.faults = append(c.result.faults, f)
}

// judgeEvents: what was published is listed, and nothing else.
func (c *court) judgeEvents() {
	listed := make(map[string]bool)
	for tenant, events := range c.events {
		for _, e := range events {
			published, known := c.entries[e.ID]
			switch {
			case !known:
				c.fault(Fault{Kind: InventedEvent, Event: e.ID}, "nobody published this %s for %s", e.Type, tenant)
			case published.tenant != tenant || published.kind != e.Type:
				c.fault(Fault{Kind: InventedEvent, Event: e.ID}, "it was published as %s for %s and is listed as %s for %s",
					published.kind, published.tenant, e.Type, tenant)
			case listed[e.ID]:
				c.fault(Fault{Kind: InventedEvent, Event: e.ID}, "it is listed twice")
			}
			listed[e.ID] = true
		}
	}
	for id, published := range c.entries {
		if !listed[id] {
			c.fault(Fault{Kind: LostEvent, Event: id}, "it was published for %s and is not listed", published.tenant)
		}
	}
}

// judgeDeliveries: every record is explained, and true.
func (c *court) judgeDeliveries() {
	for _, d := range c.deliveries {
		c.records[pairing{d.EventID, d.EndpointID}]++
		e, known := c.endpoints[d.EndpointID]
		if !known && d.EndpointID != "" {
			c.fault(Fault{Kind: ExtraDelivery, Event: d.EventID, Delivery: d.ID}, "it goes to %s, which is none of ours", d.EndpointID)
			continue
		}
		why, kind := c.explain(d, e)
		if kind != "" {
			c.fault(Fault{Kind: kind, Event: d.EventID, Delivery: d.ID, Endpoint: titleOf(e)}, "%s", why.text)
		}
		c.result.deliveries = append(c.result.deliveries, judged{d, e, why})
		if known {
			c.judgeReceipt(d, e)
		}
	}
}

func idOf(e *endpoint) string {
	if e == nil {
		return ""
	}
	return e.id
}

func titleOf(e *endpoint) string {
	if e == nil {
		return ""
	}
	return e.title()
}

// explain explains a record; a fault kind: it cannot, or must not be so.
func (c *court) explain(d deliveryView, e *endpoint) (explanation, FaultKind) {
	if e == nil {
		return explainUnmatched(d)
	}
	why, kind := explain(d, c.views[e.id], e.contract, c.at)
	if kind == "" && e.character.expect == healthy && !c.wellOff(d, e) {
		kind = Undelivered
	}
	return why, kind
}

// wellOff says whether a delivery is where a healthy endpoint's must be.
func (c *court) wellOff(d deliveryView, e *endpoint) bool {
	switch d.State {
	case delivery.Delivered, delivery.Superseded:
		return true
	default:
		return d.SkipReason == delivery.TypeNotSubscribed && !e.subscribes(c.entries[d.EventID].kind)
	}
}

// judgeReceipt: a delivered one was accepted by its receiver, and no request
// went without an attempt. Open deliveries may have one more by now.
func (c *court) judgeReceipt(d deliveryView, e *endpoint) {
	record, received := c.seen[e.id].records[d.EventID]
	about := Fault{Event: d.EventID, Delivery: d.ID, Endpoint: e.title()}
	if d.State == delivery.Delivered && !(received && record.Accepted) {
		about.Kind = NotReceived
		c.fault(about, "it counts as delivered, and the receiver accepted nothing with this id")
	}
	if !d.State.Open() && record.Requests > d.AttemptCount {
		about.Kind = UnknownRequests
		c.fault(about, "the receiver saw %d requests, and %d attempts are recorded", record.Requests, d.AttemptCount)
	}
}

// judgeRecords: each event has one record for every recipient, and as many as
// its publisher was told.
func (c *court) judgeRecords() {
	for id, published := range c.entries {
		total := 0
		for _, e := range c.recipients(published) {
			at := pairing{id, idOf(e)}
			records := c.records[at]
			delete(c.records, at)
			total += records
			about := Fault{Event: id, Endpoint: titleOf(e)}
			switch {
			case records == 0:
				about.Kind = LostDelivery
				c.fault(about, "there is no record of what became of this %s", published.kind)
			case records > 1:
				about.Kind = ExtraDelivery
				c.fault(about, "there are %d deliveries where there must be one", records)
			}
		}
		if total != published.promised {
			c.fault(Fault{Kind: BrokenPromise, Event: id}, "its publisher was told of %d deliveries, and there are %d", published.promised, total)
		}
	}
	for left := range c.records {
		c.fault(Fault{Kind: ExtraDelivery, Event: left.event, Endpoint: titleOf(c.endpoints[left.endpoint])},
			"there is a delivery that its event and endpoint do not account for")
	}
}

// recipients are the endpoints for which an event must have a record: those that
// subscribe, and those whose policy keeps a record of what they do not want. If
// there are none, nil stands for the one record that says so.
func (c *court) recipients(published entry) []*endpoint {
	var wanted []*endpoint
	for _, e := range c.endpoints {
		if e.tenant == published.tenant && (e.subscribes(published.kind) || e.contract.RecordsSkip(delivery.TypeNotSubscribed)) {
			wanted = append(wanted, e)
		}
	}
	if len(wanted) == 0 {
		return []*endpoint{nil}
	}
	return wanted
}

// judgeArrivals: whatever arrived was published for this endpoint, has the
// publisher's bytes, and the same ones every time.
func (c *court) judgeArrivals() {
	for i := range c.witnesses {
		w := &c.witnesses[i]
		if n := w.counts.Forged + w.counts.Refused; n > 0 {
			c.fault(Fault{Kind: BadSignature, Endpoint: w.endpoint.title()}, "%d request(s) were not soundly signed", n)
		}
		for id, record := range w.records {
			about := Fault{Event: id, Endpoint: w.endpoint.title()}
			published, known := c.entries[id]
			if !known || published.tenant != w.endpoint.tenant || !w.endpoint.subscribes(published.kind) {
				about.Kind = InventedArrival
				c.fault(about, "it arrived and was not published for this endpoint")
				continue
			}
			if !sameData(w.endpoint, published, record.Digest) {
				about.Kind = OtherData
				c.fault(about, "the body does not hold the bytes that were published")
			}
			if record.Differs {
				about.Kind = ChangedBytes
				c.fault(about, "it came %d times, and not always with the same bytes", record.Requests)
			}
		}
	}
}

func sameData(e *endpoint, published entry, body digest) bool {
	if published.raw {
		return body == published.data
	}
	data, found := e.dataOf(published.id)
	return found && data == published.data
}
