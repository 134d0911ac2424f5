package api

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/publish"
)

// parseWhole is what a request's body goes through.
func parseWhole(body []byte) (publish.Request, error) {
	if err := checkText(body); err != nil {
		return publish.Request{}, err
	}
	return parseEvent(body[skipSpace(body, 0):], "")
}

// exactValues are JSON values that a decoder and an encoder would change.
var exactValues = []string{
	`{"b":1,"a":2}`, `{"a":1,"a":2}`, `{ "spaced" :\t[ 1 ,\n2 ] }`, `12345678901234567890.123456789012345678901234567890`,
	`1E400`, `-0.0`, `1.0`, `"\u0000"`, `"\ud800"`, `"\/ \u00e9 é <>&"`, `"😀"`, `null`, `true`, `[]`, `{}`, `""`,
	`{"data":{"data":"}"}}`, `"\\\""`, `"\\"`, `[[[[]]]]`, `{"":{"":0}}`, "[\r\n\t ]", `{"x":"}]\"{["}`,
}

func TestParseEvent_KeepsDataByteForByte(t *testing.T) {
	t.Parallel()
	for _, data := range exactValues {
		data = strings.NewReplacer(`\t`, "\t", `\n`, "\n").Replace(data)
		for _, body := range []string{
			`{"type":"a","data":` + data + `}`, `{"data":` + data + `,"type":"a"}`, "\n {\"type\" : \"a\" ,\t\"data\" :  " + data + " \r\n}\n",
		} {
			request, err := parseWhole([]byte(body))
			require.NoError(t, err, body)
			require.Equal(t, data, string(request.Data))
			require.Equal(t, "a", request.Type)
		}
	}
}

// jsonText draws the text of a JSON value, with all that is allowed in it.
func jsonText() *rapid.Generator[string] {
	space := rapid.StringMatching(`[ \t\r\n]{0,2}`)
	scalar := rapid.OneOf(
		rapid.StringMatching(`-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?`),
		rapid.StringMatching(`"([ !#-\[\]-~é😀]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4}){0,12}"`),
		rapid.SampledFrom([]string{"null", "true", "false", "{}", "[]"}),
	)
	return rapid.Custom(func(t *rapid.T) string {
		var value func(depth int) string
		value = func(depth int) string {
			pad := func(text string) string { return space.Draw(t, "before") + text + space.Draw(t, "after") }
			kind := rapid.IntRange(0, 3).Draw(t, "kind")
			if depth == 0 || kind < 2 {
				return scalar.Draw(t, "scalar")
			}
			parts := make([]string, rapid.IntRange(1, 3).Draw(t, "n"))
			for i := range parts {
				parts[i] = pad(value(depth - 1))
				if kind == 3 {
					parts[i] = pad(rapid.SampledFrom([]string{`"a"`, `"data"`, `"\u0061"`, `""`}).Draw(t, "name")) + ":" + parts[i]
				}
			}
			if kind == 3 {
				return "{" + strings.Join(parts, ",") + "}"
			}
			return "[" + strings.Join(parts, ",") + "]"
		}
		return value(3)
	})
}

func TestParseEvent_AnyDataComesOutVerbatim(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		data := jsonText().Draw(t, "data")
		members := []string{`"type":"a.b"`, `"data" : ` + data, `"external_id":"x\"y"`, `"occurred_at":null`}
		members = rapid.Permutation(members).Draw(t, "order")
		body := []byte("{" + strings.Join(members, " ,\n") + "}")
		before := bytes.Clone(body)

		request, err := parseWhole(body)
		require.NoError(t, err)
		require.Equal(t, data, string(request.Data))
		require.Equal(t, `x"y`, request.ExternalID)
		require.Equal(t, before, body, "parsing wrote into the body")
		require.Equal(t, len(request.Data), cap(request.Data), "an append to data would write into the next member")
	})
}

func TestParseBatch_AnyDataComesOutVerbatim(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(jsonText(), 1, 8).Draw(t, "data")
		events := make([]string, len(data))
		for i := range data {
			events[i] = ` {"type":"a","data":` + data[i] + `} `
		}
		requests, err := parseBatch([]byte(`{"events":[` + strings.Join(events, ",") + `]}`))
		require.NoError(t, err)
		require.Len(t, requests, len(data))
		for i := range data {
			require.Equal(t, data[i], string(requests[i].Data))
		}
	})
}

