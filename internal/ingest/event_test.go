package ingest

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/source"
)

func authorized(path, body string) *http.Request {
	request := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	request.Header.Set("Authorization", "Bearer x")
	return request
}

func TestTypeName(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"invoice.paid": "invoice.paid", "orders/create": "orders.create", "item:added": "item.added",
		"Issue created": "Issue_created", "": "shop.event", "   ": "shop.event", "é": "__",
		strings.Repeat("x", 300): strings.Repeat("x", 256),
	} {
		require.Equal(t, want, typeName(said, "shop"))
	}
	rapid.Check(t, func(t *rapid.T) {
		require.True(t, delivery.ValidType(typeName(rapid.String().Draw(t, "said"), "shop")))
	})
}

func TestDedupe_ByWhatTheSettingSays(t *testing.T) {
	t.Parallel()
	type sent struct {
		body   string
		header []string
	}
	for setting, c := range map[string]struct {
		first, same, other sent
	}{
		`"dedupe":"header:X-Id"`: {
			sent{`a`, []string{"X-Id", "1"}}, sent{`b`, []string{"X-Id", "1"}}, sent{`a`, []string{"X-Id", "2"}},
		},
		`"dedupe":"json:data.id"`: {
			sent{`{"data":{"id":7}}`, nil}, sent{`{"data":{"id":"7"},"x":1}`, nil}, sent{`{"data":{"id":8}}`, nil},
		},
		`"dedupe":"body_hash"`:            {sent{`a`, nil}, sent{`a`, nil}, sent{`a `, nil}},
		`"dedupe":"json:id","filter":""`:  {},                                               // refused: not run
		`"dedupe":"header:X-Absent"`:      {sent{`a`, nil}, sent{`a`, nil}, sent{`b`, nil}}, // nothing located: its bytes
		`"event_type_from":"fixed:x.y"`:   {sent{`a`, nil}, sent{`a`, nil}, sent{`b`, nil}}, // the provider's default
		`"dedupe":"json:id" , "url":null`: {sent{`{"id":"A"}`, nil}, sent{`{"id":"A"} `, nil}, sent{`{"id":"a"}`, nil}},
	} {
		if c.first.body == "" {
			continue
		}
		r := newRig(t)
		id := r.token(setting)
		first := receiptOf(t, r.post(id, c.first.body, c.first.header...).Body)
		same := receiptOf(t, r.post(id, c.same.body, c.same.header...).Body)
		other := receiptOf(t, r.post(id, c.other.body, c.other.header...).Body)
		require.Equal(t, []bool{false, true, false}, []bool{first.Duplicate, same.Duplicate, other.Duplicate}, setting)
		require.Equal(t, first.ID, same.ID, setting)
	}
	r := newRig(t)
	id := r.token(`"dedupe":"none"`)
	require.False(t, receiptOf(t, r.post(id, "a").Body).Duplicate)
	require.False(t, receiptOf(t, r.post(id, "a").Body).Duplicate)
}

// Two events that differ in nothing but their type are two.
func TestDedupe_BodyHashIsOfTheTypeToo(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.put(Source{
		Provider: "generic", Secrets: []source.Secret{{Value: "sesame"}},
		Settings: []byte(`{"dedupe":"body_hash","generic":{"auth":"header_token","header":"X-Auth","type":"header:X-Event"}}`),
	})
	require.False(t, receiptOf(t, r.post(id, "{}", "X-Event", "opened").Body).Duplicate)
	require.False(t, receiptOf(t, r.post(id, "{}", "X-Event", "closed").Body).Duplicate)
	require.True(t, receiptOf(t, r.post(id, "{}", "X-Event", "closed").Body).Duplicate)
}

// A header that is the whole batch's does not make its items one event.
func TestDedupe_ItemsOfABatchStayApart(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.put(Source{
		Provider: "okta", Settings: []byte(`{"dedupe":"header:X-Batch"}`), Secrets: []source.Secret{{Value: "Bearer x"}},
	})
	send := func(batch string) (told struct{ Duplicates int }) {
		request := authorized(pathOf(id), `{"data":{"events":[{"a":1},{"a":1}]}}`)
		request.Header.Set("X-Batch", batch)
		told.Duplicates = receiptOf(t, r.do(request).Body).Duplicates
		return told
	}
	require.Zero(t, send("1").Duplicates)
	require.Equal(t, 2, send("1").Duplicates)
	require.Zero(t, send("2").Duplicates)
	require.Len(t, r.ledger.all(), 4)
	long := strings.Repeat("k", 255) // with a place it is too long for a key
	require.Zero(t, send(long).Duplicates)
	require.Equal(t, 2, send(long).Duplicates)
	require.Zero(t, send(long[1:]+"x").Duplicates)
}

// No key is too long for the database, whatever a sender calls its events.
func TestDedupe_KeysAreShort(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	byHeader, byProvider := r.token(`"dedupe":"header:X-Id"`), r.put(Source{
		Provider: "generic", Secrets: []source.Secret{{Value: "sesame"}},
		Settings: []byte(`{"generic":{"auth":"header_token","header":"X-Auth","id":"json:id"}}`),
	})
	for _, length := range []int{1, 255, 256, 257, 5000} {
		long := strings.Repeat("k", length)
		require.Equal(t, 200, r.post(byHeader, "x"+long, "X-Id", long).Code)
		require.Equal(t, 200, r.post(byProvider, `{"id":"`+long+`"}`).Code)
	}
	events := r.ledger.all()
	require.Len(t, events, 10)
	for _, event := range events {
		require.NotEmpty(t, event.IdempotencyKey)
		require.LessOrEqual(t, len(event.IdempotencyKey), 256)
	}
}

