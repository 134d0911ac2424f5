package gaprepair

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// stripe lists events: GET /v1/events.
type stripe struct{}

// The sizes of a page: a smaller one is tried when a larger one is too large.
var stripePages = []int{largestPage, 10, 1}

// maxTypesAsked is how many types Stripe takes in a request; more are told apart here.
const maxTypesAsked = 20

func (stripe) base() string { return "https://api.stripe.com" }

// Half a day is left for events that came in before the key of another was
// removed, and for a look that takes long.
func (stripe) reach() time.Duration { return keysKept - 12*time.Hour }

func (stripe) list(ctx context.Context, c *caller, from time.Time, cursor string) (listing, error) {
	query := url.Values{}
	if !from.IsZero() {
		query.Set("created[gte]", strconv.FormatInt(from.Unix(), 10))
	}
	if cursor != "" {
		query.Set("starting_after", cursor)
	}
	if len(c.source.Types) <= maxTypesAsked {
		query["types[]"] = c.source.Types
	}
	for i, size := range stripePages {
		query.Set("limit", strconv.Itoa(size))
		got, err := c.do(ctx, http.MethodGet, "/v1/events", query, http.Header{})
		var failure *APIError
		if errors.As(err, &failure) && failure.Reason == TooLarge && i < len(stripePages)-1 {
			continue
		}
		if err != nil {
			return listing{}, err
		}
		page, ok := readStripe(got.body, size, c.source.Types)
		if !ok {
			return listing{}, c.unreadable()
		}
		page.date = got.date
		return page, nil
	}
	return listing{}, c.unreadable()
}

// readStripe cuts a page into its events. A RawMessage is the text itself: white
// space, escapes and digits of an event stay as they are. A page of more than was
// asked for is none: whoever serves it must not say how much is done at once.
func readStripe(body []byte, limit int, types []string) (listing, bool) {
	var list struct {
		Object string            `json:"object"`
		Data   []json.RawMessage `json:"data"`
		More   *bool             `json:"has_more"`
	}
	if json.Unmarshal(body, &list) != nil || list.Object != "list" || list.More == nil || len(list.Data) > limit {
		return listing{}, false
	}
	page := listing{}
	for _, raw := range list.Data {
		one, ok := readStripeEvent(raw)
		if !ok {
			return listing{}, false
		}
		one.skip = len(types) > 0 && !slices.Contains(types, one.kind)
		page.items = append(page.items, one)
	}
	if *list.More {
		if len(page.items) == 0 {
			return listing{}, false
		}
		page.next = page.items[len(page.items)-1].id
	}
	return page, true
}

// readStripeEvent reads exact names only, which encoding/json does for maps.
func readStripeEvent(raw json.RawMessage) (item, bool) {
	var members map[string]json.RawMessage
	var id, kind string
	var created int64
	if json.Unmarshal(raw, &members) != nil || json.Unmarshal(members["id"], &id) != nil ||
		json.Unmarshal(members["type"], &kind) != nil || json.Unmarshal(members["created"], &created) != nil ||
		id == "" || created <= 0 {
		return item{}, false
	}
	return item{id: id, key: id, at: time.Unix(created, 0).UTC(), kind: kind, body: raw}, true
}