func TestParseEvent_ReadsEveryMember(t *testing.T) {
	t.Parallel()
	endpoint := newID("acme")
	request, err := parseWhole([]byte(`{"tenant":"acme","type":"a.b","body_base64":"AAECA\/8=","content_type":"x/y",
		"idempotency_key":"k\u00e9y","coalesce_key":"c","entity_version":"7","external_id":"e\ud83d\ude00",
		"occurred_at":"2026-03-01T12:00:00.5+02:00","endpoint_ids":["` + endpoint.Format(delivery.EndpointPrefix) + `"]}`))
	require.NoError(t, err)
	require.Equal(t, publish.Request{
		Tenant: "acme", Type: "a.b", Body: []byte{0, 1, 2, 3, 255}, ContentType: "x/y", IdempotencyKey: "kéy",
		CoalesceKey: "c", EntityVersion: "7", ExternalID: "e😀",
		OccurredAt: time.Date(2026, 3, 1, 10, 0, 0, 5e8, time.UTC), EndpointIDs: []delivery.ID{endpoint},
	}, request)
}

func TestParseEvent_NullMeansNotGiven(t *testing.T) {
	t.Parallel()
	request, err := parseWhole([]byte(`{"tenant":null,"type":"a","data":null,"body_base64":null,"content_type":null,
		"idempotency_key":null,"coalesce_key":null,"entity_version":null,"external_id":null,"occurred_at":null,"endpoint_ids":null}`))
	require.NoError(t, err)
	require.Equal(t, publish.Request{Type: "a", Data: []byte("null")}, request, "of data, null is a value")
}

func TestParseEvent_EmptyBodyIsABody(t *testing.T) {
	t.Parallel()
	request, err := parseWhole([]byte(`{"type":"a","body_base64":""}`))
	require.NoError(t, err)
	require.NotNil(t, request.Body)
	require.Empty(t, request.Body)
}

func TestParseEvent_Refuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body  string
		code  Code
		field string
	}{
		"nothing":              {"", InvalidJSON, ""},
		"only space":           {" \n", InvalidJSON, ""},
		"half an object":       {`{"type":"a"`, InvalidJSON, ""},
		"something after it":   {`{"type":"a","data":1} {}`, InvalidJSON, ""},
		"a letter after it":    {`{"type":"a","data":1}x`, InvalidJSON, ""},
		"a byte order mark":    {"\ufeff{\"type\":\"a\",\"data\":1}", InvalidJSON, ""},
		"bytes not UTF-8":      {"{\"type\":\"a\",\"data\":\"\xff\"}", InvalidJSON, ""},
		"a comma too many":     {`{"type":"a","data":[1,]}`, InvalidJSON, ""},
		"single quotes":        {`{'type':'a'}`, InvalidJSON, ""},
		"NaN":                  {`{"type":"a","data":NaN}`, InvalidJSON, ""},
		"a leading zero":       {`{"type":"a","data":01}`, InvalidJSON, ""},
		"a tab in a string":    {"{\"type\":\"a\",\"data\":\"\t\"}", InvalidJSON, ""},
		"a list":               {`[]`, InvalidRequest, "body"},
		"a number":             {`1`, InvalidRequest, "body"},
		"an unknown member":    {`{"type":"a","data":1,"colour":1}`, InvalidRequest, "colour"},
		"another case":         {`{"Type":"a","data":1}`, InvalidRequest, "Type"},
		"an unspeakable name":  {`{"\u0000":1}`, InvalidRequest, "body"},
		"a member twice":       {`{"type":"a","type":"a","data":1}`, InvalidRequest, "type"},
		"twice, escaped":       {`{"type":"a","typ\u0065":"b","data":1}`, InvalidRequest, "type"},
		"twice, one null":      {`{"type":"a","tenant":null,"tenant":"b","data":1}`, InvalidRequest, "tenant"},
		"no body":              {`{"type":"a"}`, InvalidRequest, "data"},
		"two bodies":           {`{"type":"a","data":1,"body_base64":""}`, InvalidRequest, "body_base64"},
		"a type of number":     {`{"type":1,"data":1}`, InvalidRequest, "type"},
		"NUL in a key":         {`{"type":"a","data":1,"idempotency_key":"a\u0000b"}`, InvalidRequest, "idempotency_key"},
		"half a surrogate":     {`{"type":"a","data":1,"coalesce_key":"\ud83d"}`, InvalidRequest, "coalesce_key"},
		"halves swapped":       {`{"type":"a","data":1,"coalesce_key":"\ude00\ud83d"}`, InvalidRequest, "coalesce_key"},
		"base64 of the web":    {`{"type":"a","body_base64":"_-8="}`, InvalidRequest, "body_base64"},
		"base64 unpadded":      {`{"type":"a","body_base64":"AAE"}`, InvalidRequest, "body_base64"},
		"base64, stray bits":   {`{"type":"a","body_base64":"AAF="}`, InvalidRequest, "body_base64"},
		"base64 of number":     {`{"type":"a","body_base64":7}`, InvalidRequest, "body_base64"},
		"a day, no instant":    {`{"type":"a","data":1,"occurred_at":"2026-03-01"}`, InvalidRequest, "occurred_at"},
		"an instant too early": {`{"type":"a","data":1,"occurred_at":"1066-10-14T09:00:00Z"}`, InvalidRequest, "occurred_at"},
		"seconds":              {`{"type":"a","data":1,"occurred_at":1700000000}`, InvalidRequest, "occurred_at"},
		"ids, not a list":      {`{"type":"a","data":1,"endpoint_ids":"whe_1"}`, InvalidRequest, "endpoint_ids"},
		"ids of another kind":  {`{"type":"a","data":1,"endpoint_ids":["evt_01h455vb4pex5vsknk084sn02q"]}`, InvalidRequest, "endpoint_ids"},
		"ids of number":        {`{"type":"a","data":1,"endpoint_ids":[1]}`, InvalidRequest, "endpoint_ids"},
		"no ids":               {`{"type":"a","data":1,"endpoint_ids":[ ]}`, InvalidRequest, "endpoint_ids"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := parseWhole([]byte(c.body))
			var p *Problem
			require.ErrorAs(t, err, &p)
			require.Equal(t, c.code, p.Code, p.Detail)
			if c.field != "" {
				require.Len(t, p.Errors, 1)
				require.Equal(t, c.field, p.Errors[0].Field)
				require.Contains(t, p.Detail, c.field)
			}
		})
	}
}