func TestEvent_TypeComesFromWhereTheSettingSays(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for setting, want := range map[string]string{
		"": "generic.event", `"event_type_from":"fixed:bank.moved"`: "bank.moved",
		`"event_type_from":"header:X-Kind"`: "orders.create", `"event_type_from":"json:what.kind"`: "paid",
		`"event_type_from":"json:nothing"`: "generic.event",
	} {
		require.Equal(t, 200, r.post(r.token(setting), `{"what":{"kind":"paid"}}`, "X-Kind", "orders/create").Code)
		require.Equal(t, want, r.ledger.last().Type, setting)
	}
}

// What the filter leaves out is acknowledged, or the provider would send it again.
func TestEvent_FilterLeavesOut(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.token(`"event_type_from":"json:type","filter":"type == 'a' && data.n > 1"`)
	require.False(t, receiptOf(t, r.post(id, `{"type":"a","n":2}`, "Content-Type", "application/json").Body).Filtered)
	answer := r.post(id, `{"type":"a","n":1}`, "Content-Type", "application/json")
	require.Equal(t, http.StatusOK, answer.Code)
	require.True(t, receiptOf(t, answer.Body).Filtered)
	require.False(t, receiptOf(t, r.post(id, `{"type":"a"}`, "Content-Type", "application/json").Body).Filtered, "cannot be judged")
	require.Len(t, r.ledger.all(), 2)
	require.Equal(t, 1, r.observer.filtered)
}

func TestEvent_ContentType(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.token(`"dedupe":"none"`)
	for given, want := range map[string]string{
		"application/json; charset=utf-8": "application/json; charset=utf-8", "text/plain": "text/plain",
		"a/" + strings.Repeat("b", 300): "application/octet-stream", "text/é": "application/octet-stream",
	} {
		require.Equal(t, 200, r.post(id, "{}", "Content-Type", given).Code)
		require.Equal(t, want, r.ledger.last().ContentType)
	}
	require.Equal(t, 200, r.post(id, "{}").Code)
	require.Equal(t, "application/json", r.ledger.last().ContentType)
	require.Equal(t, 200, r.post(id, "a=b").Code)
	require.Equal(t, "application/octet-stream", r.ledger.last().ContentType)
	require.Equal(t, 200, r.post(id, "").Code)
	require.Empty(t, r.ledger.last().Body)
}

// An event that comes by GET is its query, without the token in it.
func TestEvent_ByGetIsItsQuery(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.put(Source{
		Provider: "generic", Secrets: []source.Secret{{Value: "sesame"}},
		Settings: []byte(`{"generic":{"auth":"query_token","parameter":"key"}}`),
	})
	get := func(query string) *httptest.ResponseRecorder {
		return r.do(httptest.NewRequest(http.MethodGet, pathOf(id)+"?"+query, http.NoBody))
	}
	require.Equal(t, 200, get("a=1&key=sesame&b=%20x&k%65y2=1").Code)
	event := r.ledger.last()
	require.Equal(t, "a=1&b=%20x&k%65y2=1", string(event.Body))
	require.Equal(t, "application/x-www-form-urlencoded", event.ContentType)
	sum := sha256.Sum256(event.Body)
	require.Equal(t, "sha256:"+hex.EncodeToString(sum[:]), event.IdempotencyKey, "not the hash of no body, which all would share")
	require.False(t, receiptOf(t, get("a=2&k%65y=sesame").Body).Duplicate)
	require.Equal(t, "a=2", string(r.ledger.last().Body))
}

func TestHeaders_WhatIsPassedOn(t *testing.T) {
	t.Parallel()
	header := http.Header{
		"X-Github-Event": {"push"}, "X-Github-Delivery": {"d1"}, "X-Hub-Signature-256": {"sha256=aa"},
		"Authorization": {"Bearer x"}, "Cookie": {"a=b"}, "Connection": {"close"}, "X-Two": {"1", "2"},
		"X-Api-Token": {"t"}, "X-Own-Auth": {"s"}, "X-Bytes": {"\xff"}, "Content-Encoding": {"gzip"},
	}
	github, _ := source.Lookup("github")
	generic, _ := source.Lookup("generic")
	for _, c := range []struct {
		provider *source.Provider
		settings Settings
		want     []delivery.Header
	}{
		{github, Settings{}, []delivery.Header{{Name: "X-Github-Event", Value: "push"}, {Name: "X-Github-Delivery", Value: "d1"}}},
		{github, Settings{ForwardHeaders: []string{}}, nil},
		{github, Settings{ForwardHeaders: []string{"x-two", "X-Bytes", "X-Absent"}}, []delivery.Header{{Name: "x-two", Value: "1"}, {Name: "x-two", Value: "2"}}},
		// What the settings' check would refuse does not get through either.
		{github, Settings{ForwardHeaders: []string{"Authorization", "Cookie", "X-Hub-Signature-256", "Connection", "x-api-token", "Content-Encoding"}}, nil},
		{generic, Settings{ForwardHeaders: []string{"X-Own-Auth"}, Generic: &source.Generic{Header: "x-own-auth"}}, nil},
		{generic, Settings{AsReceived: true}, []delivery.Header{{Name: "Content-Encoding", Value: "gzip"}}},
	} {
		require.Equal(t, c.want, c.settings.forward(header, c.provider))
	}
	for name, headers := range eventHeaders {
		provider, known := source.Lookup(name)
		require.True(t, known, name)
		for _, header := range headers {
			require.Empty(t, stays(header, provider), header)
			require.Equal(t, http.CanonicalHeaderKey(header), header)
		}
	}
	// No provider's signature or password is ever passed on.
	for _, provider := range source.Providers() {
		if len(provider.Headers) > 0 && provider.Name != "aws_sns" {
			require.NotEmpty(t, stays(provider.Headers[0], provider), provider.Name)
		}
	}
}
