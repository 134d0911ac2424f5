package outbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/publish"
	public "github.com/malotehq/malote/outbox"
)

// malote is what would judge the event later.
var malote = publish.New(publish.Options{})

// refusedByMalote says for which field Malote refuses what the relay brings it,
// "" if for none.
func refusedByMalote(e public.Event) string {
	request := publish.Request{
		Tenant: e.Tenant, Type: e.Type, Data: e.Data, Body: e.Body, ContentType: e.ContentType,
		IdempotencyKey: e.IdempotencyKey, CoalesceKey: e.CoalesceKey, EntityVersion: e.EntityVersion,
		ExternalID: e.ExternalID, OccurredAt: e.OccurredAt,
	}
	if e.AggregateID != "" {
		request.ExternalID = strings.TrimPrefix(e.AggregateType+"/"+e.AggregateID, "/")
	}
	if e.EndpointIDs != nil {
		request.EndpointIDs = []delivery.ID{}
	}
	for _, text := range e.EndpointIDs {
		id, err := delivery.ParseID(delivery.EndpointPrefix, text)
		if err != nil {
			return "endpoint_ids"
		}
		request.EndpointIDs = append(request.EndpointIDs, id)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel() // nothing is to be published here
	_, err := malote.Publish(ended, []publish.Request{request})
	if invalid, ok := errors.AsType[*publish.InvalidError](err); ok {
		return string(invalid.Field)
	}
	return ""
}

func isValid(e public.Event) bool { return check(e) == "" }

// check says for which field the package refuses an event, without a database.
func check(e public.Event) (field string) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := public.PublishBatch(ended, wrappedPgx{}, []public.Event{e, {}}) // of which the second is always invalid
	invalid, _ := errors.AsType[*public.InvalidError](err)
	if invalid.Index == 1 {
		return ""
	}
	return invalid.Field
}

func base() public.Event {
	return public.Event{Tenant: "acme", Type: "invoice.paid", Data: json.RawMessage(`{}`)}
}

func TestEvent_EveryRule(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		field  string
		change func(*public.Event)
	}{
		{"", func(*public.Event) {}},
		{"tenant", func(e *public.Event) { e.Tenant = "" }},
		{"tenant", func(e *public.Event) { e.Tenant = "acmé" }},
		{"tenant", func(e *public.Event) { e.Tenant = "a b" }},
		{"tenant", func(e *public.Event) { e.Tenant = "a\n" }},
		{"tenant", func(e *public.Event) { e.Tenant = delivery.OwnTenant }},
		{"", func(e *public.Event) { e.Tenant = strings.Repeat("x", 64) }},
		{"tenant", func(e *public.Event) { e.Tenant = strings.Repeat("x", 65) }},
		{"type", func(e *public.Event) { e.Type = "" }},
		{"type", func(e *public.Event) { e.Type = "a/b" }},
		{"", func(e *public.Event) { e.Type = strings.Repeat("x", 256) }},
		{"type", func(e *public.Event) { e.Type = strings.Repeat("x", 257) }},
		{"data", func(e *public.Event) { e.Data = nil }},
		{"data", func(e *public.Event) { e.Body = []byte{} }},
		{"data", func(e *public.Event) { e.Data = json.RawMessage{} }},
		{"data", func(e *public.Event) { e.Data = json.RawMessage("{}{}") }},
		{"data", func(e *public.Event) { e.Data = json.RawMessage("\"\xff\"") }},
		{"", func(e *public.Event) { e.Data = json.RawMessage(awkward) }},
		{"content_type", func(e *public.Event) { e.ContentType = "text/plain" }},
		{"content_type", func(e *public.Event) { e.Data, e.Body, e.ContentType = nil, []byte("x"), "text/plain\n" }},
		{"content_type", func(e *public.Event) { e.Data, e.Body, e.ContentType = nil, []byte("x"), strings.Repeat("x", 257) }},
		{"", func(e *public.Event) { e.Data, e.Body, e.ContentType = nil, []byte("x"), strings.Repeat("x", 256) }},
		{"idempotency_key", func(e *public.Event) { e.IdempotencyKey = strings.Repeat("é", 129) }},
		{"", func(e *public.Event) { e.IdempotencyKey = strings.Repeat("é", 128) }},
		{"coalesce_key", func(e *public.Event) { e.CoalesceKey = "a\x00" }},
		{"entity_version", func(e *public.Event) { e.EntityVersion = "\xff" }},
		{"external_id", func(e *public.Event) { e.ExternalID = strings.Repeat("x", 257) }},
		{"occurred_at", func(e *public.Event) { e.OccurredAt = time.Date(1969, 12, 31, 23, 59, 59, 0, time.UTC) }},
		{"occurred_at", func(e *public.Event) { e.OccurredAt = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) }},
		{"", func(e *public.Event) { e.OccurredAt = time.Date(10000, 1, 1, 0, 0, 0, 0, time.FixedZone("", 3600)) }},
		{"endpoint_ids", func(e *public.Event) { e.EndpointIDs = []string{} }},
		{"endpoint_ids", func(e *public.Event) { e.EndpointIDs = []string{endpoints[0], "evt_01h455vb4pex5vsknk084sn02q"} }},
		{"endpoint_ids", func(e *public.Event) { e.EndpointIDs = []string{"whe_81h455vb4pex5vsknk084sn02q"} }}, // more than 128 bits
		{"", func(e *public.Event) { e.EndpointIDs = slices.Repeat(endpoints[:1], 1000) }},
		{"endpoint_ids", func(e *public.Event) { e.EndpointIDs = slices.Repeat(endpoints[:1], 1001) }},
	} {
		event := base()
		c.change(&event)
		require.Equal(t, c.field, check(event), "%+v", event)
		require.Equal(t, c.field, refusedByMalote(event), "%+v", event)
	}
}