func TestParseBatch_Refuses(t *testing.T) {
	t.Parallel()
	good := `{"type":"a","data":1}`
	for name, c := range map[string]struct {
		body  string
		code  Code
		field string
		index int // -1: the problem is about the batch
	}{
		"a list":           {`[` + good + `]`, InvalidRequest, "body", -1},
		"no events":        {`{}`, InvalidRequest, "events", -1},
		"null":             {`{"events":null}`, InvalidRequest, "events", -1},
		"an empty list":    {`{"events":[]}`, TooManyEvents, "", -1},
		"1,001 events":     {`{"events":[` + strings.Repeat(good+",", MaxBatch) + good + `]}`, TooManyEvents, "", -1},
		"an unknown one":   {`{"events":[` + good + `],"tenant":"a"}`, InvalidRequest, "tenant", -1},
		"events twice":     {`{"events":[` + good + `],"events":[]}`, InvalidRequest, "events", -1},
		"a number in it":   {`{"events":[` + good + `,7]}`, InvalidRequest, "events[1]", 1},
		"a wrong member":   {`{"events":[` + good + `,` + good + `,{"typ":"a"}]}`, InvalidRequest, "events[2].typ", 2},
		"a missing member": {`{"events":[{"type":"a"}]}`, InvalidRequest, "events[0].data", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := parseBatch([]byte(c.body))
			var p *Problem
			require.ErrorAs(t, err, &p)
			require.Equal(t, c.code, p.Code, p.Detail)
			if c.field != "" {
				require.Equal(t, c.field, p.Errors[0].Field)
			}
			if c.index < 0 {
				require.Nil(t, p.Index)
			} else {
				require.Equal(t, c.index, *p.Index)
			}
		})
	}
}

// FuzzParseEvent compares with encoding/json: whatever is taken, is taken
// verbatim, and whatever is no JSON object is refused.
func FuzzParseEvent(f *testing.F) {
	for _, data := range exactValues {
		f.Add([]byte(`{"type":"a","data":` + data + `}`))
	}
	f.Add([]byte(`{"type":"a","body_base64":"AAECA\/8=","occurred_at":"2026-03-01T12:00:00Z","endpoint_ids":["whe_x"]}`))
	f.Add([]byte(`{"type":"\ud83d\ude00","tenant":"\u0000","data":"\\\"}"} `))
	f.Fuzz(func(t *testing.T, body []byte) {
		before := bytes.Clone(body)
		request, err := parseWhole(body)
		require.Equal(t, before, body)
		var reference struct {
			Type, Tenant string
			Data         json.RawMessage
			BodyBase64   *string `json:"body_base64"`
		}
		wrong := json.Unmarshal(body, &reference)
		if err != nil {
			return
		}
		require.NoError(t, wrong)
		require.Equal(t, reference.Type, request.Type)
		require.Equal(t, reference.Tenant, request.Tenant)
		require.Equal(t, string(reference.Data), string(request.Data))
		if reference.BodyBase64 != nil {
			raw, err := base64.StdEncoding.DecodeString(*reference.BodyBase64)
			require.NoError(t, err)
			require.Equal(t, raw, request.Body)
		}
	})
}
