package api

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

// callAs sends a request in process.
func (r *rig) callAs(caller Caller, method, path, body string, header ...string) reply {
	request := httptest.NewRequest(method, path, strings.NewReader(body))
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	recorder := httptest.NewRecorder()
	r.handler.ServeHTTP(recorder, request.WithContext(WithCaller(request.Context(), caller)))
	return reply{recorder}
}

func TestCaller_InProcessNeedsNoKey(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.addEvent("globex", "a.b", []byte("1"))
	admin, tenant := Caller{Scope: ScopeAdmin}, Caller{Scope: ScopeTenant, Tenant: "acme"}
	require.Len(t, r.callAs(admin, "GET", "/v1/tenants", "").object(t, http.StatusOK)["data"], 2)
	require.Len(t, r.callAs(tenant, "GET", "/v1/tenants", "").object(t, http.StatusOK)["data"], 1)
	require.Zero(t, r.keyLookups)

	// It is bound by its scope and its tenant like a key.
	r.callAs(tenant, "GET", "/v1/tenants/globex", "").problem(t, UnknownTenant)
	r.callAs(tenant, "GET", "/v1/webhook_endpoints/"+r.globex.Format(delivery.EndpointPrefix), "").problem(t, NotFound)
	r.callAs(tenant, "GET", "/v1/stats/now", "").problem(t, InsufficientScope)
	r.callAs(Caller{Scope: ScopeRead, Tenant: "acme"}, "POST", "/v1/events", `{"type":"a","data":1}`).problem(t, InsufficientScope)
	r.callAs(tenant, "POST", "/v1/events", `{"type":"a","data":1}`).object(t, http.StatusAccepted)
	// A key beside it does not widen it.
	r.callAs(tenant, "GET", "/v1/tenants/globex", "", "Authorization", "Bearer "+adminKey).problem(t, UnknownTenant)
}

func TestCaller_ThatMakesNoSenseIsRefused(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, caller := range []Caller{
		{}, {Tenant: "acme"}, {Scope: "root"}, {Scope: ScopeAdmin, Tenant: "acme"},
		{Scope: ScopeTenant}, {Scope: ScopeRead}, {Scope: ScopeTenant, Tenant: "a b"},
	} {
		r.callAs(caller, "GET", "/v1/tenants", "", "Authorization", "Bearer "+adminKey).problem(t, Internal)
	}
	require.Contains(t, r.log.String(), "the caller in the request's context")
}

// Nothing in a request's own words makes a caller.
func TestCaller_CannotComeOverHTTP(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	server := httptest.NewServer(r.handler)
	t.Cleanup(server.Close)
	for _, header := range []string{"Caller", "X-Caller", "X-Forwarded-User", "X-Malote-Scope", "X-Malote-Caller", "Cookie"} {
		request, err := http.NewRequestWithContext(WithCaller(t.Context(), Caller{Scope: ScopeAdmin}), http.MethodGet, server.URL+"/v1/tenants", http.NoBody)
		require.NoError(t, err)
		request.Header.Set(header, "scope=admin")
		answer, err := server.Client().Do(request)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		require.Equal(t, http.StatusUnauthorized, answer.StatusCode, header)
	}
}
