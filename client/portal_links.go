package client

import (
	"context"
	"net/http"
	"time"
)

// PortalRole says what a portal link lets its user do, with the tenant's own things.
type PortalRole string

// The roles.
const (
	PortalViewer  PortalRole = "viewer"  // look
	PortalSupport PortalRole = "support" // also replay, resolve and pause
	PortalAdmin   PortalRole = "admin"   // also change endpoints and their secrets
)

// PortalLink opens a tenant's own pages in the dashboard to whoever has it, until
// it expires.
type PortalLink struct {
	Tenant    string     `json:"tenant"`
	Role      PortalRole `json:"role"`
	ExpiresAt time.Time  `json:"expires_at"`
	Path      string     `json:"path"` // behind the server's public address
	URL       string     `json:"url"`  // "": the server was not told its public address
}

// NewPortalLink is a portal link to be made.
type NewPortalLink struct {
	Tenant    string        `json:"tenant,omitempty"` // a tenant's key may leave it out
	Role      PortalRole    `json:"role,omitempty"`   // "": PortalViewer
	ExpiresIn time.Duration `json:"-"`                // from 10 seconds to 24 hours; 0: 15 minutes
}

// CreatePortalLink makes a portal link. It is not kept, and cannot be taken back:
// make a short one when somebody asks for the page. A lost answer is asked for
// again, which makes another link.
func (c *Client) CreatePortalLink(ctx context.Context, link NewPortalLink) (PortalLink, error) {
	asked := struct {
		NewPortalLink
		ExpiresIn string `json:"expires_in,omitempty"`
	}{NewPortalLink: link}
	if link.ExpiresIn != 0 {
		asked.ExpiresIn = link.ExpiresIn.String()
	}
	body, err := encode(asked)
	if err != nil {
		return PortalLink{}, err
	}
	return Do[PortalLink](ctx, c, Request{Method: http.MethodPost, Path: "/v1/portal_links", Body: body, Repeatable: true})
}