// What would be lost on the way is refused, although nobody else would mind.
func TestEvent_RefusesWhatWouldBeLost(t *testing.T) {
	t.Parallel()
	for field, change := range map[string]func(*public.Event){
		"external_id":    func(e *public.Event) { e.ExternalID, e.AggregateID = "1", "2" },
		"aggregate_type": func(e *public.Event) { e.AggregateType = "invoice" },
		"aggregate_id":   func(e *public.Event) { e.AggregateType, e.AggregateID = "t", strings.Repeat("x", 255) },
	} {
		event := base()
		change(&event)
		require.Equal(t, field, check(event))
	}
	event := base()
	event.AggregateType, event.AggregateID = "t", strings.Repeat("x", 254)
	require.Empty(t, check(event))
}

// Over events of any kind, the package and Malote agree.
func TestEvent_ChecksAreMalotes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		event := anyEvent().Draw(rt, "event")
		here, there := check(event), refusedByMalote(event)
		if (event.AggregateID != "" && event.ExternalID != "") || (event.AggregateType != "" && event.AggregateID == "") {
			require.NotEmpty(rt, here)
			return
		}
		require.Equal(rt, there == "", here == "", "%q and %q", here, there)
	})
}

// anyEvent draws events that are right in most respects.
func anyEvent() *rapid.Generator[public.Event] {
	key := rapid.OneOf(rapid.Just(""), rapid.Just(""), rapid.StringN(0, 20, 258),
		rapid.SampledFrom([]string{strings.Repeat("x", 256), strings.Repeat("é", 128), "{\"\\'}", "\u2028"}),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 3), func(b []byte) string { return string(b) }))
	name := rapid.OneOf(rapid.StringMatching(`[a-zA-Z0-9_.-]{1,64}`), rapid.StringMatching(`[a-zA-Z0-9_.-]{1,64}`),
		rapid.StringMatching(`[a-z]{60,70}`), rapid.StringMatching(`[a-z ./é]{1,3}`))
	data := rapid.OneOf(rapid.SampledFrom([]string{`null`, `{}`, ` [1] `, awkward, `"\u0000\ud800"`, "\"\u2028<>&\"", "\"\xff\"", `{`, ``}),
		rapid.Map(rapid.String(), func(text string) string { b, _ := json.Marshal(text); return string(b) }))
	id := rapid.OneOf(rapid.SampledFrom(endpoints), rapid.SampledFrom(endpoints), endpointID())
	return rapid.Custom(func(t *rapid.T) public.Event {
		e := public.Event{
			Tenant: name.Draw(t, "tenant"), Type: name.Draw(t, "type"),
			IdempotencyKey: key.Draw(t, "idempotency_key"), CoalesceKey: key.Draw(t, "coalesce_key"),
			EntityVersion: key.Draw(t, "entity_version"),
		}
		if rapid.Bool().Draw(t, "external") {
			e.ExternalID = key.Draw(t, "external_id")
		} else {
			e.AggregateType, e.AggregateID = key.Draw(t, "aggregate_type"), key.Draw(t, "aggregate_id")
		}
		if rapid.Bool().Draw(t, "as data") {
			e.Data = json.RawMessage(data.Draw(t, "data"))
		} else {
			e.Body = rapid.SliceOf(rapid.Byte()).Draw(t, "body")
			e.ContentType = rapid.SampledFrom([]string{"", "text/plain", "a;b=\"c\""}).Draw(t, "content_type")
		}
		if rapid.Bool().Draw(t, "occurred") {
			e.OccurredAt = time.Unix(rapid.Int64Range(-1e9, 260e9).Draw(t, "seconds"), rapid.Int64Range(0, 999999999).Draw(t, "nanos"))
		}
		if rapid.IntRange(0, 3).Draw(t, "narrow") == 0 {
			e.EndpointIDs = rapid.SliceOfN(id, 0, 3).Draw(t, "endpoint_ids")
		}
		return e
	})
}
