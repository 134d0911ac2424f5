package deliveries

import (
	"bytes"
	"encoding/json"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/records"
	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// longestShown is how much of a body a page shows, in bytes.
const longestShown = 64 << 10

// sent is what an attempt sends, put together from what is kept: the headers as
// the endpoint and its policy have them now, and the bytes as they are.
type sent struct {
	Headers []header
	Gone    bool // the event is no longer kept
	Body    string
	Size    int
	Cut     bool // only the beginning is shown
	Pretty  bool // line breaks were put in for reading
	Binary  bool
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
	s.Size = len(body.Body)
	s.Headers = headersOf(view, body.ContentType)
	s.Body, s.Pretty, s.Cut, s.Binary = readable(body.Body)
	return s
}

// readable is a body as text for people. The bytes themselves stay as they are.
func readable(body []byte) (text string, pretty, cut, binary bool) {
	if !utf8.Valid(body) || bytes.IndexByte(body, 0) >= 0 {
		return "", false, false, true
	}
	if len(body) <= longestShown {
		var indented bytes.Buffer
		// Indent changes white space alone: numbers and the order of members stay.
		if json.Indent(&indented, body, "", "  ") == nil && indented.Len() <= 4*longestShown {
			return indented.String(), indented.Len() != len(body), false, false
		}
		return string(body), false, false, false
	}
	body = body[:longestShown]
	for !utf8.Valid(body) {
		body = body[:len(body)-1]
	}
	return string(body), false, true, false
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
