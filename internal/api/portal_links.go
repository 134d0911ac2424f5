package api

import (
	"cmp"
	"context"
	"net/http"
	"time"
)

// PortalRole is what a portal link lets its user do, with the tenant's own things.
type PortalRole string

// The roles.
const (
	PortalViewer  PortalRole = "viewer"
	PortalSupport PortalRole = "support"
	PortalAdmin   PortalRole = "admin"
)

// PortalLink is what a link permits.
type PortalLink struct {
	Tenant    string
	Role      PortalRole
	CreatedAt time.Time
	ExpiresAt time.Time
}

// PortalLinks makes what a portal link's address ends with.
type PortalLinks interface {
	PortalPath(link PortalLink) (string, error)
}

// How long a portal link works.
const (
	defaultPortalTime  = 15 * time.Minute
	shortestPortalTime = 10 * time.Second
	longestPortalTime  = 24 * time.Hour
)

type newPortalLinkJSON struct {
	Tenant    string     `json:"tenant,omitempty" maxLength:"64" doc:"Whose things the link shows. An admin key must say it; a tenant's key may leave it out."`
	Role      PortalRole `json:"role,omitempty" enum:"viewer,support,admin" default:"viewer" doc:"What its user may do: look; also replay, resolve and pause; also change endpoints and their secrets."`
	ExpiresIn *span      `json:"expires_in,omitempty" doc:"How long the link works, from 10s to 24h. Left out: 15m. The session that it opens lasts 2 hours, whenever it was opened."`
}

type portalLinkJSON struct {
	Tenant    string     `json:"tenant" example:"acme"`
	Role      PortalRole `json:"role" enum:"viewer,support,admin" example:"support"`
	ExpiresAt timestamp  `json:"expires_at" nullable:"false"`
	Path      string     `json:"path" example:"/portal/3d8dbefe3c68d49f.AV8…" doc:"The link behind this server's public address: only in this answer."`
	URL       *string    `json:"url" example:"https://hooks.example.com/portal/3d8dbefe3c68d49f.AV8…" doc:"The whole link; null: this server was not told its public address."`
}

type makePortalLinkInput struct {
	Body newPortalLinkJSON
}

type portalLinkAnswer struct {
	Body portalLinkJSON
}

func (s *server) registerPortalLinks(r *routes) {
	handle(r, route{
		id: "make-portal-link", method: http.MethodPost, path: "/v1/portal_links", tag: tagTenants, need: mayManage,
		summary: "Make a portal link",
		description: "Whoever opens the link sees the tenant's own deliveries, events and endpoints in the dashboard, without a password, and nobody else's. " +
			"Make one when somebody in your application asks for the page, and send the browser there, or show it in a frame.\n\n" +
			"A link is not kept and cannot be taken back: it works, as often as it is opened, until it expires. " +
			"A repeat of the request makes another link, so an `Idempotency-Key` changes nothing.",
		sample: `{"tenant": "acme", "role": "support", "expires_in": "5m"}`, codes: []Code{UnknownTenant},
	}, s.makePortalLink)
}

func (s *server) makePortalLink(ctx context.Context, input *makePortalLinkInput) (*portalLinkAnswer, error) {
	who, asked := caller(ctx), input.Body
	tenant, err := who.tenantNamed(asked.Tenant)
	if err != nil {
		return nil, err
	}
	if who.actor.Kind == ActorPortal {
		return nil, problem(InsufficientScope, "Who came in by a portal link cannot make another: that would never end.")
	}
	lasts := defaultPortalTime
	if asked.ExpiresIn != nil {
		lasts = time.Duration(*asked.ExpiresIn)
	}
	if lasts < shortestPortalTime || lasts > longestPortalTime {
		return nil, fault("expires_in", "must lie between %s and %s", span(shortestPortalTime), span(longestPortalTime))
	}
	if _, err := s.Tenants.Tenant(ctx, tenant); s.translate(err) == NotFound {
		return nil, problem(UnknownTenant, "")
	} else if err != nil {
		return nil, err
	}
	now := time.Now()
	link := PortalLink{Tenant: tenant, Role: cmp.Or(asked.Role, PortalViewer), CreatedAt: now, ExpiresAt: now.Add(lasts)}
	path, err := s.PortalLinks.PortalPath(link)
	if err != nil {
		return nil, err
	}
	changed(ctx, Subject{Tenant: tenant, Kind: SubjectPortal, ID: tenant, Detail: "role: " + string(link.Role) + ", for " + span(lasts).String()})
	answer := &portalLinkAnswer{Body: portalLinkJSON{Tenant: tenant, Role: link.Role, ExpiresAt: timestamp{link.ExpiresAt}, Path: path}}
	if s.PublicURL != "" {
		answer.Body.URL = new(s.PublicURL + path)
	}
	return answer, nil
}
