package api

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/delivery"
)

func TestCursor_RoundTrips(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		id := delivery.ID(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "id"))
		id[0] |= 1 // never zero
		filters := rapid.SliceOfN(rapid.String(), 1, 4).Draw(t, "filters")
		cursor := listOf(filters...).idCursor(id)
		require.NotNil(t, cursor)
		require.Equal(t, url.QueryEscape(*cursor), *cursor, "it goes into a URL as it is")
		back, err := listOf(filters...).afterID(*cursor)
		require.NoError(t, err)
		require.Equal(t, id, back)
		_, err = listOf(append(filters, "x")...).afterID(*cursor)
		require.Error(t, err, "it continues another list")
	})
}

func TestCursor_Garbage(t *testing.T) {
	t.Parallel()
	l := listOf("x")
	good := *l.idCursor(newID("a"))
	raw, err := base64.RawURLEncoding.DecodeString(good)
	require.NoError(t, err)
	encode := base64.RawURLEncoding.EncodeToString
	for _, bad := range []string{
		"x", "====", good + "=", good[:len(good)-1], good + "A", encode(raw[:6]), encode(raw[:20]), encode(append(raw, 0)), encode(nil), " ", "null",
	} {
		_, err := l.afterID(bad)
		var p *Problem
		if bad == "" {
			continue
		}
		require.ErrorAs(t, err, &p, bad)
		require.Equal(t, InvalidCursor, p.Code)
	}
	beginning, err := l.afterID("")
	require.NoError(t, err)
	require.True(t, beginning.IsZero())
}

func TestCursor_OfTenantsHoldsATenant(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, forged := range []string{"a\x00", "\xff", "a b", strings.Repeat("a", 65)} {
		r.call("GET", "/v1/tenants?cursor="+*listOf("tenants").cursor([]byte(forged), true), adminKey, "").problem(t, InvalidCursor)
	}
}

func FuzzCursor(f *testing.F) {
	l := listOf("x")
	f.Add(*l.idCursor(newID("a")))
	f.Add("garbage")
	f.Add("\r" + *l.idCursor(newID("a")) + "\n")
	f.Fuzz(func(t *testing.T, cursor string) {
		id, err := l.afterID(cursor)
		if err == nil && cursor != "" {
			require.Equal(t, cursor, base64.RawURLEncoding.EncodeToString(append(l[:], id[:]...)))
		}
	})
}

// pages walks through a list and gives the ids that it saw.
func (r *rig) pages(t *testing.T, path, key string) (ids []string) {
	t.Helper()
	for cursor := ""; ; {
		page := r.call("GET", path+cursor, key, "").object(t, http.StatusOK)
		for _, row := range page["data"].([]any) {
			ids = append(ids, row.(map[string]any)["id"].(string))
		}
		next, more := page["next_cursor"].(string)
		if !more {
			return ids
		}
		require.LessOrEqual(t, len(ids), 100, "it never ends")
		cursor = "&cursor=" + next
	}
}

func TestLists_ShowEveryRowOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for i := range 10 {
		slug := fmt.Sprintf("tenant-%d", i)
		r.tenants[slug] = Tenant{ID: slug}
		endpoint := r.addEndpoint("acme")
		r.addDelivery("acme", r.addEvent("acme", "a.b", []byte("1")), endpoint, delivery.Dead)
	}
	for path, want := range map[string]int{
		"/v1/tenants?limit=5": 12, "/v1/webhook_endpoints?limit=5": 12, "/v1/webhook_endpoints?limit=11&tenant=acme": 11,
		"/v1/webhook_endpoints?limit=3&counts=true": 12, "/v1/keys?limit=1": 4, "/v1/events?tenant=acme&limit=3": 10,
		"/v1/webhook_deliveries?limit=3&state=dead": 10, "/v1/policies?": 8, "/v1/events?tenant=acme&limit=250": 10,
	} {
		ids := []string{}
		if path != "/v1/policies?" {
			ids = r.pages(t, path, adminKey)
		} else {
			for _, row := range r.call("GET", path, adminKey, "").object(t, http.StatusOK)["data"].([]any) {
				ids = append(ids, row.(map[string]any)["name"].(string))
			}
		}
		seen := map[string]bool{}
		for _, id := range ids {
			require.False(t, seen[id], "%s shows %s twice", path, id)
			seen[id] = true
		}
		require.Len(t, ids, want, path)
	}
}

func TestLists_ACursorKeepsToItsFilters(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for range 3 {
		r.addDelivery("acme", r.addEvent("acme", "a.b", []byte("1")), r.acme, delivery.Dead)
	}
	cursor := r.call("GET", "/v1/webhook_deliveries?limit=1&state=dead", adminKey, "").object(t, http.StatusOK)["next_cursor"].(string)
	r.call("GET", "/v1/webhook_deliveries?limit=2&state=dead&cursor="+cursor, adminKey, "").object(t, http.StatusOK)
	for _, path := range []string{
		"/v1/webhook_deliveries?cursor=", "/v1/webhook_deliveries?state=pending&cursor=", "/v1/webhook_deliveries?state=dead&tenant=acme&cursor=",
		"/v1/webhook_deliveries?state=dead&type=a&cursor=", "/v1/webhook_deliveries?state=dead&since=2026-01-01T00:00:00Z&cursor=",
		"/v1/events?tenant=acme&cursor=", "/v1/tenants?cursor=", "/v1/keys?cursor=", "/v1/webhook_endpoints?cursor=",
		"/v1/webhook_endpoints/" + r.acme.Format(delivery.EndpointPrefix) + "/deliveries?state=dead&cursor=",
	} {
		r.call("GET", path+cursor, adminKey, "").problem(t, InvalidCursor)
	}
	r.call("GET", "/v1/webhook_deliveries?state=dead&cursor="+cursor, acmeKey, "").problem(t, InvalidCursor)
}
