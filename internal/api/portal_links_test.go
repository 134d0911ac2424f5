package api

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// PortalPath implements PortalLinks.
func (m *memory) PortalPath(link PortalLink) (string, error) {
	m.portals = append(m.portals, link)
	return "/portal/token", nil
}

func TestMakePortalLink_IsTheTenantsAndShort(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	before := time.Now()
	made := r.call("POST", "/v1/portal_links", adminKey, `{"tenant":"acme"}`).object(t, http.StatusOK)
	require.Equal(t, "https://hooks.example.com/portal/token", made["url"])
	require.Equal(t, "/portal/token", made["path"])
	require.Equal(t, "viewer", made["role"], "the least, unless more is asked for")
	link := r.portals[0]
	require.Equal(t, "acme", link.Tenant)
	require.Equal(t, PortalViewer, link.Role)
	require.Equal(t, 15*time.Minute, link.ExpiresAt.Sub(link.CreatedAt))
	require.WithinRange(t, link.CreatedAt, before, time.Now())

	made = r.call("POST", "/v1/portal_links", acmeKey, `{"role":"admin","expires_in":"24h"}`).object(t, http.StatusOK)
	require.Equal(t, "acme", made["tenant"])
	require.Equal(t, 24*time.Hour, r.portals[1].ExpiresAt.Sub(r.portals[1].CreatedAt))
	require.Equal(t, PortalAdmin, r.portals[1].Role)
}

func TestMakePortalLink_Refuses(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, c := range []struct {
		key, body string
		code      Code
	}{
		{adminKey, `{}`, InvalidRequest},
		{adminKey, `{"tenant":"nobody"}`, UnknownTenant},
		{acmeKey, `{"tenant":"globex"}`, UnknownTenant},
		{acmeKey, `{"role":"owner"}`, InvalidRequest},
		{acmeKey, `{"expires_in":"24h1s"}`, InvalidRequest},
		{acmeKey, `{"expires_in":"9s"}`, InvalidRequest},
		{acmeKey, `{"expires_in":"-15m"}`, InvalidRequest},
		{readKey, `{}`, InsufficientScope},
		{publishKey, `{}`, InsufficientScope},
	} {
		r.call("POST", "/v1/portal_links", c.key, c.body).problem(t, c.code)
	}
	require.Empty(t, r.portals)
}

// A customer who could make links could stay for ever, and let anybody in.
func TestMakePortalLink_NotFromThePortal(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	caller := Caller{Scope: ScopeTenant, Tenant: "acme", Actor: Actor{Kind: ActorPortal, Name: "Acme"}}
	r.callAs(caller, "POST", "/v1/portal_links", `{}`).problem(t, InsufficientScope)
	require.Empty(t, r.portals)
}
