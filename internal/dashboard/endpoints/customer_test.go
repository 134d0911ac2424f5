package endpoints

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/dashboard/page"
)

const pausedID = "whe_01k9w3zq4xf8ea7m2v6t5c1hbg"

// narrow is an API as a customer who only looks meets it: what people did, and
// secrets, are not shown.
type narrow struct {
	t     *testing.T
	asked []string
}

func (n *narrow) ServeAPI(w http.ResponseWriter, r *http.Request, visitor page.Visitor) {
	require.Equal(n.t, "acme", visitor.Tenant)
	n.asked = append(n.asked, r.URL.Path)
	answer := `{"data":[],"next_cursor":null}`
	switch {
	case r.URL.Path == "/v1/webhook_endpoints/"+pausedID:
		answer = `{"id":"` + pausedID + `","tenant":"acme","url":"https://x.example/<b>","policy":"standard","status":"paused","circuit":"closed",
			"limit":10,"max_in_flight":10,"pending":214,"in_flight":0,"headers":{"X-A":"[hidden]"},"metadata":{},"event_types":[]}`
	case strings.HasPrefix(r.URL.Path, "/v1/audit_log"):
		w.WriteHeader(http.StatusForbidden)
		answer = `{"status":403,"code":"insufficient_scope"}`
	case r.URL.Path == "/v1/tenants/acme":
		answer = `{"technical_contact":"ops@x.example"}`
	}
	_, _ = w.Write([]byte(answer))
}

func TestShowOne_ACustomerWhoOnlyLooks(t *testing.T) {
	t.Parallel()
	backend := &narrow{t: t}
	view := &page.View{Visitor: page.Visitor{Role: page.Viewer, Tenant: "acme", Portal: true}, Now: time.Now(), Here: "/endpoints/" + pausedID}
	request := httptest.NewRequest(http.MethodGet, "/endpoints/"+pausedID, http.NoBody)
	request.SetPathValue("id", pausedID)
	recorder := httptest.NewRecorder()
	r := page.NewRequest(recorder, request.WithContext(page.WithView(t.Context(), view)), page.Shell{
		Backend: backend, Frame: func(content page.Content) templ.Component { return content.Body },
	})
	require.NoError(t, showOne(r))
	shown := recorder.Body.String()
	require.Contains(t, backend.asked, "/v1/audit_log")
	require.Contains(t, shown, "214 deliveries wait.")
	require.Contains(t, shown, "https://x.example/&lt;b&gt;")
	require.Contains(t, shown, "ops@x.example")
	for _, absent := range []string{"<form", "<dialog", "/settings", "/secrets", "Paused by", ">acme<"} {
		require.NotContains(t, shown, absent)
	}
}
