package alert

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// A notice shows the first few of what it tells of: enough to see what they have in
// common.
const (
	itemsShown   = 10
	tenantsShown = 10
)

// noticeData is the data of Malote's own events. subject and text are what the
// policies slack and email show.
type noticeData struct {
	Subject  string        `json:"subject"`
	Text     string        `json:"text"`
	Kind     string        `json:"kind"`
	Resolved bool          `json:"resolved"` // something that was told of is over
	Count    int           `json:"count"`
	Since    time.Time     `json:"since"` // the first of them
	Until    time.Time     `json:"until"` // the last of them
	Tenants  []tenantCount `json:"tenants"`
	Items    []item        `json:"items"` // the first of them
	Advice   string        `json:"advice"`
}

// tenantCount is how many signals are about a tenant. Those with most come first,
// and not all are there.
type tenantCount struct {
	Tenant string `json:"tenant"`
	Count  int    `json:"count"`
}

// item is one signal.
type item struct {
	Signal    string    `json:"signal"`
	At        time.Time `json:"at"`
	Tenant    string    `json:"tenant,omitempty"`
	Detail    string    `json:"detail"`
	Endpoint  string    `json:"endpoint,omitempty"`
	Host      string    `json:"host,omitempty"` // of the endpoint's URL, whose rest may be a secret
	Contact   string    `json:"technical_contact,omitempty"`
	Delivery  string    `json:"delivery,omitempty"`
	Event     string    `json:"event,omitempty"`
	EventType string    `json:"event_type,omitempty"`
}

func itemOf(s delivery.Signal, untold delivery.Untold) item {
	i := item{Signal: s.ID.Format(delivery.SignalPrefix), At: milliseconds(s.At), Detail: s.Detail, EventType: s.EventType}
	if !s.Kind.OfWhole() {
		i.Tenant = s.Tenant
	}
	if !s.EndpointID.IsZero() {
		i.Endpoint, i.Host = s.EndpointID.Format(delivery.EndpointPrefix), untold.Hosts[s.EndpointID]
	}
	if !s.DeliveryID.IsZero() {
		i.Delivery = s.DeliveryID.Format(delivery.DeliveryPrefix)
	}
	if !s.EventID.IsZero() {
		i.Event = s.EventID.Format(delivery.EventPrefix)
	}
	if s.Kind == endpointFailing || s.Kind == endpointDisabled {
		i.Contact = untold.Contacts[s.Tenant].TechnicalContact
	}
	return i
}

func milliseconds(at time.Time) time.Time { return at.UTC().Truncate(time.Millisecond) }

func operatorsData(t topic, signals []delivery.Signal, untold delivery.Untold) []byte {
	d := noticeData{
		Kind: string(t.kind), Resolved: t.ends != "", Count: len(signals), Tenants: tenantsOf(signals), Advice: t.advice,
		Since: milliseconds(signals[0].At), Until: milliseconds(signals[len(signals)-1].At), Items: []item{},
	}
	for _, s := range signals[:min(len(signals), itemsShown)] {
		d.Items = append(d.Items, itemOf(s, untold))
	}
	d.Subject = subjectOf(t, signals)
	if d.Resolved {
		d.Subject = "Resolved: " + d.Subject
	}
	d.Text = operatorsText(t, d)
	return encode(d)
}

// encode cannot fail: there is nothing in it that has no JSON form.
func encode(d any) []byte {
	encoded, _ := json.Marshal(d)
	return encoded
}

func subjectOf(t topic, signals []delivery.Signal) string {
	if len(signals) > 1 {
		return strings.Replace(t.many, "%d", fmt.Sprint(len(signals)), 1)
	}
	return strings.Replace(t.one, "%s", signals[0].Tenant, 1)
}

func tenantsOf(signals []delivery.Signal) []tenantCount {
	counts := make(map[string]int)
	for _, s := range signals {
		if !s.Kind.OfWhole() {
			counts[s.Tenant]++
		}
	}
	list := make([]tenantCount, 0, len(counts))
	for tenant, n := range counts {
		list = append(list, tenantCount{tenant, n})
	}
	slices.SortFunc(list, func(a, b tenantCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Tenant, b.Tenant))
	})
	return list[:min(len(list), tenantsShown)]
}

func operatorsText(t topic, d noticeData) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s.\n\n", d.Subject)
	for _, i := range d.Items {
		fmt.Fprintf(&b, "- %s\n", lineOf(t.kind, i))
	}
	if more := d.Count - len(d.Items); more > 0 {
		fmt.Fprintf(&b, "- and %d more\n", more)
	}
	fmt.Fprintf(&b, "\n%s\n", d.Advice)
	return b.String()
}

// lineOf says one signal in one line.
func lineOf(kind delivery.SignalKind, i item) string {
	switch kind {
	case delivery.DeliveryDead:
		return fmt.Sprintf("%s %s of %s%s: %s (%s)", i.EventType, i.Event, i.Tenant, before(" to ", i.Host), deadWords(i.Detail), i.Delivery)
	case endpointFailing, endpointDisabled, circuitOpened, circuitClosed:
		line := fmt.Sprintf("%s of %s%s", i.Endpoint, i.Tenant, before(" at ", i.Host))
		return line + before(": ", endpointWords(kind, i.Detail)) + before("; technical contact ", i.Contact)
	case delivery.ManyFailures, delivery.DeadUnattended:
		return i.Tenant + ": " + i.Detail
	default:
		return i.Detail
	}
}

// before puts a word in front of what is there.
func before(word, text string) string {
	if text == "" {
		return ""
	}
	return word + text
}
