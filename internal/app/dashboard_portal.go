package app

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"time"

	"github.com/malotehq/malote/internal/api"
	"github.com/malotehq/malote/internal/dashboard"
	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/portal"
)

// portalPath is where portal links lead.
const portalPath = "/portal/"

// portalLinks makes links for the API.
type portalLinks struct{ keys secretKeys }

// PortalPath implements api.PortalLinks.
func (l portalLinks) PortalPath(link api.PortalLink) (string, error) {
	token, err := portal.Token(l.keys, portal.Link{
		Tenant: link.Tenant, Role: string(link.Role), CreatedAt: link.CreatedAt, ExpiresAt: link.ExpiresAt,
	}, rand.Reader)
	return portalPath + token, err
}

// openPortalLink reads one for the dashboard.
func (p *process) openPortalLink(token string, now time.Time) (dashboard.PortalLink, error) {
	link, err := portal.Read(p.keys, token, now)
	role := page.Role(link.Role)
	if err != nil || !role.Covers(page.Viewer) {
		return dashboard.PortalLink{}, errors.Join(dashboard.ErrLink, err)
	}
	return dashboard.PortalLink{Tenant: link.Tenant, Role: role, CreatedAt: link.CreatedAt}, nil
}

// checkPortalOrigins refuses what is not just an origin: they become a part of a
// header that says who may frame what. Only this machine itself may do without
// TLS. Wildcards would let in whoever gets hold of a forgotten subdomain.
func checkPortalOrigins(origins []string) error {
	for _, origin := range origins {
		parsed, err := url.Parse(origin)
		if err != nil || parsed.Host == "" || parsed.Scheme+"://"+parsed.Host != origin || !isHostAndPort(parsed.Host) {
			return fmt.Errorf("--portal-origins: %q is not an origin: write it as in https://app.example, in lower case and without a slash at its end", origin)
		}
		if parsed.Scheme != "https" && (parsed.Scheme != "http" || !isThisMachine(parsed.Hostname())) {
			return fmt.Errorf("--portal-origins: %q is not https, so anybody on the way could frame the portal too", origin)
		}
	}
	return nil
}

// isHostAndPort says whether there is nothing in it that means something in a
// content security policy.
func isHostAndPort(host string) bool {
	for _, c := range []byte(host) {
		if !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '.' || c == '-' || c == ':' || c == '[' || c == ']') {
			return false
		}
	}
	return true
}

func isThisMachine(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}
