package client_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/client"
)

// threePages serves ids 1 to 5 over three pages, one of them empty.
func threePages(_ int, r sent) (*http.Response, error) {
	query, err := url.ParseQuery(r.query)
	return map[string]*http.Response{
		"":  answer(200, `{"data":[{"id":"1"},{"id":"2"},{"id":"3"}],"next_cursor":"b","complete_until":"2026-03-01T12:00:00.000Z"}`),
		"b": answer(200, `{"data":[],"next_cursor":"c","complete_until":"2026-03-01T12:00:01.000Z"}`),
		"c": answer(200, `{"data":[{"id":"4"},{"id":"5"}],"next_cursor":null,"complete_until":"2026-03-01T12:00:02.000Z"}`),
	}[query.Get("cursor")], err
}

func TestList_GoesThroughAllPages(t *testing.T) {
	t.Parallel()
	c, w := over(t, threePages)
	list := c.Deliveries(t.Context(), client.DeliveryFilter{Tenant: "acme"})
	for range 2 { // every range begins anew
		var ids string
		for delivery, err := range list {
			require.NoError(t, err)
			ids += delivery.ID
		}
		require.Equal(t, "12345", ids)
	}
	requests := w.seen()
	require.Len(t, requests, 6)
	require.Equal(t, "limit=250&tenant=acme", requests[0].query)
	require.Equal(t, "cursor=c&limit=250&tenant=acme", requests[2].query, "with the same filter")
}

func TestList_FetchesNoMoreThanIsWanted(t *testing.T) {
	t.Parallel()
	c, w := over(t, threePages)
	for event, err := range c.Events(t.Context(), client.EventFilter{Tenant: "acme"}) {
		require.NoError(t, err)
		if event.ID == "3" {
			break
		}
	}
	require.Len(t, w.seen(), 1)
	for page, err := range c.EventPages(t.Context(), client.EventFilter{Paging: client.Paging{Limit: 10, Cursor: "b"}}) {
		require.NoError(t, err)
		require.Empty(t, page.Data)
		break
	}
	require.Equal(t, "cursor=b&limit=10", w.seen()[1].query)
}

func TestEventPages_SayUntilWhenTheyAreComplete(t *testing.T) {
	t.Parallel()
	c, _ := over(t, threePages)
	var until []time.Time
	for page, err := range c.EventPages(t.Context(), client.EventFilter{Tenant: "acme"}) {
		require.NoError(t, err)
		until = append(until, page.CompleteUntil)
	}
	first := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	require.Equal(t, []time.Time{first, first.Add(time.Second), first.Add(2 * time.Second)}, until)
}

func TestList_EndsWithAnError(t *testing.T) {
	t.Parallel()
	fails := func(n int, r sent) (*http.Response, error) {
		if n == 1 {
			return threePages(n, r)
		}
		return answer(400, `{"code":"invalid_cursor"}`), nil
	}
	c, _ := over(t, fails)
	var ids string
	var failed []error
	for delivery, err := range c.Deliveries(t.Context(), client.DeliveryFilter{}) {
		ids += delivery.ID
		if err != nil {
			failed = append(failed, err)
		}
	}
	require.Equal(t, "123", ids)
	require.Len(t, failed, 1)
	require.ErrorIs(t, failed[0], client.CodeInvalidCursor)

	c, _ = over(t, fails)
	failed = nil
	for _, err := range c.Events(t.Context(), client.EventFilter{}) {
		if err != nil {
			failed = append(failed, err)
		}
	}
	require.Len(t, failed, 1)
}

func TestList_HasAnEnd(t *testing.T) {
	t.Parallel()
	c, w := over(t, always(200, `{"data":[{"id":"1"}],"next_cursor":"same"}`))
	var last error
	for _, err := range client.List[client.Tenant](t.Context(), c, "/v1/tenants", nil) {
		last = err
	}
	var unusable *client.AnswerError
	require.ErrorAs(t, last, &unusable, "a proxy that forgets the query would make it endless")
	require.Len(t, w.seen(), 2)
}
