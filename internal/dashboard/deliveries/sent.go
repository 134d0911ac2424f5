package deliveries

import (
	"sort"
	"strings"
	"time"

	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/records"
	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// sent is what an attempt sends, put together from what is kept: the headers as
// the endpoint and its policy have them now, and the bytes as they are.
type sent struct {
	Headers []header
	Gone    bool // the event is no longer kept
	Body    page.Readable
}

// header is one of the request's. Kind says what stands in for a value that is
// not shown.
type header struct {
	Name  string
	Value string
	Kind  headerKind
}

type headerKind int

const (
	shownHeader  headerKind = iota
	signedHeader            // made anew for each attempt
	timedHeader
	countedHeader
)

func sentOf(view subject, body *page.Raw) sent {
	s := sent{Gone: body == nil}
	if body == nil {
		return s
	}
	s.Headers = headersOf(view, body.ContentType)
	s.Body = page.Read(body.Body)
	return s
}

// headersOf are in the order in which they are put together: what comes first
// under a name wins.
func headersOf(view subject, contentType string) []header {
	list := &headerList{taken: map[string]bool{}}
	list.add("Content-Type", contentType, shownHeader)
	if view.Policy == nil {
		return list.headers
	}
	names := view.Policy.Headers
	list.add(names.ID, view.Delivery.EventID, shownHeader)
	list.add(names.Timestamp, "", timedHeader)
	if view.Policy.Signature.Scheme != policy.Unsigned {
		list.add(names.Signature, "", signedHeader)
	}
	list.add(names.Attempt, "", countedHeader)
	list.add(names.Trigger, view.Delivery.Trigger, shownHeader)
	list.add(names.EventType, view.Delivery.EventType, shownHeader)
	if id, err := delivery.ParseID(delivery.EventPrefix, view.Delivery.EventID); err == nil {
		list.add(names.IdempotencyKey, names.IdempotencyValue(&delivery.Event{ID: id}), shownHeader)
	}
	for _, extra := range names.Extra {
		list.add(extra.Name, extra.Value, shownHeader)
	}
	if view.Endpoint != nil {
		for _, name := range sortedNames(view.Endpoint.Headers) {
			list.add(name, view.Endpoint.Headers[name], shownHeader)
		}
	}
	list.addEvents(view.Event)
	return list.headers
}

type headerList struct {
	headers []header
	taken   map[string]bool
}

func (l *headerList) add(name, value string, kind headerKind) {
	lower := strings.ToLower(name)
	if name == "" || value == "" && kind == shownHeader || l.taken[lower] {
		return
	}
	l.taken[lower] = true
	l.headers = append(l.headers, header{name, value, kind})
}

// addEvents adds what a provider's request brought.
func (l *headerList) addEvents(event *records.Event) {
	if event == nil {
		return
	}
	if event.SourceID != "" {
		l.add("webhook-source", event.SourceID, shownHeader)
		l.add("webhook-received-at", event.AcceptedAt.UTC().Format(time.RFC3339Nano), shownHeader)
	}
	for _, passed := range event.Headers {
		l.add(passed.Name, passed.Value, shownHeader)
	}
}

func sortedNames(headers map[string]string) []string {
	names := make([]string, 0, len(headers))
	for name := range headers {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
