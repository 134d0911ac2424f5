package publish

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/delivery"
)

var drafting = drafter{maxBody: 100}

func TestDraft_ChecksEveryField(t *testing.T) {
	t.Parallel()
	long := func(n int) string { return strings.Repeat("x", n) }
	many := func(n int) (ids []delivery.ID) {
		for range n {
			ids = append(ids, newID())
		}
		return ids
	}
	for name, test := range map[string]struct {
		change func(*Request)
		want   Field // "": accepted
	}{
		"as it is":                 {func(*Request) {}, ""},
		"no tenant":                {func(r *Request) { r.Tenant = "" }, "tenant"},
		"longest tenant":           {func(r *Request) { r.Tenant = long(64) }, ""},
		"tenant too long":          {func(r *Request) { r.Tenant = long(65) }, "tenant"},
		"tenant with a slash":      {func(r *Request) { r.Tenant = "a/b" }, "tenant"},
		"no type":                  {func(r *Request) { r.Type = "" }, "type"},
		"longest type":             {func(r *Request) { r.Type = long(256) }, ""},
		"type too long":            {func(r *Request) { r.Type = long(257) }, "type"},
		"type with a space":        {func(r *Request) { r.Type = "a b" }, "type"},
		"neither data nor body":    {func(r *Request) { r.Data = nil }, "data"},
		"data and body":            {func(r *Request) { r.Body = []byte("x") }, "data"},
		"empty body":               {func(r *Request) { r.Data, r.Body = nil, []byte{} }, ""},
		"empty data":               {func(r *Request) { r.Data = []byte{} }, "data"},
		"data is no JSON":          {func(r *Request) { r.Data = []byte("{") }, "data"},
		"two values":               {func(r *Request) { r.Data = []byte("1 2") }, "data"},
		"null is a value":          {func(r *Request) { r.Data = []byte("null") }, ""},
		"odd but valid JSON":       {func(r *Request) { r.Data = []byte(` {"a":1.0,"a":"\u0000\ud83d","n":12345678901234567890} `) }, ""},
		"data is not UTF-8":        {func(r *Request) { r.Data = []byte("\"\xff\"") }, "data"},
		"body of any bytes":        {func(r *Request) { r.Data, r.Body = nil, []byte("\x00\xff") }, ""},
		"content type with data":   {func(r *Request) { r.ContentType = "application/json" }, "content_type"},
		"content type of a body":   {func(r *Request) { r.Data, r.Body, r.ContentType = nil, []byte("x"), "text/plain; charset=utf-8" }, ""},
		"content type with a line": {func(r *Request) { r.Data, r.Body, r.ContentType = nil, []byte("x"), "text/plain\r\nX: y" }, "content_type"},
		"content type not ASCII":   {func(r *Request) { r.Data, r.Body, r.ContentType = nil, []byte("x"), "text/plän" }, "content_type"},
		"content type too long":    {func(r *Request) { r.Data, r.Body, r.ContentType = nil, []byte("x"), long(257) }, "content_type"},
		"longest keys": {func(r *Request) {
			r.IdempotencyKey, r.CoalesceKey, r.EntityVersion, r.ExternalID = long(256), long(256), long(256), long(256)
		}, ""},
		"idempotency key too long": {func(r *Request) { r.IdempotencyKey = long(257) }, "idempotency_key"},
		"idempotency key with NUL": {func(r *Request) { r.IdempotencyKey = "a\x00" }, "idempotency_key"},
		"coalesce key not UTF-8":   {func(r *Request) { r.CoalesceKey = "\xff" }, "coalesce_key"},
		"entity version too long":  {func(r *Request) { r.EntityVersion = long(257) }, "entity_version"},
		"external id with NUL":     {func(r *Request) { r.ExternalID = "\x00" }, "external_id"},
		"unicode keys":             {func(r *Request) { r.CoalesceKey = "pedido:ção😀" }, ""},
		"before 1970":              {func(r *Request) { r.OccurredAt = time.Unix(-1, 0) }, "occurred_at"},
		"the beginning of 1970":    {func(r *Request) { r.OccurredAt = time.Unix(0, 0) }, ""},
		"after 9999":               {func(r *Request) { r.OccurredAt = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) }, "occurred_at"},
		"9999 elsewhere":           {func(r *Request) { r.OccurredAt = time.Date(9999, 12, 31, 23, 0, 0, 0, time.FixedZone("", -2*3600)) }, "occurred_at"},
		"an empty list":            {func(r *Request) { r.EndpointIDs = []delivery.ID{} }, "endpoint_ids"},
		"a thousand endpoints":     {func(r *Request) { r.EndpointIDs = many(1000) }, ""},
		"and one more":             {func(r *Request) { r.EndpointIDs = many(1001) }, "endpoint_ids"},
	} {
		request := Request{Tenant: "acme", Type: "invoice.paid", Data: []byte(`{"a":1}`)}
		test.change(&request)
		draft, err := drafting.draft(3, request)
		if test.want == "" {
			require.NoError(t, err, name)
			require.Equal(t, request.Data, draft.Data, name)
			continue
		}
		var invalid *InvalidError
		require.ErrorAs(t, err, &invalid, name)
		require.Equal(t, test.want, invalid.Field, name)
		require.Equal(t, 3, invalid.Index, name)
		require.NotContains(t, err.Error(), long(50), "%s: what was sent is not repeated", name)
	}
}

