package app

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/netip"

	"github.com/malotehq/malote/internal/api"
	"github.com/malotehq/malote/internal/dashboard"
	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/ingest"
	"github.com/malotehq/malote/internal/store/accounts"
)

// dashboard makes the pages, which ask the API's handler in this process.
func (p *process) dashboard(handler http.Handler, ending <-chan struct{}) http.Handler {
	return dashboard.New(dashboard.Options{
		Backend: apiBackend{handler}, Accounts: dashboardAccounts{p.accounts},
		OpenLink: p.openPortalLink, PortalOrigins: p.options.PortalOrigins,
		PublicURL: p.publicURL(), ClientAddress: p.clientAddress, Ending: ending, Log: p.log,
	})
}

func (p *process) clientAddress(r *http.Request) netip.Addr {
	return ingest.SenderOf(r, p.options.TrustedProxies)
}

// apiBackend answers a visitor's requests with the API's own handler.
type apiBackend struct{ handler http.Handler }

// ServeAPI implements page.Backend.
func (b apiBackend) ServeAPI(w http.ResponseWriter, r *http.Request, visitor page.Visitor) {
	b.handler.ServeHTTP(w, r.WithContext(api.WithCaller(r.Context(), callerOf(visitor))))
}

// callerOf says what a visitor is to the API. The operator's people see all
// tenants, and the pages' routes ask for their roles; a customer is held to one
// tenant by the API itself.
func callerOf(visitor page.Visitor) api.Caller {
	if !visitor.Portal {
		return api.Caller{
			Scope: api.ScopeAdmin, Address: visitor.Address,
			Actor: api.Actor{Kind: api.ActorUser, ID: visitor.ID, Name: visitor.Name},
		}
	}
	scope := api.ScopeRead
	if visitor.Role.Covers(page.Support) {
		scope = api.ScopeTenant
	}
	return api.Caller{
		Scope: scope, Tenant: visitor.Tenant, Address: visitor.Address,
		Actor: api.Actor{Kind: api.ActorPortal, Name: visitor.Name},
	}
}

// dashboardAccounts shows the accounts to the dashboard in its own words.
type dashboardAccounts struct{ accounts *accounts.Accounts }

// UserNamed implements dashboard.Accounts.
func (a dashboardAccounts) UserNamed(ctx context.Context, name string) (dashboard.User, bool, error) {
	return dashboardUser(a.accounts.UserNamed(ctx, name))
}

// User implements dashboard.Accounts.
func (a dashboardAccounts) User(ctx context.Context, id delivery.ID) (dashboard.User, bool, error) {
	return dashboardUser(a.accounts.User(ctx, id))
}

func dashboardUser(u accounts.User, err error) (dashboard.User, bool, error) {
	if errors.Is(err, accounts.ErrNotFound) {
		return dashboard.User{}, false, nil
	}
	return dashboard.User{
		ID: u.ID, Name: u.Name, Role: page.Role(u.Role), PasswordHash: u.PasswordHash, Disabled: !u.DisabledAt.IsZero(),
	}, err == nil, err
}

// OpenSession implements dashboard.Accounts.
func (a dashboardAccounts) OpenSession(ctx context.Context, session dashboard.Hash, user dashboard.User) error {
	err := a.accounts.OpenSession(ctx, accounts.Hash(session), accounts.User{ID: user.ID, PasswordHash: user.PasswordHash})
	if errors.Is(err, accounts.ErrChanged) {
		return fmt.Errorf("%w: %w", dashboard.ErrChanged, err)
	}
	return err
}

// FindSession implements dashboard.Accounts.
func (a dashboardAccounts) FindSession(ctx context.Context, session dashboard.Hash) (dashboard.Session, bool, error) {
	found, ok, err := a.accounts.FindSession(ctx, accounts.Hash(session))
	return dashboard.Session{
		UserID: found.UserID, Name: found.Name, Role: page.Role(found.Role), Tenant: found.Tenant, Framed: found.Framed,
	}, ok, err
}

// OpenPortal implements dashboard.Accounts.
func (a dashboardAccounts) OpenPortal(ctx context.Context, session dashboard.Hash, link dashboard.PortalLink, framed bool) error {
	err := a.accounts.OpenPortal(ctx, accounts.Hash(session), link.Tenant, link.CreatedAt, accounts.Role(link.Role), framed)
	if errors.Is(err, accounts.ErrNoTenant) {
		return fmt.Errorf("%w: %w", dashboard.ErrLink, err)
	}
	return err
}

// CloseSession implements dashboard.Accounts.
func (a dashboardAccounts) CloseSession(ctx context.Context, session dashboard.Hash) error {
	return a.accounts.CloseSession(ctx, accounts.Hash(session))
}

// CloseOtherSessions implements dashboard.Accounts.
func (a dashboardAccounts) CloseOtherSessions(ctx context.Context, user delivery.ID, but dashboard.Hash) (int, error) {
	return a.accounts.CloseOtherSessions(ctx, user, accounts.Hash(but))
}

// FindLink implements dashboard.Accounts.
func (a dashboardAccounts) FindLink(ctx context.Context, link dashboard.Hash) (dashboard.Link, error) {
	found, err := a.accounts.FindLink(ctx, accounts.Hash(link))
	user, _, _ := dashboardUser(found.User, nil)
	return dashboard.Link{First: found.First(), User: user}, linkError(err)
}

// UseLink implements dashboard.Accounts.
func (a dashboardAccounts) UseLink(ctx context.Context, link dashboard.Hash, firstName, passwordHash string) (dashboard.User, error) {
	used, err := a.accounts.UseLink(ctx, accounts.Hash(link), firstName, passwordHash)
	user, _, _ := dashboardUser(used, nil)
	return user, linkError(err)
}

func linkError(err error) error {
	if errors.Is(err, accounts.ErrLink) {
		return fmt.Errorf("%w: %w", dashboard.ErrLink, err)
	}
	return err
}

// SetPassword implements dashboard.Accounts.
func (a dashboardAccounts) SetPassword(ctx context.Context, user delivery.ID, passwordHash string, but dashboard.Hash) error {
	return a.accounts.SetPassword(ctx, user, passwordHash, accounts.Hash(but))
}

// newLinkToken makes what a one-time link ends with.
func newLinkToken() (token string, hash accounts.Hash) {
	var random [32]byte
	_, _ = rand.Read(random[:]) // never fails
	token = base64.RawURLEncoding.EncodeToString(random[:])
	return token, sha256.Sum256([]byte(token))
}

// welcomePath is where one-time links lead.
const welcomePath = "/welcome/"

// firstLink makes the link for whoever starts a dashboard that has no users yet;
// "" if it has some.
func (p *process) firstLink(ctx context.Context, baseURL string) (string, error) {
	if !p.options.plays(RoleDashboard) {
		return "", nil
	}
	token, hash := newLinkToken()
	made, err := p.accounts.CreateFirstLink(ctx, hash)
	if err != nil || !made {
		return "", err
	}
	if public := p.publicURL(); public != "" {
		baseURL = public
	}
	return baseURL + welcomePath + token, nil
}
