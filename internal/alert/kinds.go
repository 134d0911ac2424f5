package alert

import (
	"slices"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
)

// The circuit's signals among all others.
const (
	circuitOpened    = delivery.SignalKind(circuit.CircuitOpened)
	circuitClosed    = delivery.SignalKind(circuit.CircuitClosed)
	endpointFailing  = delivery.SignalKind(circuit.EndpointFailing)
	endpointDisabled = delivery.SignalKind(circuit.EndpointDisabled)
)

// topic is what there is to say of one kind of signal. Every message says what to
// do.
type topic struct {
	kind   delivery.SignalKind
	event  string // the event's type
	one    string // subject of a notice of one signal; %s: whose or where
	many   string // subject of a notice of several; %d: how many
	advice string

	ends delivery.SignalKind // what is over with it; "": nothing
}

// MailType is the type of what is mailed to tenants' own addresses: the type of
// the operators' notice behind it.
const MailType = "malote.mail."

// Types that begin so are Malote's own events.
const typePrefix = "malote."

// topics are all kinds, in the order in which they are told.
var topics = []topic{
	{
		kind: delivery.DeliveryDead, event: typePrefix + "delivery.dead",
		one: "A delivery of %s entered the DLQ", many: "%d deliveries entered the DLQ",
		advice: "Find out why with malote deliveries show ID; once the endpoint works, malote replay ID sends it again, and malote deliveries resolve ID takes it off the list.",
	},
	{
		kind: delivery.ManyFailures, event: typePrefix + "tenant.many_failures",
		one: "Many deliveries of %s fail", many: "Many deliveries of %d tenants fail",
		advice: "See malote deliveries list --state dead --tenant TENANT: if one endpoint is to blame, tell whoever runs it; if all are, look at the network between here and there.",
	},
	{
		kind: delivery.DeadUnattended, event: typePrefix + "dead_letters.unattended",
		one: "Dead deliveries of %s are waiting for somebody", many: "Dead deliveries of %d tenants are waiting for somebody",
		advice: "Work them off: malote replay, or malote deliveries resolve with a reason.",
	},
	{
		kind: endpointFailing, event: typePrefix + "endpoint.failing",
		one: "An endpoint of %s has been failing for days", many: "%d endpoints have been failing for days",
		advice: "Tell its technical contact: it will be disabled, as its policy says. malote endpoints show ID says how it fails.",
	},
	{
		kind: endpointDisabled, event: typePrefix + "endpoint.disabled",
		one: "An endpoint of %s was disabled", many: "%d endpoints were disabled",
		advice: "What is pending is kept. When it works again: malote endpoints enable ID, then malote endpoints recover ID for what it missed.",
	},
	{
		kind: circuitOpened, event: typePrefix + "circuit.opened",
		one: "An endpoint of %s fails and is left alone for a while", many: "%d endpoints fail and are left alone for a while",
		advice: "Nothing is lost: deliveries wait, and one is tried from time to time. If many opened at once, look at this side of the network.",
	},
	{
		kind: circuitClosed, event: typePrefix + "circuit.closed", ends: circuitOpened,
		one: "An endpoint of %s is well again", many: "%d endpoints are well again",
		advice: "Nothing needs to be done.",
	},
	{
		kind: delivery.LagHigh, event: typePrefix + "lag.high",
		one: "Deliveries are late", many: "Deliveries are late",
		advice: "The workers do not keep up: see malote doctor, add a process with --role worker or raise --max-in-flight, and look at the database's load.",
	},
	{
		kind: delivery.LagRecovered, event: typePrefix + "lag.recovered", ends: delivery.LagHigh,
		one: "Deliveries are in time again", many: "Deliveries are in time again",
		advice: "Nothing needs to be done.",
	},
	{
		kind: delivery.RelayLagging, event: typePrefix + "relay.lagging",
		one: "An outbox is not carried in time", many: "%d outboxes are not carried in time",
		advice: "See that a malote serve with the role relay runs and has the outbox (--outbox), and what it logs; malote doctor looks at each.",
	},
	{
		kind: delivery.RelayRecovered, event: typePrefix + "relay.recovered", ends: delivery.RelayLagging,
		one: "An outbox is carried in time again", many: "%d outboxes are carried in time again",
		advice: "Nothing needs to be done.",
	},
}

// Kinds lists every kind that is told of.
func Kinds() []delivery.SignalKind {
	kinds := make([]delivery.SignalKind, len(topics))
	for i, t := range topics {
		kinds[i] = t.kind
	}
	return kinds
}

func topicOf(kind delivery.SignalKind) (topic, bool) {
	i := slices.IndexFunc(topics, func(t topic) bool { return t.kind == kind })
	if i < 0 {
		return topic{}, false
	}
	return topics[i], true
}

// families are the kinds that are looked at together: each with what ends it.
func families() [][]delivery.SignalKind {
	var all [][]delivery.SignalKind
	for _, t := range topics {
		if t.ends != "" {
			continue
		}
		family := []delivery.SignalKind{t.kind}
		if end := slices.IndexFunc(topics, func(other topic) bool { return other.ends == t.kind }); end >= 0 {
			family = append(family, topics[end].kind)
		}
		all = append(all, family)
	}
	return all
}