// The limit is on what the publisher sends: what an envelope adds is ours.
func TestDraft_LimitsTheSizeBeforeTheEnvelope(t *testing.T) {
	t.Parallel()
	for size, isAccepted := range map[int]bool{100: true, 101: false} {
		text := []byte(`"` + strings.Repeat("x", size-2) + `"`)
		for _, request := range []Request{{Data: text}, {Body: text}} {
			request.Tenant, request.Type = "acme", "a"
			_, err := drafting.draft(7, request)
			if isAccepted {
				require.NoError(t, err)
				continue
			}
			var tooLarge *TooLargeError
			require.ErrorAs(t, err, &tooLarge)
			require.Equal(t, TooLargeError{Index: 7, Size: size, Limit: 100}, *tooLarge)
		}
	}
	_, err := drafting.draft(0, Request{Tenant: "acme", Type: "a", Data: []byte("{" + strings.Repeat(" ", 200))})
	require.ErrorAs(t, err, new(*TooLargeError), "before anything reads it")
}

// Ids made before the transaction would be earlier than those of events that
// somebody may have paged past already.
func TestDracma_D15_DraftsLeaveIdAndTimesToTheTransaction(t *testing.T) {
	t.Parallel()
	draft, err := drafting.draft(0, Request{Tenant: "acme", Type: "a", Data: []byte("1")})
	require.NoError(t, err)
	require.Equal(t, delivery.Event{Tenant: "acme", Type: "a", ContentType: "application/json"}, draft.Event,
		"the body is made by the planner, once per envelope")
}

func TestDraft_KeepsWhatThePublisherSaid(t *testing.T) {
	t.Parallel()
	occurred := time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC)
	said := Request{
		Tenant: "acme", Type: "a", Body: []byte("x"), ContentType: "text/plain", IdempotencyKey: "i", CoalesceKey: "c",
		EntityVersion: "v", ExternalID: "e", OccurredAt: occurred, EndpointIDs: []delivery.ID{newID()},
	}
	draft, err := drafting.draft(0, said)
	require.NoError(t, err)
	require.Equal(t, delivery.Event{
		Tenant: "acme", Type: "a", Body: said.Body, ContentType: "text/plain",
		IdempotencyKey: "i", CoalesceKey: "c", EntityVersion: "v", ExternalID: "e", OccurredAt: occurred,
	}, draft.Event)
	require.Equal(t, said.EndpointIDs, draft.EndpointIDs)
	require.Same(t, &said.Body[0], &draft.Event.Body[0], "not copied, so not changed")
}

