package api

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

// exported reads an export as NDJSON.
func exported(t *testing.T, r *rig, key, query string) []exportRowJSON {
	t.Helper()
	answer := r.call("GET", "/v1/events/export?"+query, key, "")
	require.Equal(t, http.StatusOK, answer.Code, answer.Body)
	require.Equal(t, ndjsonType, answer.Header().Get("Content-Type"))
	var rows []exportRowJSON
	for decoder := json.NewDecoder(answer.Body); ; {
		var row exportRowJSON
		err := decoder.Decode(&row)
		if err == io.EOF {
			return rows
		}
		require.NoError(t, err)
		rows = append(rows, row)
	}
}

// Whatever the pages are, every event and delivery is there once, in order.
func TestExport_A10_EverythingOnceInOrder(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var want []string
	add := func(deliveries int) delivery.ID {
		event := r.addEvent("acme", "a.b", []byte("1"))
		shown := event.Format(delivery.EventPrefix)
		if deliveries == 0 {
			want = append(want, shown+" -")
		}
		var ids []delivery.ID
		for range deliveries {
			ids = append(ids, r.addDelivery("acme", event, r.acme, delivery.Delivered))
		}
		slices.SortFunc(ids, func(a, b delivery.ID) int { return slices.Compare(a[:], b[:]) })
		for _, id := range ids {
			want = append(want, shown+" "+id.Format(delivery.DeliveryPrefix))
		}
		return event
	}
	for i := range exportEvents + 3 {
		add(i % 3)
	}
	add(exportRows - 1)
	middle := add(2*exportRows + 1)
	add(exportRows)
	for range exportEvents {
		add(0)
	}
	add(1)
	r.addEvent("globex", "a.b", []byte("1"))
	show := func(rows []exportRowJSON) (shown []string) {
		for _, row := range rows {
			id := "-"
			if row.DeliveryID != nil {
				id = *row.DeliveryID
			}
			shown = append(shown, row.EventID+" "+id)
		}
		return shown
	}
	require.Equal(t, want, show(exported(t, r, adminKey, "tenant=acme")))
	for _, f := range r.outcomes {
		require.LessOrEqual(t, len(f.Events), exportEvents)
		require.Equal(t, exportRows, f.Limit)
	}
	// After a cut: from the event that was cut into.
	from := middle.Format(delivery.EventPrefix)
	cut := slices.IndexFunc(want, func(row string) bool { return strings.HasPrefix(row, from) })
	require.Equal(t, want[cut:], show(exported(t, r, acmeKey, "from="+from)))
	// To an endpoint that got nothing, nothing.
	require.Empty(t, exported(t, r, acmeKey, "endpoint="+newID("acme").Format(delivery.EndpointPrefix)))
	require.Len(t, exported(t, r, acmeKey, "endpoint="+r.acme.Format(delivery.EndpointPrefix)), len(slices.DeleteFunc(slices.Clone(want), func(row string) bool { return strings.HasSuffix(row, "-") })))
}

func TestExport_RowsSayWhatBecameOfIt(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	event := r.addEvent("acme", "a.b", []byte("1"))
	r.events[0].IdempotencyKey, r.events[0].ExternalID = "=1+1", "it's \"quoted\", and\nlong"
	dead := r.addDelivery("acme", event, r.acme, delivery.Dead)
	row := exported(t, r, readKey, "")[0]
	require.Equal(t, "dead", *row.State)
	require.Equal(t, "attempts_exhausted", *row.Reason)
	require.Equal(t, 500, *row.LastResponseStatus)
	require.Equal(t, "=1+1", *row.IdempotencyKey, "JSON is data")

	answer := r.call("GET", "/v1/events/export?format=csv&tenant=acme", adminKey, "")
	require.Equal(t, http.StatusOK, answer.Code)
	require.Equal(t, csvType, answer.Header().Get("Content-Type"))
	require.Equal(t, `attachment; filename="events-acme.csv"`, answer.Header().Get("Content-Disposition"))
	lines, err := csv.NewReader(answer.Body).ReadAll()
	require.NoError(t, err)
	require.Equal(t, csvColumns, lines[0])
	require.Len(t, lines, 2)
	cell := func(name string) string { return lines[1][slices.Index(csvColumns, name)] }
	require.Equal(t, "'=1+1", cell("idempotency_key"))
	require.Equal(t, r.events[0].ExternalID, cell("external_id"))
	require.Equal(t, dead.Format(delivery.DeliveryPrefix), cell("delivery_id"))
	require.Equal(t, "500", cell("last_response_status"))

	empty := r.call("GET", "/v1/events/export?format=csv&type=c", acmeKey, "")
	require.Equal(t, strings.Join(csvColumns, ",")+"\r\n", empty.Body.String(), "the names are there in any case")
	head := r.call("HEAD", "/v1/events/export?tenant=acme", adminKey, "")
	require.Equal(t, http.StatusOK, head.Code)
	require.Empty(t, head.Body.String())
}

func TestHarmless_NoCellIsAFormula(t *testing.T) {
	t.Parallel()
	for _, cell := range []string{"=1", "+1", "-1", "@x", "\tx", "\rx", "\n=1"} {
		require.Equal(t, "'"+cell, harmless(cell))
	}
	for _, cell := range []string{"", "a=1", "1-2", "'x"} {
		require.Equal(t, cell, harmless(cell))
	}
}

func TestExport_RefusesWhatMakesNoSense(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for query, code := range map[string]Code{
		"": InvalidRequest, "tenant=acme&format=xls": InvalidRequest, "tenant=acme&from=whd_1": InvalidRequest, "tenant=acme&endpoint=x": InvalidRequest,
		"tenant=acme&since=2026-03-02T00:00:00Z&until=2026-03-01T00:00:00Z": InvalidRequest,
	} {
		r.call("GET", "/v1/events/export?"+query, adminKey, "").problem(t, code)
	}
	r.call("GET", "/v1/events/export?tenant=globex", acmeKey, "").problem(t, UnknownTenant)
	r.broken = fmt.Errorf("no connection")
	r.call("GET", "/v1/events/export", acmeKey, "").problem(t, Internal)
}

// Who gets a part must not take it for the whole.
func TestExport_AFailureInTheMiddleCutsTheConnection(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	event := r.addEvent("acme", "a.b", []byte("1"))
	r.addDelivery("acme", event, r.acme, delivery.Delivered)
	for range exportEvents {
		r.addEvent("acme", "a.b", []byte("1"))
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		r.handler.ServeHTTP(&trippingWriter{ResponseWriter: w, rig: r}, request)
	}))
	t.Cleanup(server.Close)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/v1/events/export", http.NoBody)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+acmeKey)
	answer, err := server.Client().Do(request)
	require.NoError(t, err)
	defer func() { require.NoError(t, answer.Body.Close()) }()
	require.Equal(t, http.StatusOK, answer.StatusCode)
	part, err := io.ReadAll(answer.Body)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Contains(t, string(part), event.Format(delivery.EventPrefix))
	require.Contains(t, r.log.String(), "an export broke off")
}

// trippingWriter lets the stores break once something was written.
type trippingWriter struct {
	http.ResponseWriter
	rig *rig
}

func (w *trippingWriter) Write(b []byte) (int, error) {
	w.rig.mu.Lock()
	w.rig.broken = fmt.Errorf("no connection any more")
	w.rig.mu.Unlock()
	return w.ResponseWriter.Write(b)
}

func (w *trippingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
