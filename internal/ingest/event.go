package ingest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/filter"
	"github.com/malotehq/malote/internal/publish"
	"github.com/malotehq/malote/internal/source"
)

// event is one item of a verified request.
type event struct {
	request *source.Request // with all items in its body
	body    []byte
	kind    string // as the provider has it
	dedupe  string // the provider's
	place   int    // among the items of a batch; -1: it is all of its request
}

// locate finds something in the item's body, or in the request's header. What a
// header says of a batch is made each item's own by its place.
func (e event) locate(at source.Locator) string {
	if found := at.In(e.body); found != "" {
		return found
	}
	found := at.Find(source.Request{Header: e.request.Header})
	if found != "" && e.place >= 0 {
		found += "#" + strconv.Itoa(e.place)
	}
	return found
}

// hash is of the type too: what differs in nothing but the header that names the
// type is two events.
func (e event) hash() string {
	sum := sha256.New()
	sum.Write([]byte(e.kind))
	sum.Write([]byte{0})
	sum.Write(e.body)
	return "sha256:" + hex.EncodeToString(sum.Sum(nil))
}

// requestsOf makes what is published of the items of a verified request, and
// counts those that the filter leaves out.
func (l *live) requestsOf(request *source.Request, header http.Header, items []source.Item) (requests []publish.Request, filtered int) {
	forwarded := l.settings.forward(header, l.provider)
	for i, item := range items {
		e := event{request: request, body: item.Body, kind: item.Type, dedupe: item.Dedupe, place: i}
		contentType := "application/json" // an item is a part of a JSON array
		if len(items) == 1 {
			e.place = -1
		}
		if len(item.Body) == len(request.Body) {
			contentType = contentTypeOf(header, item.Body)
		}
		if request.Method == http.MethodGet {
			e.body, contentType = l.queryOf(request), "application/x-www-form-urlencoded"
			if e.dedupe == source.BodyHash(nil) {
				e.dedupe = source.BodyHash(e.body)
			}
		}
		made := publish.Request{
			Tenant: l.Tenant, Source: l.ID, Type: typeName(l.settings.Type.of(e), l.provider.Name),
			Body: e.body, ContentType: contentType, Headers: forwarded,
			IdempotencyKey: l.settings.Dedupe.key(e), ExternalID: item.ID,
		}
		if made.Body == nil {
			made.Body = []byte{}
		}
		if l.takes(&made) {
			requests = append(requests, made)
		} else {
			filtered++
		}
	}
	return requests, filtered
}

// takes asks the source's filter. What it cannot judge is let through.
func (l *live) takes(request *publish.Request) bool {
	if l.settings.Filter == nil {
		return true
	}
	takes, _ := l.settings.Filter.Match(filter.NewEvent(&delivery.Event{
		Tenant: request.Tenant, Type: request.Type, Body: request.Body, ContentType: request.ContentType,
		ExternalID: request.ExternalID,
	}, nil))
	return takes
}

const maxContentType = 256 // bytes, as publishing allows

// contentTypeOf is the request's, if it can be passed on. Without one it is JSON
// if the body is.
func contentTypeOf(header http.Header, body []byte) string {
	given := header.Get("Content-Type")
	switch {
	case given != "" && len(given) <= maxContentType && isPrintable(given):
		return given
	case given == "" && json.Valid(body):
		return "application/json"
	default:
		return "application/octet-stream"
	}
}

// queryOf is the body of an event that came by GET: its query, byte for byte, but
// for a token that is known to be in it. Twilio and HubSpot can send so.
func (l *live) queryOf(request *source.Request) []byte {
	_, query, _ := strings.Cut(request.URL, "?")
	if l.settings.Generic == nil || l.settings.Generic.Parameter == "" {
		return []byte(query)
	}
	pairs := slices.DeleteFunc(strings.Split(query, "&"), func(pair string) bool {
		escaped, _, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(escaped)
		return err != nil || name == l.settings.Generic.Parameter
	})
	return []byte(strings.Join(pairs, "&"))
}