func drawRequest(t *rapid.T) Request {
	// Few letters, so that neighbouring fields run into each other.
	text := func(label string) string {
		return rapid.StringOfN(rapid.RuneFrom([]rune("ab")), 0, 2, -1).Draw(t, label)
	}
	r := Request{
		Type: text("type"), ContentType: text("content type"), CoalesceKey: text("coalesce"),
		EntityVersion: text("version"), ExternalID: text("external"),
	}
	if rapid.Bool().Draw(t, "is data") {
		r.Data = []byte(text("data"))
	} else {
		r.Body = []byte(text("body"))
	}
	if rapid.Bool().Draw(t, "occurred") {
		r.OccurredAt = time.Unix(int64(rapid.IntRange(0, 2).Draw(t, "at")), 0)
	}
	for range rapid.IntRange(0, 2).Draw(t, "endpoints") {
		r.EndpointIDs = append(r.EndpointIDs, delivery.ID{rapid.Byte().Draw(t, "id") % 2})
	}
	return r
}

func saysTheSame(a, b Request) bool {
	return slices.Equal(a.EndpointIDs, b.EndpointIDs) && a.Type == b.Type && a.ContentType == b.ContentType && a.CoalesceKey == b.CoalesceKey &&
		a.EntityVersion == b.EntityVersion && a.ExternalID == b.ExternalID &&
		(a.Data == nil) == (b.Data == nil) && string(a.Data) == string(b.Data) && string(a.Body) == string(b.Body) &&
		a.OccurredAt.Equal(b.OccurredAt)
}

// moved is the same request with its texts cut elsewhere, and the first endpoint's
// id perhaps at the body's end: without the parts' lengths, the same bytes.
func moved(t *rapid.T, r Request) Request {
	text := r.ContentType + r.CoalesceKey + r.EntityVersion + r.ExternalID
	for _, field := range []*string{&r.ContentType, &r.CoalesceKey, &r.EntityVersion} {
		n := rapid.IntRange(0, len(text)).Draw(t, "cut")
		*field, text = text[:n], text[n:]
	}
	r.ExternalID = text
	if len(r.EndpointIDs) > 0 && r.Body != nil && rapid.Bool().Draw(t, "id in the body") {
		r.Body = append(slices.Clone(r.Body), r.EndpointIDs[0][:]...)
		r.EndpointIDs = r.EndpointIDs[1:]
	}
	return r
}

func TestFingerprint_IsEqualJustForTheSameRequest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawRequest(t), drawRequest(t)
		if rapid.Bool().Draw(t, "moved") {
			b = moved(t, a)
		}
		if saysTheSame(a, b) != (fingerprint(a) == fingerprint(b)) {
			t.Fatalf("%+v\n%+v", a, b)
		}
	})
}

func TestFingerprint_KnowsEveryField(t *testing.T) {
	t.Parallel()
	same := Request{Tenant: "acme", Type: "a", Data: []byte("1")}
	require.Equal(t, fingerprint(same), fingerprint(Request{Tenant: "acme", Type: "a", Data: []byte("1"), IdempotencyKey: "k"}),
		"the key is what it is found by")
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	require.Equal(t, fingerprint(Request{OccurredAt: at}), fingerprint(Request{OccurredAt: at.In(time.FixedZone("", 3600))}), "one instant")
	for name, other := range map[string]Request{
		"type":           {Tenant: "acme", Type: "b", Data: []byte("1")},
		"data":           {Tenant: "acme", Type: "a", Data: []byte("1 ")},
		"body":           {Tenant: "acme", Type: "a", Body: []byte("1")},
		"content type":   {Tenant: "acme", Type: "a", Data: []byte("1"), ContentType: "x"},
		"coalesce key":   {Tenant: "acme", Type: "a", Data: []byte("1"), CoalesceKey: "x"},
		"entity version": {Tenant: "acme", Type: "a", Data: []byte("1"), EntityVersion: "x"},
		"external id":    {Tenant: "acme", Type: "a", Data: []byte("1"), ExternalID: "x"},
		"occurred at":    {Tenant: "acme", Type: "a", Data: []byte("1"), OccurredAt: at},
		"endpoints":      {Tenant: "acme", Type: "a", Data: []byte("1"), EndpointIDs: []delivery.ID{{1}}},
	} {
		require.NotEqual(t, fingerprint(same), fingerprint(other), name)
	}
}
